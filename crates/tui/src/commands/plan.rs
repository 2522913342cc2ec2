//! `/plan`: what it means depends on whether a plan is being made.

use forelook_protocol::{Command, PlanCommand, PlanLine, PlanQuery, PlanShown, Query, Reply};

use super::Slash;
use crate::app::{App, Wish};

pub(super) const PLAN: Slash = Slash {
    name: "plan",
    form: "[words]",
    about: "plan first; while planning: show it, or open, diff, history, restore N, rehearsal, list",
    run,
};

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    match PlanLine::parse(rest, app.mode()) {
        PlanLine::Show(query) => app.ask(Query::Plan(query), shown),
        // An editor without a plan would only puzzle: that there is none yet is shown instead.
        PlanLine::Do(PlanCommand::Open) => app.ask(Query::Plan(PlanQuery::Current), opened),
        PlanLine::Do(command) => vec![Wish::Send(Command::Plan(command))],
    }
}

fn shown(app: &mut App, reply: &Reply) -> Vec<Wish> {
    if let Reply::Plan(shown) = reply {
        app.show_plan(shown.clone());
    }
    Vec::new()
}

fn opened(app: &mut App, reply: &Reply) -> Vec<Wish> {
    match reply {
        Reply::Plan(PlanShown::Current { plan: Some(_), .. }) => {
            vec![Wish::Send(Command::Plan(PlanCommand::Open))]
        }
        reply => shown(app, reply),
    }
}
