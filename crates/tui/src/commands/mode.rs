//! `/mode`: how much may be done without asking.

use forelook_protocol::{Command, Mode, UnknownMode};
use forelook_wording::{mode_named, mode_words};

use super::Slash;
use crate::app::{App, Wish};
use crate::view::{Pick, Picker, Row, View};

pub(super) const MODE: Slash =
    Slash { name: "mode", form: "[name]", about: "change how much is done without asking", run };

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    match (rest, mode_named(rest)) {
        ("", _) => {
            let row = |mode: Mode| {
                let (sign, words) = mode_words(mode);
                let row = Row::new([sign, mode.name(), words], Some(Pick::Send(Command::SetMode(mode))));
                Row { current: mode == app.mode(), ..row }
            };
            let rows = Mode::ALL.into_iter().map(row).collect();
            app.open(View::Picker(Picker::new("Modes, the narrowest first", rows)));
            Vec::new()
        }
        (_, Some(mode)) => vec![Wish::Send(Command::SetMode(mode))],
        (word, None) => {
            app.refused(&UnknownMode(word.to_owned()).to_string());
            Vec::new()
        }
    }
}
