//! Tool calls, what tools are made known as, and what a call does to the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AbsPath, CallId, Todo, ToolResult};

/// What the model is told of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// Its name, as models know it.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: Value,
}

/// Something the model wants done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The model's id for it.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// The input: what the model sent, checked by the tool itself. Text that was no JSON is kept as a string.
    pub input: Value,
}

/// What a tool hands back: a result for the model, and effects for the engine to apply.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// For the model.
    pub result: ToolResult,
    /// For the session's state; a tool never holds the session itself.
    pub effects: Vec<Effect>,
    /// For programs that watch: the result in fields.
    pub output: Option<Value>,
}

impl From<ToolResult> for ToolOutcome {
    fn from(result: ToolResult) -> Self {
        Self { result, effects: Vec::new(), output: None }
    }
}

/// A change to the session that a tool asks for. It is recorded with the outcome of the call and
/// applied by the fold, so that a resumed session knows what a running one knew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// The list of todos is now this.
    SetTodos {
        /// The whole list.
        todos: Vec<Todo>,
    },
    /// Shell commands run in this folder from now on.
    SetFolder {
        /// The new folder.
        folder: AbsPath,
    },
    /// The model has seen this file, in this state.
    Saw(Seen),
    /// These tools, whose schemas were held back, are sent along from now on.
    LoadTools {
        /// Their names.
        names: Vec<String>,
    },
}

/// A file as the model last saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The file, links resolved.
    pub path: AbsPath,
    /// SHA-256 of its bytes, in hex.
    pub hash: String,
}
