//! The modes in their colours; how they are called stands where every front end finds it.

use forelook_protocol::{Mode, Status};
use forelook_wording::{ModeDisplay, ModeRow, ModeTone, mode_display, mode_rows};

use crate::style::{Row, TextStyle};

/// All modes, with the one that is on.
pub(super) fn list(status: &Status) -> Vec<Row> {
    let row = |ModeRow { mode, current, available, about }: ModeRow| {
        let (mark, style) = match (current, available) {
            (true, _) => ("▸", TextStyle::Bold),
            (false, true) => (" ", TextStyle::Plain),
            (false, false) => (" ", TextStyle::Dim),
        };
        Row::led(format!("  {mark} {:<17}  ", mode.name()), style, about)
    };
    let mut rows: Vec<Row> = mode_rows(status).into_iter().map(row).collect();
    rows.push(Row::dim("  /mode NAME changes it"));
    rows
}

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
