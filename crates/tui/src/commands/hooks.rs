//! `/hooks`: the person's own commands at the program's events.

use forelook_protocol::{HookListed, Query, Reply};
use forelook_wording::visible;
use ratatui_core::text::{Line, Span};

use super::Slash;
use crate::app::{App, Wish};
use crate::markdown::Look;
use crate::text::{Hang, wrap};

pub(super) const HOOKS: Slash =
    Slash { name: "hooks", form: "", about: "your own commands at events, and where they stand", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Hooks, |app, reply| {
        if let Reply::Hooks(hooks) = reply {
            app.show(rows(hooks, app.look()));
        }
        Vec::new()
    })
}

/// Each event with its hooks, in the order in which they stand in the settings.
pub(super) fn rows(hooks: &[HookListed], look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    if hooks.is_empty() {
        let words = "There are no hooks; `hooks` in settings names commands that run at events";
        return wrap(&Line::styled(words, theme.quiet), look.width, &Hang::all("  "));
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
        rows.extend(wrap(&line, look.width, &Hang::all("  ")));
    }
    rows
}
