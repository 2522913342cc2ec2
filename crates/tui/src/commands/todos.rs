//! `/todos`: the model's own list.

use forelook_protocol::{Query, Reply, Todo, TodoStatus};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Line;

use super::Slash;
use crate::app::{App, Wish};
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

pub(super) const TODOS: Slash =
    Slash { name: "todos", form: "", about: "the list of what is to be done", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(&status.todos, app.look()));
        }
        Vec::new()
    })
}

pub(super) fn rows(todos: &[Todo], look: Look) -> Vec<Line<'static>> {
    if todos.is_empty() {
        return vec![Line::styled("  The todo list is empty", look.theme.quiet)];
    }
    let row = |todo: &Todo| {
        let (mark, style, words) = match todo.status {
            TodoStatus::Pending => ("  ☐ ", Style::new(), &todo.content),
            TodoStatus::InProgress => ("  ▸ ", Style::new().add_modifier(Modifier::BOLD), &todo.active_form),
            TodoStatus::Completed => ("  ☑ ", look.theme.quiet, &todo.content),
        };
        wrap(&Line::styled(harmless(words).replace('\n', " "), style), look.width, &Hang::first(mark))
    };
    todos.iter().flat_map(row).collect()
}
