//! The model's todo list.

use forelook_protocol::{SessionEffect, Todo, TodoStatus};

use crate::ViewItem;

/// The number of done todos, and of all todos.
pub fn todos_done(todos: &[Todo]) -> (usize, usize) {
    (todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count(), todos.len())
}

/// The list that a call set, if any.
pub(crate) fn todos_set_by(effects: &[SessionEffect]) -> Option<&Vec<Todo>> {
    effects.iter().rev().find_map(|effect| match effect {
        SessionEffect::SetTodos { todos } => Some(todos),
        _ => None,
    })
}

/// A new list is shown once. Its progress is visible outside the conversation, and its completion is shown.
pub(crate) fn update_item(before: &[Todo], after: &[Todo]) -> Option<ViewItem> {
    let (done, all) = todos_done(after);
    match is_same_list(before, after) {
        _ if all == 0 => None,
        false => Some(ViewItem::Todos(after.to_vec())),
        true => (done == all).then_some(ViewItem::TodosDone(all)),
    }
}

/// Whether the second list is a later state of the first.
fn is_same_list(before: &[Todo], after: &[Todo]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.content == b.content)
}
