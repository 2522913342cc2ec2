//! `/mode`: how much may be done without asking.

use forelook_protocol::{Command, Mode, UnknownMode};
use forelook_wording::{mode_words, parse_mode};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const MODE: SlashCommand =
    SlashCommand { name: "mode", usage: "[name]", about: "change the permission mode", run };

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    match (rest, parse_mode(rest)) {
        ("", _) => {
            let row = |mode: Mode| {
                let (sign, words) = mode_words(mode);
                let row = PickerRow::new(
                    [sign, mode.name(), words],
                    Some(PickAction::Send(Command::SetMode(mode))),
                );
                PickerRow { current: mode == app.mode(), ..row }
            };
            let rows = Mode::ALL.into_iter().map(row).collect();
            app.open(FullScreenView::Picker(Picker::new("Permission modes, strictest first", rows)));
            Vec::new()
        }
        (_, Some(mode)) => vec![UiEffect::Send(Command::SetMode(mode))],
        (word, None) => {
            app.refused(&UnknownMode(word.to_owned()).to_string());
            Vec::new()
        }
    }
}
