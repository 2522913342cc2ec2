//! Tools, their calls, and what a call changes in the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AbsPath, BackgroundShell, CallId, Todo, ToolResult};

/// A tool, as described to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: Value,
}

/// A tool call from the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The ID that the model gave it.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// The input from the model. The tool itself validates it. Text that is not JSON is kept as a string.
    pub input: Value,
}

/// What a tool returns: a result for the model, and effects for the engine to apply.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// For the model.
    pub result: ToolResult,
    /// Changes to the session's state; a tool never has the session itself.
    pub effects: Vec<SessionEffect>,
    /// The result as structured data, for front ends.
    pub output: Option<Value>,
}

impl From<ToolResult> for ToolOutcome {
    fn from(result: ToolResult) -> Self {
        Self { result, effects: Vec::new(), output: None }
    }
}

/// A change to the session that a tool asks for. It is recorded with the result of the call and applied by the fold, so
/// that a resumed session has the same state as a running one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionEffect {
    /// Replaces the todo list.
    SetTodos {
        /// The new list.
        todos: Vec<Todo>,
    },
    /// Changes the working directory for shell commands.
    SetFolder {
        /// The new directory.
        folder: AbsPath,
    },
    /// The model has seen this version of this file.
    FileSeen(FileVersion),
    /// A shell runs in the background from now on.
    ShellStarted(BackgroundShell),
    /// Sends these tools to the model from now on; their schemas were held back before.
    LoadTools {
        /// Their names.
        names: Vec<String>,
    },
}

/// A file as the model last saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileVersion {
    /// The file, with all links resolved.
    pub path: AbsPath,
    /// SHA-256 of its bytes, in hex.
    pub hash: String,
}
