//! `/agents`: those that can be started, and those at work.

use forelook_protocol::{Query, Reply, Status};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const AGENTS: SlashCommand =
    SlashCommand { name: "agents", usage: "", about: "list agents and show which are running", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.open(FullScreenView::Picker(picker(&app.agents_at_work(), status)));
        }
        Vec::new()
    })
}

/// Those at work first; then those that can be started, with what they are good for.
pub(super) fn picker(at_work: &[String], status: &Status) -> Picker {
    let running = at_work.iter().map(|it| PickerRow::new(["running", it], None));
    let startable = status.agents.iter().map(|agent| {
        let words = format!("Use the {} agent to ", agent.name);
        PickerRow::new([&agent.name, &agent.description], Some(PickAction::Write(words)))
    });
    Picker::new("Agents", running.chain(startable).collect())
}
