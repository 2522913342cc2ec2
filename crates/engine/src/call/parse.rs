//! The input of a call is understood, once.

use forelook_protocol::ToolCall;
use forelook_tools::ParsedCall;
use serde_json::Value;

use super::prefetch::Prefetched;
use super::{PendingCall, ToolRuntime};
use crate::handle::ReviewAnswer;

/// A call whose input was looked at.
pub(super) struct Parsed {
    pub(super) call: ToolCall,
    /// Understood, or what the model is told instead.
    pub(super) parsed: Result<ParsedCall, String>,
    pub(super) reviewed: Option<ReviewAnswer>,
}

impl Parsed {
    pub(super) fn of(runtime: &ToolRuntime, due: PendingCall, prefetched: &Prefetched) -> Self {
        let PendingCall { call, reviewed } = due;
        let parsed = match prefetched.parsed(&call) {
            Some(parsed) => Ok(parsed),
            None => parse(runtime, &call.name, &call.input),
        };
        Self { call, parsed, reviewed }
    }

    /// Whether it may run beside others.
    pub(super) fn concurrency_safe(&self) -> bool {
        self.parsed.as_ref().is_ok_and(|parsed| parsed.concurrency_safe)
    }
}

/// Understands an input; the error is for the model.
pub(super) fn parse(runtime: &ToolRuntime, tool: &str, input: &Value) -> Result<ParsedCall, String> {
    match runtime.tools.get(tool) {
        Some(tool) => tool.parse(input).map_err(|bad| bad.to_string()),
        None => {
            let known: Vec<&str> = runtime.tools.specs().iter().map(|spec| spec.name.as_str()).collect();
            Err(format!("There is no tool `{tool}`. The tools are: {}.", known.join(", ")))
        }
    }
}
