//! `/clear`: a new session. The one before is kept.

use super::SlashCommand;
use crate::app::{App, ExitReason, UiEffect};

pub(super) const CLEAR: SlashCommand =
    SlashCommand { name: "clear", usage: "", about: "start a new session; this one is saved", run };

fn run(_: &mut App, _: &str) -> Vec<UiEffect> {
    vec![UiEffect::Leave(ExitReason::NewSession)]
}
