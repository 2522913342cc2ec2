//! The user's own shell commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, CallId};

/// A shell command from the user that is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserShellStarted {
    /// The ID that its output is reported under.
    pub call: CallId,
    /// The command.
    pub command: String,
}

/// A shell command from the user that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserShellEnded {
    /// The ID that its output was reported under.
    pub call: CallId,
    /// The command.
    pub command: String,
    /// Its output, truncated like a tool result.
    pub output: String,
    /// How it failed, in a few words; absent if it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The shell's working directory at the end, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<AbsPath>,
}
