//! `/plan`: all of it is the session's.

use forelook_protocol::Command;

use super::Slash;
use crate::app::{App, Wish};

pub(super) const PLAN: Slash = Slash {
    name: "plan",
    form: "[words]",
    about: "plan first; while planning: show it, or open, diff, history, restore N, rehearsal, list",
    run,
};

fn run(_: &mut App, rest: &str) -> Vec<Wish> {
    vec![Wish::Send(Command::Plan(rest.to_owned()))]
}
