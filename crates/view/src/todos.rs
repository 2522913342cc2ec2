//! The model's own list of what is to be done.

use forelook_protocol::{Effect, Todo, TodoStatus};

use crate::Item;

/// How many are done, and how many there are.
pub fn todos_done(todos: &[Todo]) -> (usize, usize) {
    (todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count(), todos.len())
}

/// The list that a call set, if it did.
pub(crate) fn set_by(effects: &[Effect]) -> Option<&Vec<Todo>> {
    effects.iter().rev().find_map(|effect| match effect {
        Effect::SetTodos { todos } => Some(todos),
        _ => None,
    })
}

/// A new list is told once; how it goes on is seen beside the conversation, and its end is told.
pub(crate) fn told(before: &[Todo], after: &[Todo]) -> Option<Item> {
    let (done, all) = todos_done(after);
    match is_same_list(before, after) {
        _ if all == 0 => None,
        false => Some(Item::Todos(after.to_vec())),
        true => (done == all).then_some(Item::TodosDone(all)),
    }
}

/// Whether the second list is the first one, further on.
fn is_same_list(before: &[Todo], after: &[Todo]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.content == b.content)
}
