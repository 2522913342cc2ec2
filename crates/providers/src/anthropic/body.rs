//! A request as bytes: pieces that were made once, put side by side.

use std::borrow::Cow;

use bytes::Bytes;
use forelook_protocol::ToolSpec;
use serde::Serialize;
use serde_json::Value;

use super::{breakpoints, message};
use crate::names::ANTHROPIC;
use crate::previous_body::{BodyParts, PreviousBody};
use crate::{ModelFacts, Request, Thinking, WireFormat};

/// How much a model may write where nobody knows how much it can.
const DEFAULT_OUTPUT: u64 = 8192;
/// The smallest budget for thinking that the server takes.
const MIN_BUDGET: u64 = 1024;

/// Asks for a streamed answer.
pub(super) fn answer(request: &Request, facts: &ModelFacts) -> Bytes {
    let limits = Limits::of(facts);
    let settings = format!(r#","max_tokens":{},"stream":true{}"#, limits.output, limits.settings(facts));
    assemble(request, facts, &settings, &request.previous_body)
}

/// Asks how many tokens the same request has.
pub(super) fn count(request: &Request, facts: &ModelFacts) -> Bytes {
    assemble(request, facts, &Limits::of(facts).settings(facts), &PreviousBody::default())
}

/// The conversation comes last, so that a request begins with the bytes of the one before.
fn assemble(request: &Request, facts: &ModelFacts, settings: &str, previous_body: &PreviousBody) -> Bytes {
    let breakpoint = breakpoints::text(request.cache_ttl);
    let system = request.system.wire(WireFormat::Anthropic, |blocks| message::texts(blocks));
    let tools = request.tools.wire(WireFormat::Anthropic, |tools| encode_tools(tools));
    let mut head = format!(r#"{{"model":{}{settings}"#, message::json(&request.model));
    // The server reads tools first, then the system prompt: one mark after both remembers both.
    push_list(&mut head, "tools", tools, breakpoint, system.is_empty());
    push_list(&mut head, "system", system, breakpoint, true);
    head.push_str(r#","messages":["#);

    let messages = &request.messages;
    let marked = breakpoints::positions(messages);
    let stable = marked.iter().flatten().min().copied().unwrap_or(messages.len());
    let piece = |at, message| {
        let bytes = message::bytes(message, facts.images);
        if marked.contains(&Some(at)) {
            Cow::Owned(with_breakpoint(&bytes, "}]}", breakpoint))
        } else {
            bytes
        }
    };
    previous_body.next(BodyParts { wire_format: WireFormat::Anthropic, facts, head, messages, stable, piece })
}

fn push_list(body: &mut String, key: &str, list: &str, breakpoint: &str, marked: bool) {
    if list.is_empty() {
        return;
    }
    body.push_str(",\"");
    body.push_str(key);
    body.push_str("\":");
    if marked {
        body.push_str(&with_breakpoint(list, "}]", breakpoint));
    } else {
        body.push_str(list);
    }
}

/// The bytes with the mark inside the last block, which ends where `end` begins.
fn with_breakpoint(bytes: &str, end: &str, breakpoint: &str) -> String {
    match bytes.strip_suffix(end) {
        Some(start) => [start, breakpoint, end].concat(),
        None => bytes.to_owned(),
    }
}

fn encode_tools(tools: &[ToolSpec]) -> String {
    #[derive(Serialize)]
    struct Tool<'a> {
        name: Cow<'a, str>,
        description: &'a str,
        input_schema: &'a Value,
    }
    let tools: Vec<Tool<'_>> = tools
        .iter()
        .map(|tool| Tool {
            name: ANTHROPIC.name(&tool.name),
            description: &tool.description,
            input_schema: &tool.input_schema,
        })
        .collect();
    if tools.is_empty() { String::new() } else { message::json(&tools) }
}

/// How much may be written, and how much of it may be thinking: the server counts both together.
struct Limits {
    output: u64,
    budget: Option<u64>,
}

impl Limits {
    fn of(facts: &ModelFacts) -> Self {
        match (facts.thinking, facts.output) {
            (Thinking::Budget(budget), None) => {
                let budget = u64::from(budget).max(MIN_BUDGET);
                Self { output: budget + DEFAULT_OUTPUT, budget: Some(budget) }
            }
            (Thinking::Budget(budget), Some(output)) => {
                // A quarter is left for the answer itself. A model with no room for the least budget does not think.
                let max_budget = output - output / 4;
                let budget =
                    (max_budget >= MIN_BUDGET).then(|| u64::from(budget).clamp(MIN_BUDGET, max_budget));
                Self { output, budget: budget.filter(|budget| *budget < output) }
            }
            (Thinking::Unspecified | Thinking::Adaptive, output) => {
                Self { output: output.unwrap_or(DEFAULT_OUTPUT), budget: None }
            }
        }
    }

    fn settings(&self, facts: &ModelFacts) -> String {
        let thinking = match (facts.thinking, self.budget) {
            (Thinking::Adaptive, _) => r#","thinking":{"type":"adaptive"}"#.to_owned(),
            (_, Some(budget)) => format!(r#","thinking":{{"type":"enabled","budget_tokens":{budget}}}"#),
            (_, None) => String::new(),
        };
        let effort = facts.effort.map(|it| format!(r#","output_config":{{"effort":"{}"}}"#, it.name()));
        thinking + &effort.unwrap_or_default()
    }
}
