//! How modes are called: a sign and words each, so that no colour is needed to know them.

use forelook_protocol::Mode;

/// How a mode is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeLook {
    /// Stands before the words.
    pub sign: &'static str,
    /// That it is on.
    pub words: &'static str,
    /// Its name where there is little room; nothing for the one that is no news.
    pub short: Option<&'static str>,
    /// Going on in it, as part of a sentence.
    pub goes_on: &'static str,
    /// What its colour says; each front end has colours of its own.
    pub tone: Tone,
}

/// What the colour of a mode says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
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
pub fn mode_look(mode: Mode) -> ModeLook {
    let (sign, words, short, goes_on, tone) = match mode {
        Mode::Plan => ("⏸", "plan mode on", Some("plan"), "in plan mode", Tone::Plan),
        Mode::DontAsk => ("⏹", "don't ask mode on", Some("don't ask"), "in don't ask mode", Tone::Quiet),
        Mode::Default => {
            ("○", "default mode: asks before changes", None, "asking before each edit", Tone::Usual)
        }
        Mode::AcceptEdits => ("✎", "accept edits on", Some("accept edits"), "accepting edits", Tone::Edits),
        Mode::Auto => ("⏵⏵", "auto mode on", Some("auto"), "in auto mode", Tone::Careful),
        Mode::BypassPermissions => {
            ("‼", "bypass permissions on", Some("bypass"), "bypassing permissions", Tone::Danger)
        }
    };
    ModeLook { sign, words, short, goes_on, tone }
}

/// Sign and words of a mode that is on.
pub fn mode_words(mode: Mode) -> (&'static str, &'static str) {
    let look = mode_look(mode);
    (look.sign, look.words)
}

/// Going on in a mode, as part of a sentence.
pub fn goes_on(mode: Mode) -> &'static str {
    mode_look(mode).goes_on
}

/// The mode that a person named, in whatever case.
pub fn mode_named(word: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word))
}
