//! The trait of all tools, and where calls take place.

use std::sync::Arc;

use forelook_protocol::{AbsPath, AgentId, ToolSpec};
use serde_json::Value;

use crate::call::ParsedCall;

/// Something the model can do.
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// What it is for, in words to search by, if its schema may be held back until it is found through `ToolSearch`.
    fn deferred(&self) -> Option<&str> {
        None
    }

    /// Understands the input of a call. The only place where an input is parsed.
    fn parse(self: Arc<Self>, input: &Value) -> Result<ParsedCall, BadInput>;
}

/// An input that cannot be carried out. The text is for the model: which field, and what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// Where calls take place, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLocation {
    /// The project's folder.
    pub project: AbsPath,
    /// Where shell commands run now, and what relative paths are relative to.
    pub folder: AbsPath,
    /// The subagent that calls; nothing for the main agent. What one agent started beside itself is no other's.
    pub agent: Option<AgentId>,
}
