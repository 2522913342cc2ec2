//! `TodoWrite`: the model's own list of what is to be done.

use forelook_protocol::{Action, SessionEffect, Todo, TodoStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;

use crate::context::ToolContext;
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};

/// A longer list is no list; a longer item is no item.
const MAX_ITEMS: usize = 100;
const MAX_CHARS: usize = 1000;

/// Keeps the list of todos.
pub(crate) struct TodoWrite;

/// The list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The complete list; it replaces the previous one.
    #[schemars(length(max = 100))]
    todos: Vec<Item>,
}

/// One item.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// What to do, such as "Run the tests".
    content: String,
    /// Its status.
    status: Status,
    /// The form shown while it is in progress, such as "Running the tests".
    #[serde(rename = "activeForm")]
    active_form: String,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl From<Item> for Todo {
    fn from(item: Item) -> Self {
        let status = match item.status {
            Status::Pending => TodoStatus::Pending,
            Status::InProgress => TodoStatus::InProgress,
            Status::Completed => TodoStatus::Completed,
        };
        Todo { content: item.content, status, active_form: item.active_form }
    }
}

impl ToolMetadata for TodoWrite {
    type Input = Input;
    const NAME: &'static str = "TodoWrite";

    fn description(&self) -> Cow<'static, str> {
        "Keeps your task list, which the user sees. Use it for work with three or more steps. Each call sends the \
         complete list. Set one item to `in_progress` before you start it, and to `completed` as soon as it is done, \
         not earlier.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.todos.len() > MAX_ITEMS {
            return Err(BadInput(format!(
                "`todos` has {} items: send at most {MAX_ITEMS}; combine some of them",
                input.todos.len()
            )));
        }
        for (number, item) in input.todos.iter().enumerate() {
            for (field, text) in [("content", &item.content), ("activeForm", &item.active_form)] {
                if text.trim().is_empty() || text.chars().count() > MAX_CHARS {
                    let what = format!("`todos[{number}].{field}`");
                    return Err(BadInput(format!(
                        "{what} has {} characters: send 1 to {MAX_CHARS}, not only spaces",
                        text.chars().count()
                    )));
                }
            }
        }
        Ok(())
    }
}

impl TypedTool for TodoWrite {
    fn action(&self, _: &Input, _: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, _: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let todos: Vec<Todo> = input.todos.into_iter().map(Todo::from).collect();
        let count = |status| todos.iter().filter(|todo| todo.status == status).count();
        let stats = Stats {
            total: todos.len(),
            pending: count(TodoStatus::Pending),
            in_progress: count(TodoStatus::InProgress),
            completed: count(TodoStatus::Completed),
        };
        let output = json!({ "newTodos": todos, "stats": stats });
        Ok(ToolSuccess::new(stats.words()).with(SessionEffect::SetTodos { todos }).output(output))
    }
}

/// How far the list is.
#[derive(Debug, Serialize)]
struct Stats {
    total: usize,
    pending: usize,
    in_progress: usize,
    completed: usize,
}

impl Stats {
    /// What the model reads: how far it is, and what it should keep in mind.
    fn words(&self) -> String {
        let Self { total, pending, in_progress, completed } = *self;
        match (total, pending, in_progress) {
            (0, ..) => "Updated: the list is empty".to_owned(),
            (_, 0, 0) => format!("Updated: all {total} done"),
            (_, _, 0) => format!(
                "Updated: {completed} of {total} done\n\
                 Nothing is in progress: set an item to `in_progress` before you start it"
            ),
            (_, _, 1) => format!("Updated: {completed} of {total} done"),
            (_, _, active) => format!(
                "Updated: {completed} of {total} done\n\
                 {active} items are in progress; one at a time is clearer for the user"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Bench;

    fn item(content: &str, status: &str) -> serde_json::Value {
        json!({"content": content, "status": status, "activeForm": "Doing it"})
    }

    #[tokio::test]
    async fn the_list_is_an_effect() {
        let mut bench = Bench::new();
        let todos =
            json!({"todos": [item("a", "completed"), item("b", "in_progress"), item("c", "in_progress")]});
        let outcome = bench.call("TodoWrite", todos).await;
        assert_eq!(
            outcome.result.text(),
            "Updated: 1 of 3 done\n2 items are in progress; one at a time is clearer for the user"
        );
        let SessionEffect::SetTodos { todos } = &outcome.effects[0] else { panic!("{outcome:?}") };
        assert_eq!(todos.len(), 3);
        let output = outcome.output.unwrap();
        assert_eq!(output["stats"], json!({"total": 3, "pending": 0, "in_progress": 2, "completed": 1}));
        assert_eq!(output["newTodos"][1], item("b", "in_progress"));
    }

    #[tokio::test]
    async fn the_result_says_how_far_the_list_is() {
        let mut bench = Bench::new();
        for (statuses, expected) in [
            (&[][..], "Updated: the list is empty"),
            (&["completed", "completed"], "Updated: all 2 done"),
            (&["completed", "in_progress", "pending"], "Updated: 1 of 3 done"),
            (
                &["completed", "pending"],
                "Updated: 1 of 2 done\nNothing is in progress: set an item to `in_progress` before you start it",
            ),
        ] {
            let todos: Vec<_> = statuses.iter().map(|status| item("a", status)).collect();
            assert_eq!(bench.ok("TodoWrite", json!({ "todos": todos })).await, expected);
        }
    }

    #[tokio::test]
    async fn bad_lists_name_the_field() {
        let mut bench = Bench::new();
        for (input, part) in [
            (json!({"todos": [item("a", "done")]}), "`todos[0].status`"),
            (json!({"todos": [item(" ", "pending")]}), "`todos[0].content`"),
            (json!({"todos": [{"content": "a", "status": "pending"}]}), "missing field `activeForm`"),
            (json!({"todos": vec![item("a", "pending"); 101]}), "`todos` has 101 items: send at most 100"),
            (json!({"todos": "a"}), "`todos` (array)"),
            (json!({"todo": []}), "unknown field `todo`"),
            (json!("not even JSON"), "not a JSON object"),
        ] {
            let text = bench.failure("TodoWrite", input).await;
            assert!(text.contains(part), "{text}");
        }
    }
}
