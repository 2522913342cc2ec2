//! `/todos`: the model's own list.

use forelook_protocol::{Query, Reply, Todo, TodoStatus};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Line;

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

pub(super) const TODOS: SlashCommand =
    SlashCommand { name: "todos", usage: "", about: "show the todo list", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(&status.todos, app.render_context()));
        }
        Vec::new()
    })
}

pub(super) fn rows(todos: &[Todo], ctx: RenderContext) -> Vec<Line<'static>> {
    if todos.is_empty() {
        return vec![Line::styled("  The todo list is empty", ctx.theme.quiet)];
    }
    let row = |todo: &Todo| {
        let (mark, style, words) = match todo.status {
            TodoStatus::Pending => ("  ☐ ", Style::new(), &todo.content),
            TodoStatus::InProgress => ("  ▸ ", Style::new().add_modifier(Modifier::BOLD), &todo.active_form),
            TodoStatus::Completed => ("  ☑ ", ctx.theme.quiet, &todo.content),
        };
        wrap(&Line::styled(sanitize(words).replace('\n', " "), style), ctx.width, &Indent::first(mark))
    };
    todos.iter().flat_map(row).collect()
}
