//! How modes are called: a sign and words each, so that no colour is needed to know them.

use forelook_protocol::Mode;

/// Sign and words of a mode that is on.
pub fn mode_words(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Plan => ("⏸", "plan mode on"),
        Mode::DontAsk => ("⏹", "don't ask mode on"),
        Mode::Default => ("○", "default mode: asks before changes"),
        Mode::AcceptEdits => ("✎", "accept edits on"),
        Mode::Auto => ("⏵⏵", "auto mode on"),
        Mode::BypassPermissions => ("‼", "bypass permissions on"),
    }
}

/// Going on in a mode, as part of a sentence.
pub fn goes_on(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "in plan mode",
        Mode::DontAsk => "in don't ask mode",
        Mode::Default => "asking before each edit",
        Mode::AcceptEdits => "accepting edits",
        Mode::Auto => "in auto mode",
        Mode::BypassPermissions => "bypassing permissions",
    }
}

/// The mode that a person named, in whatever case.
pub fn mode_named(word: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word))
}
