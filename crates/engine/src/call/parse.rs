//! The input of a call is understood, once; and before that, which tool it is for.
//!
//! A call that the model sent through the generic tool is taken apart here and nowhere else, so that whatever decides,
//! hears, writes down or shows a call sees the tool that is meant.

use forelook_protocol::{AnswerBlock, AnswerEvent, CallId, ModelAnswered, ToolCall};
use forelook_tools::{ParsedCall, ToolRegistry, Toolbox, check_depth, is_generic, unwrap_call};
use serde_json::Value;

use super::prefetch::Prefetched;
use super::{PendingCall, ToolRuntime};
use crate::handle::ReviewAnswer;

/// A call whose input was looked at.
pub(super) struct IncomingCall {
    pub(super) call: ToolCall,
    /// Understood, or what the model is told instead.
    pub(super) parsed: Result<ParsedCall, String>,
    pub(super) reviewed: Option<ReviewAnswer>,
}

impl IncomingCall {
    pub(super) fn of(runtime: &ToolRuntime, pending: PendingCall, prefetched: &Prefetched) -> Self {
        let PendingCall { call, reviewed } = pending;
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

/// How many tools of others a model is told by name that asked for one that is not there.
const MAX_GUESTS: usize = 30;

/// Understands an input; the error is for the model.
pub(super) fn parse(runtime: &ToolRuntime, tool: &str, input: &Value) -> Result<ParsedCall, String> {
    check_depth(input).map_err(|bad| bad.to_string())?;
    let tools = runtime.tools.snapshot();
    match tools.get(tool) {
        Some(tool) => tool.parse(input).map_err(|bad| bad.to_string()),
        None => Err(missing(&tools, tool)),
    }
}

/// What the model is told of a tool that is not there: that it has left, or which there are.
fn missing(tools: &Toolbox, name: &str) -> String {
    if let Some(owner) = tools.gone(name) {
        return format!(
            "The tool `{name}` is no longer available: `{owner}` disconnected or no longer offers it. Continue \
             without it; you will be told if it returns."
        );
    }
    let known = tools.specs().iter().map(|spec| spec.name.as_str());
    let externals = tools.external_tools().count();
    let left_out = externals.saturating_sub(MAX_GUESTS);
    let known: Vec<&str> = known.take(tools.specs().len() - left_out).collect();
    let more =
        if left_out > 0 { format!(", and {left_out} more that ToolSearch can find") } else { String::new() };
    format!("There is no tool `{name}`. Available tools: {}{more}.", known.join(", "))
}

/// Makes of the calls that the model sent through the generic tool what they are.
pub(crate) fn unwrap_calls(tools: &ToolRegistry, answered: &mut ModelAnswered) {
    if !tools.accepts_external_tools() {
        return;
    }
    for block in &mut answered.blocks {
        if let AnswerBlock::ToolUse(call) = block
            && let Some(meant) = unwrap_call(call)
        {
            answered.wrapped.push(call.id.clone());
            *call = meant;
        }
    }
}

/// The same while an answer arrives: a call of the generic tool is held until it is whole, and then told as what it is.
/// Nobody who watches could tell before which tool is meant.
#[derive(Default)]
pub(super) struct CallUnwrapper {
    held: Option<(CallId, String, String)>,
}

impl CallUnwrapper {
    /// What is to be told when this arrives.
    pub(super) fn push(&mut self, event: AnswerEvent) -> Vec<AnswerEvent> {
        match (event, &mut self.held) {
            (AnswerEvent::CallStarted { id, name }, held) if is_generic(&name) => {
                *held = Some((id, name, String::new()));
                Vec::new()
            }
            (AnswerEvent::Input { json }, Some((.., text))) => {
                text.push_str(&json);
                Vec::new()
            }
            (event, held) => {
                let mut unwrapped_events =
                    held.take().map(|(id, name, json)| unwrapped_events(id, name, json)).unwrap_or_default();
                unwrapped_events.push(event);
                unwrapped_events
            }
        }
    }
}

fn unwrapped_events(id: CallId, name: String, json: String) -> Vec<AnswerEvent> {
    let input = serde_json::from_str(&json).unwrap_or(Value::Null);
    let call = ToolCall { id: id.clone(), name: name.clone(), input };
    let (name, json) = match unwrap_call(&call) {
        Some(meant) => (meant.name, meant.input.to_string()),
        None => (name, json),
    };
    vec![AnswerEvent::CallStarted { id, name }, AnswerEvent::Input { json }]
}
