//! `/status`: how things stand.

use forelook_protocol::{ModelUsage, Query, Reply, Status};
use forelook_wording::{bill, mode_words, window};
use ratatui_core::text::Line;

use super::{SlashCommand, pairs};
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;

pub(super) const STATUS: SlashCommand = SlashCommand {
    name: "status",
    usage: "",
    about: "show session, model, mode, plan, cost, and sandbox",
    run,
};

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(status, app.render_context()));
        }
        // Finding out takes a moment, the first time: what is known is shown before.
        super::doctor::run(app, "")
    })
}

pub(super) fn rows(status: &Status, ctx: RenderContext) -> Vec<Line<'static>> {
    let (sign, words) = mode_words(status.mode);
    let mut total = ModelUsage::default();
    status.spent.values().for_each(|each| total += *each);
    let unknown = || forelook_wording::UNKNOWN.to_owned();
    let known = [
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Session", status.session.to_string()),
        ("Folder", status.folder.to_string()),
        ("Model", status.model.clone()),
        ("Context", status.window.map_or_else(unknown, |tokens| format!("{} tokens", window(tokens)))),
        ("Mode", format!("{sign} {words}")),
        ("Plan", status.plan.as_ref().map_or_else(|| "none yet".to_owned(), ToString::to_string)),
        ("Cost", bill(total.cost)),
        ("Tools", status.tools.join(", ")),
    ];
    pairs(&known.map(|(name, words)| (name.to_owned(), words)), ctx)
}
