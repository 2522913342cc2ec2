//! `/mode`: how much may be done without asking.

use forelook_protocol::{Command, Query, Reply, Status, UnknownMode};
use forelook_wording::{ModeRow, mode_display, mode_rows, parse_mode};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const MODE: SlashCommand =
    SlashCommand { name: "mode", usage: "[name]", about: "change the permission mode", run };

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    match (rest, parse_mode(rest)) {
        // Which modes can be had may have changed since the session began.
        ("", _) => app.ask(Query::Status, |app, reply| {
            if let Reply::Status(status) = reply {
                app.open(FullScreenView::Picker(picker(status)));
            }
            Vec::new()
        }),
        (_, Some(mode)) => vec![UiEffect::Send(Command::SetMode(mode))],
        (word, None) => {
            app.refused(&UnknownMode(word.to_owned()).to_string());
            Vec::new()
        }
    }
}

/// What each mode allows, or why it cannot be chosen.
pub(super) fn picker(status: &Status) -> Picker {
    let row = |row: ModeRow| {
        let pick = row.available.then_some(PickAction::Send(Command::SetMode(row.mode)));
        let sign = mode_display(row.mode).sign;
        PickerRow { current: row.current, ..PickerRow::new([sign, row.mode.name(), &row.about], pick) }
    };
    Picker::new("Permission modes, strictest first", mode_rows(status).into_iter().map(row).collect())
}
