//! The modes in their colours; how they are called stands where every front end finds it.

use forelook_protocol::Mode;
use forelook_wording::{ModeDisplay, ModeTone, mode_display};

use crate::style::TextStyle;

/// What is said when a mode begins.
pub(super) fn begins(mode: Mode) -> (TextStyle, String) {
    let ModeDisplay { sign, words, tone, .. } = mode_display(mode);
    (style(tone), format!("{sign} {words}"))
}

fn style(tone: ModeTone) -> TextStyle {
    match tone {
        ModeTone::Plan => TextStyle::Plan,
        ModeTone::Quiet | ModeTone::Careful => TextStyle::Yellow,
        ModeTone::Usual => TextStyle::Plain,
        ModeTone::Edits => TextStyle::Edits,
        ModeTone::Danger => TextStyle::Red,
    }
}

/// What stands before the place where the person types.
pub(super) fn prompt_label(mode: Mode) -> (TextStyle, String) {
    let ModeDisplay { sign, short, tone, .. } = mode_display(mode);
    match short {
        Some(name) => (style(tone), format!("{sign} {name} > ")),
        None => (TextStyle::Bold, "> ".to_owned()),
    }
}
