//! `/agents`: those that can be started, and those at work.

use forelook_protocol::{Query, Reply};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const AGENTS: SlashCommand =
    SlashCommand { name: "agents", usage: "", about: "list agents and show which are running", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            let at_work = app.agents_at_work();
            let mut rows: Vec<PickerRow> =
                at_work.iter().map(|it| PickerRow::new([it, "running"], None)).collect();
            for name in &status.agents {
                let words = format!("Use the {name} agent to ");
                rows.push(PickerRow::new([name, ""], Some(PickAction::Write(words))));
            }
            app.open(FullScreenView::Picker(Picker::new("Agents", rows)));
        }
        Vec::new()
    })
}
