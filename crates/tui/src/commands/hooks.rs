//! `/hooks`: the person's own commands at the program's events.

use forelook_protocol::{HookInfo, Query, Reply};
use forelook_wording::visible;
use ratatui_core::text::{Line, Span};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};

pub(super) const HOOKS: SlashCommand =
    SlashCommand { name: "hooks", usage: "", about: "list hooks and where they are defined", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Hooks, |app, reply| {
        if let Reply::Hooks(hooks) = reply {
            app.show(rows(hooks, app.render_context()));
        }
        Vec::new()
    })
}

/// Each event with its hooks, in the order in which they stand in the settings.
pub(super) fn rows(hooks: &[HookInfo], ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    if hooks.is_empty() {
        let words = "No hooks. Define them under `hooks` in your settings";
        return wrap(&Line::styled(words, theme.quiet), ctx.width, &Indent::all("  "));
    }
    let mut rows = Vec::new();
    let mut last = None;
    for hook in hooks {
        if last.replace(hook.event) != Some(hook.event) {
            rows.push(Line::styled(hook.event.name(), theme.heading));
        }
        let matcher = if hook.matcher.is_empty() { String::new() } else { format!("{}: ", hook.matcher) };
        let line = Line::from(vec![
            Span::styled(visible(&matcher).into_owned(), theme.quiet),
            Span::raw(visible(&hook.command).into_owned()),
            Span::styled(format!("  {}", visible(&hook.origin)), theme.quiet),
        ]);
        rows.extend(wrap(&line, ctx.width, &Indent::all("  ")));
    }
    rows
}
