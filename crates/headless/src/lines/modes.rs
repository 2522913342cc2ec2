//! The modes in words, readable without colour too.

use forelook_protocol::Mode;

use crate::ink::Ink;

/// What is said when a mode begins.
pub(super) fn begins(mode: Mode) -> (Ink, &'static str) {
    match mode {
        Mode::Plan => (Ink::Plan, "⏸ plan mode on"),
        Mode::DontAsk => (Ink::Yellow, "⏹ don't ask mode on"),
        Mode::Default => (Ink::Plain, "○ default mode: asks before changes"),
        Mode::AcceptEdits => (Ink::Edits, "⏵⏵ accept edits on"),
        Mode::Auto => (Ink::Yellow, "⏵⏵ auto mode on"),
        Mode::BypassPermissions => (Ink::Red, "⏵⏵ bypass permissions on"),
    }
}

/// What stands before the place where the person types.
pub(super) fn invitation(mode: Mode) -> (Ink, &'static str) {
    let (ink, _) = begins(mode);
    match mode {
        Mode::Plan => (ink, "⏸ plan > "),
        Mode::DontAsk => (ink, "⏹ don't ask > "),
        Mode::Default => (Ink::Bold, "> "),
        Mode::AcceptEdits => (ink, "⏵⏵ accept edits > "),
        Mode::Auto => (ink, "⏵⏵ auto > "),
        Mode::BypassPermissions => (ink, "⏵⏵ bypass > "),
    }
}

/// Going on in a mode, as part of a sentence.
pub(super) fn goes_on(mode: Mode) -> &'static str {
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
pub(super) fn named(word: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word))
}
