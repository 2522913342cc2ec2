//! The modes in their colours; how they are called stands where every front end finds it.

use forelook_protocol::Mode;
use forelook_wording::mode_words;

use crate::ink::Ink;

/// What is said when a mode begins.
pub(super) fn begins(mode: Mode) -> (Ink, String) {
    let (sign, words) = mode_words(mode);
    (ink(mode), format!("{sign} {words}"))
}

fn ink(mode: Mode) -> Ink {
    match mode {
        Mode::Plan => Ink::Plan,
        Mode::DontAsk | Mode::Auto => Ink::Yellow,
        Mode::Default => Ink::Plain,
        Mode::AcceptEdits => Ink::Edits,
        Mode::BypassPermissions => Ink::Red,
    }
}

/// What stands before the place where the person types.
pub(super) fn invitation(mode: Mode) -> (Ink, String) {
    let name = match mode {
        Mode::Plan => "plan",
        Mode::DontAsk => "don't ask",
        Mode::Default => return (Ink::Bold, "> ".to_owned()),
        Mode::AcceptEdits => "accept edits",
        Mode::Auto => "auto",
        Mode::BypassPermissions => "bypass",
    };
    (ink(mode), format!("{} {name} > ", mode_words(mode).0))
}
