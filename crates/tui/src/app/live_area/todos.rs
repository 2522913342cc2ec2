//! The model's own list of what is to be done.

use forelook_protocol::{Todo, TodoStatus};
use forelook_view::todos_done;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Line;

use crate::markdown::RenderContext;
use crate::text::{fitted, sanitize};

/// The list in at most `room` rows; where it does not fit, the one that is being done and how many are.
pub(super) fn rows(todos: &[Todo], ctx: RenderContext, room: usize) -> Vec<Line<'static>> {
    let (done, all) = todos_done(todos);
    if done == all {
        return Vec::new();
    }
    if all <= room {
        return list(todos, ctx);
    }
    let current = todos
        .iter()
        .find(|todo| todo.status == TodoStatus::InProgress)
        .or_else(|| todos.iter().find(|todo| todo.status == TodoStatus::Pending));
    let figures = format!("  ({done} of {all} done)");
    let room = ctx.width.saturating_sub(figures.len() + 4);
    let row = |todo: &Todo| {
        let mut row = item(todo, ctx, room);
        row.push_span(ratatui_core::text::Span::styled(figures.clone(), ctx.theme.quiet));
        row
    };
    current.map(row).into_iter().collect()
}

/// All of them, a row each.
pub(super) fn list(todos: &[Todo], ctx: RenderContext) -> Vec<Line<'static>> {
    todos.iter().map(|todo| item(todo, ctx, ctx.width.saturating_sub(4))).collect()
}

fn item(todo: &Todo, ctx: RenderContext, room: usize) -> Line<'static> {
    let (mark, style, words) = match todo.status {
        TodoStatus::Pending => ("☐", Style::new(), &todo.content),
        TodoStatus::InProgress => ("▸", Style::new().add_modifier(Modifier::BOLD), &todo.active_form),
        TodoStatus::Completed => ("☑", ctx.theme.quiet, &todo.content),
    };
    let words = sanitize(words);
    Line::from(vec![ratatui_core::text::Span::styled(format!("  {mark} {}", fitted(&words, room)), style)])
}
