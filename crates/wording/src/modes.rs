//! How modes are called: a sign and words each, so that no colour is needed to know them.

use forelook_protocol::{Mode, Status};

/// How a mode is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeDisplay {
    /// Stands before the words.
    pub sign: &'static str,
    /// That it is on.
    pub words: &'static str,
    /// Its name where there is little room; nothing for the one that is no news.
    pub short: Option<&'static str>,
    /// Going on in it, as part of a sentence.
    pub continuation: &'static str,
    /// What it allows, in one line.
    pub about: &'static str,
    /// What its colour says; each front end has colours of its own.
    pub tone: ModeTone,
}

/// What the colour of a mode says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeTone {
    /// All that is about planning.
    Plan,
    /// Less is done than usual.
    Quiet,
    /// As always.
    Usual,
    /// Edits without a question.
    Edits,
    /// Nobody is asked, but something judges.
    Careful,
    /// Nothing is asked.
    Danger,
}

/// How a mode is shown: the one table of it.
pub fn mode_display(mode: Mode) -> ModeDisplay {
    let (sign, words, short, continuation, tone) = match mode {
        Mode::Plan => ("⏸", "plan mode on", Some("plan"), "stay in plan mode", ModeTone::Plan),
        Mode::DontAsk => ("⏹", "don't ask mode on", Some("don't ask"), "never ask", ModeTone::Quiet),
        Mode::Default => {
            ("○", "default mode: asks before changes", None, "ask before each edit", ModeTone::Usual)
        }
        Mode::AcceptEdits => ("✎", "accept edits on", Some("accept edits"), "accept edits", ModeTone::Edits),
        Mode::Auto => ("⏵⏵", "auto mode on", Some("auto"), "use auto mode", ModeTone::Careful),
        Mode::BypassPermissions => {
            ("‼", "bypass permissions on", Some("bypass"), "bypass permissions", ModeTone::Danger)
        }
    };
    let about = match mode {
        Mode::Plan => "reads and plans; changes nothing until you approve",
        Mode::DontAsk => "denies what it would have to ask about",
        Mode::Default => "asks before changes",
        Mode::AcceptEdits => "changes files in your folders without asking",
        Mode::Auto => "a classifier decides instead of you",
        Mode::BypassPermissions => "asks about nothing; only hard limits hold",
    };
    ModeDisplay { sign, words, short, continuation, about, tone }
}

/// A mode in the list of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeRow {
    /// Which mode.
    pub mode: Mode,
    /// Whether it is the one that is on.
    pub current: bool,
    /// Whether the session can switch to it.
    pub available: bool,
    /// What it allows, or why it is not available.
    pub about: String,
}

/// All modes, strictest first, with what a session says of each.
pub fn mode_rows(status: &Status) -> Vec<ModeRow> {
    let row = |mode: Mode| {
        let why = status.unavailable_modes.get(&mode);
        let about = match why {
            Some(why) => format!("not available: {why}"),
            None => mode_display(mode).about.to_owned(),
        };
        ModeRow { mode, current: mode == status.mode, available: why.is_none(), about }
    };
    Mode::ALL.into_iter().map(row).collect()
}

/// Sign and words of a mode that is on.
pub fn mode_words(mode: Mode) -> (&'static str, &'static str) {
    let display = mode_display(mode);
    (display.sign, display.words)
}

/// Going on in a mode, as part of a sentence.
pub fn continuation(mode: Mode) -> &'static str {
    mode_display(mode).continuation
}

/// The mode that a person named, in whatever case.
pub fn parse_mode(word: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word))
}
