//! `/plan`: what it means depends on whether a plan is being made.

use forelook_protocol::{Command, PlanCommand, PlanQuery, PlanReply, PlanSlashCommand, Query, Reply};

use super::SlashCommand;
use crate::app::{App, UiEffect};

pub(super) const PLAN: SlashCommand = SlashCommand {
    name: "plan",
    usage: "[task]",
    about: "plan first, or show the plan; open, review, diff, history, restore N, rehearsal, list",
    run,
};

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    let command = match PlanSlashCommand::parse(rest, app.mode()) {
        Ok(command) => command,
        Err(why) => {
            app.refused(&why);
            return Vec::new();
        }
    };
    match command {
        PlanSlashCommand::Show(query) => app.ask(Query::Plan(query), shown),
        // An editor without a plan would only puzzle: that there is none yet is shown instead.
        PlanSlashCommand::Run(PlanCommand::Open) => app.ask(Query::Plan(PlanQuery::Current), opened),
        PlanSlashCommand::Run(PlanCommand::Review) if app.bring_review_forward() => Vec::new(),
        PlanSlashCommand::Run(command) => vec![UiEffect::Send(Command::Plan(command))],
    }
}

fn shown(app: &mut App, reply: &Reply) -> Vec<UiEffect> {
    if let Reply::Plan(shown) = reply {
        app.show_plan(shown.clone());
    }
    Vec::new()
}

fn opened(app: &mut App, reply: &Reply) -> Vec<UiEffect> {
    match reply {
        // One that cannot be read may be what they want to repair.
        Reply::Plan(
            PlanReply::Current { plan: Some(_), .. } | PlanReply::Current { problem: Some(_), .. },
        ) => {
            vec![UiEffect::Send(Command::Plan(PlanCommand::Open))]
        }
        reply => shown(app, reply),
    }
}
