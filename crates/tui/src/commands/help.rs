//! `/help`: commands and keys.

use ratatui_core::text::Line;

use super::{ALL, SlashCommand, pairs};
use crate::app::{App, UiEffect};
use crate::keys_help::{self, Keys};
use crate::markdown::RenderContext;

pub(super) const HELP: SlashCommand =
    SlashCommand { name: "help", usage: "", about: "show commands and keys", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.show(rows(app.render_context(), app.uses_vi()));
    Vec::new()
}

pub(super) fn rows(ctx: RenderContext, vi: bool) -> Vec<Line<'static>> {
    let usage = |slash: &&SlashCommand| format!("/{} {}", slash.name, slash.usage).trim_end().to_owned();
    let commands: Vec<(String, String)> = ALL.iter().map(|it| (usage(it), it.about.to_owned())).collect();
    let mut rows = vec![Line::styled("Commands", ctx.theme.heading)];
    rows.extend(pairs(&commands, ctx));
    let vi: &[(&str, Keys)] = if vi { &[("Vi keys", keys_help::VI)] } else { &[] };
    for (title, keys) in [("Keys", keys_help::GENERAL), ("Input", keys_help::WRITING)].iter().chain(vi) {
        let keys: Vec<(String, String)> =
            keys.iter().map(|(key, what)| ((*key).to_owned(), (*what).to_owned())).collect();
        rows.extend([Line::default(), Line::styled(*title, ctx.theme.heading)]);
        rows.extend(pairs(&keys, ctx));
    }
    rows
}
