//! `/tasks`: background shells and agents at work.

use forelook_protocol::{Query, Reply};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, TasksView};

pub(super) const TASKS: SlashCommand = SlashCommand {
    name: "tasks",
    usage: "",
    about: "list background shells and agents; show output, end one",
    run,
};

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Tasks, |app, reply| {
        if let Reply::Tasks(tasks) = reply {
            app.open(FullScreenView::Tasks(TasksView::new(tasks)));
        }
        Vec::new()
    })
}
