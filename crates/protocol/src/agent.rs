//! The start and end of subagents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, EndReason, Mode, Usage};

/// A subagent started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// The parent's call that started it.
    pub call: CallId,
    /// Its kind, such as `Explore`.
    pub kind: String,
    /// Its task in a few words.
    pub description: String,
    /// The model it uses.
    pub model: String,
    /// The mode that was requested for it; it never allows more than its parent's mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Whether it is read-only, regardless of what its parent may do.
    pub read_only: bool,
}

/// A subagent ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEnded {
    /// Why it ended.
    pub reason: EndReason,
    /// The tokens it used.
    pub usage: Usage,
    /// The number of calls it made.
    pub calls: u32,
    /// How long it ran, in milliseconds.
    pub took_ms: u64,
}
