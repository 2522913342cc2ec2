//! `/resume`: another session of this folder.

use forelook_protocol::SessionInfo;
use forelook_wording::{age, counted};

use super::SlashCommand;
use crate::app::{App, ExitReason, UiEffect, UiTask};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const RESUME: SlashCommand =
    SlashCommand { name: "resume", usage: "", about: "resume another session", run };

fn run(_: &mut App, _: &str) -> Vec<UiEffect> {
    vec![UiEffect::Spawn(UiTask::Sessions)]
}

/// The sessions that were found.
pub(crate) fn sessions(app: &mut App, found: Result<Vec<SessionInfo>, String>) {
    match found {
        Ok(found) => app.open(FullScreenView::Picker(session_picker(app.wall_time(), &found))),
        Err(why) => app.refused(&why),
    }
}

/// Sessions to choose from.
pub(crate) fn session_picker(now: jiff::Timestamp, found: &[SessionInfo]) -> Picker {
    let row = |it: &SessionInfo| {
        let when = age(now, it.time);
        let prompts = counted(it.prompts as u64, "prompt", "prompts");
        let title = if it.title.trim().is_empty() { "(no messages)" } else { it.title.as_str() };
        PickerRow::new([&when, &prompts, title], Some(PickAction::Leave(ExitReason::Resume(it.id))))
    };
    Picker::new("Sessions in this folder, newest first", found.iter().map(row).collect())
}
