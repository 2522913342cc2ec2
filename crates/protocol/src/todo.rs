//! The model's own list of what is to be done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// What is to be done ("Run the tests").
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The same while it is being done ("Running the tests").
    #[serde(rename = "activeForm")]
    pub active_form: String,
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done now.
    InProgress,
    /// Done.
    Completed,
}
