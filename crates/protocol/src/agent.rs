//! Subagents: how one begins and ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, EndReason, Mode, Usage};

/// A subagent begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// The call of its parent's that started it.
    pub call: CallId,
    /// Its kind, such as `Explore`.
    pub kind: String,
    /// Its task in a few words.
    pub description: String,
    /// The model that it asks.
    pub model: String,
    /// The mode that was asked for it; it never has a wider one than its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether it can only read, whatever its parent may.
    pub read_only: bool,
}

/// A subagent has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEnded {
    /// Why.
    pub reason: EndReason,
    /// Tokens.
    pub usage: Usage,
    /// Calls that it made.
    pub calls: u32,
    /// Milliseconds it took.
    pub took_ms: u64,
}
