//! `/mode`: how much may be done without asking.

use forelook_protocol::{Command, Mode, Query, Reply, Status, UnknownMode, capitalize};
use forelook_wording::{mode_display, parse_mode};

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

/// What each mode allows. One that cannot be had says so, and why while it is looked at.
pub(super) fn picker(status: &Status) -> Picker {
    let row = |mode: Mode| {
        let (shown, why) = (mode_display(mode), status.unavailable_modes.get(&mode));
        let about = match why {
            Some(_) => format!("not available: {}", shown.about),
            None => shown.about.to_owned(),
        };
        let pick = why.is_none().then_some(PickAction::Send(Command::SetMode(mode)));
        PickerRow {
            about: why.map(|why| capitalize(why)),
            current: mode == status.mode,
            ..PickerRow::new([shown.sign, mode.name(), &about], pick)
        }
    };
    Picker::new("Permission modes, strictest first", Mode::ALL.into_iter().map(row).collect())
}
