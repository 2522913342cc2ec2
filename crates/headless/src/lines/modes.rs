//! The modes in their colours; how they are called stands where every front end finds it.

use forelook_protocol::Mode;
use forelook_wording::{ModeLook, Tone, mode_look};

use crate::ink::Ink;

/// What is said when a mode begins.
pub(super) fn begins(mode: Mode) -> (Ink, String) {
    let ModeLook { sign, words, tone, .. } = mode_look(mode);
    (ink(tone), format!("{sign} {words}"))
}

fn ink(tone: Tone) -> Ink {
    match tone {
        Tone::Plan => Ink::Plan,
        Tone::Quiet | Tone::Careful => Ink::Yellow,
        Tone::Usual => Ink::Plain,
        Tone::Edits => Ink::Edits,
        Tone::Danger => Ink::Red,
    }
}

/// What stands before the place where the person types.
pub(super) fn invitation(mode: Mode) -> (Ink, String) {
    let ModeLook { sign, short, tone, .. } = mode_look(mode);
    match short {
        Some(name) => (ink(tone), format!("{sign} {name} > ")),
        None => (Ink::Bold, "> ".to_owned()),
    }
}
