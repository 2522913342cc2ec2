//! `/compact` and `/context`: how long the conversation is, and how it becomes shorter.

use forelook_protocol::{Command, ContextUsage, Query, Reply};
use forelook_wording::{context_limit, context_rows, context_title};
use ratatui_core::text::Line;

use super::{SlashCommand, pairs};
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

pub(super) const COMPACT: SlashCommand = SlashCommand {
    name: "compact",
    usage: "[focus]",
    about: "replace the conversation by a summary; focus: what to keep",
    run: compact,
};

pub(super) const CONTEXT: SlashCommand =
    SlashCommand { name: "context", usage: "", about: "show what fills the context window", run: context };

fn compact(_: &mut App, rest: &str) -> Vec<UiEffect> {
    let focus = Some(rest.trim().to_owned()).filter(|focus| !focus.is_empty());
    vec![UiEffect::Send(Command::Compact { focus })]
}

fn context(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Context, |app, reply| {
        if let Reply::Context(usage) = reply {
            app.show(rows(usage, app.render_context()));
        }
        Vec::new()
    })
}

pub(super) fn rows(usage: &ContextUsage, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = vec![Line::styled(sanitize(&context_title(usage)).into_owned(), ctx.theme.heading)];
    rows.extend(pairs(&context_rows(usage), ctx));
    rows.extend(wrap(&Line::styled(context_limit(usage), ctx.theme.quiet), ctx.width, &Indent::all("  ")));
    rows
}
