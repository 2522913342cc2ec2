//! `/exit`, also `/quit`: the person leaves, the session is kept.

use super::SlashCommand;
use crate::app::{App, UiEffect};

pub(super) const EXIT: SlashCommand =
    SlashCommand { name: "exit", usage: "", about: "exit; the session is saved", run };

fn run(_: &mut App, _: &str) -> Vec<UiEffect> {
    vec![UiEffect::Leave(crate::app::ExitReason::Done)]
}
