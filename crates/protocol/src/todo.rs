//! The model's todo list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An item of the todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// The task ("Run the tests").
    pub content: String,
    /// Its status.
    pub status: TodoStatus,
    /// The task while it is in progress ("Running the tests").
    #[serde(rename = "activeForm")]
    pub active_form: String,
}

/// The status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
}
