//! Tool calls: the decision, the start, and the end of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, Confinement, Decision, SessionEffect, ToolResult};

/// The decision about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionDecided {
    /// The call.
    pub call: CallId,
    /// The name of the tool.
    pub tool: String,
    /// The decision, with its reason.
    #[serde(flatten)]
    pub decision: Decision,
    /// How long the decision took in milliseconds, including facts and hooks.
    #[serde(default)]
    pub took_ms: u64,
}

/// A call that is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStarted {
    /// The call.
    pub call: CallId,
    /// The input it runs with, if a hook changed what the model sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// How the kernel confines it.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub sandbox: Confinement,
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFinished {
    /// The result for the model.
    pub result: ToolResult,
    /// How it ended.
    pub status: CallStatus,
    /// Its changes to the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<SessionEffect>,
    /// The result as structured data, for front ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It ran. The result says whether it succeeded.
    Ran,
    /// A decision or the user denied it.
    Denied,
    /// The call itself was invalid: an unknown tool, or input that does not match the schema.
    Invalid,
    /// The call or Forelook itself was stopped before the call ended. It may have run partially.
    Interrupted,
}
