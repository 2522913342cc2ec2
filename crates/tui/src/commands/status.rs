//! `/status`: how things stand.

use forelook_protocol::{Query, Reply, Spent, Status};
use forelook_wording::{bill, mode_words, window};
use ratatui_core::text::Line;

use super::{Slash, pairs};
use crate::app::{App, Wish};
use crate::markdown::Look;

pub(super) const STATUS: Slash = Slash {
    name: "status",
    form: "",
    about: "session, folder, model, mode, plan, cost, what the kernel holds",
    run,
};

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(status, app.look()));
        }
        // Finding out takes a moment, the first time: what is known is shown before.
        super::doctor::run(app, "")
    })
}

pub(super) fn rows(status: &Status, look: Look) -> Vec<Line<'static>> {
    let (sign, words) = mode_words(status.mode);
    let mut total = Spent::default();
    status.spent.values().for_each(|each| total += *each);
    let unknown = || forelook_wording::UNKNOWN.to_owned();
    let known = [
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Session", status.session.to_string()),
        ("Folder", status.folder.to_string()),
        ("Model", status.model.clone()),
        ("Window", status.window.map_or_else(unknown, |tokens| format!("{} tokens", window(tokens)))),
        ("Mode", format!("{sign} {words}")),
        ("Plan", status.plan.as_ref().map_or_else(|| "none yet".to_owned(), ToString::to_string)),
        ("Cost", bill(total.cost)),
        ("Tools", status.tools.join(", ")),
    ];
    pairs(&known.map(|(name, words)| (name.to_owned(), words)), look)
}
