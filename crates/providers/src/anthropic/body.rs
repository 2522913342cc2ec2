//! A request as bytes: pieces that were made once, put side by side.

use std::borrow::Cow;

use forelook_protocol::ToolSpec;
use serde::Serialize;
use serde_json::Value;

use super::{marks, message, names};
use crate::request::room_for;
use crate::{Form, ModelFacts, Request, Thinking};

/// How much a model may write where nobody knows how much it can.
const OUTPUT: u64 = 8192;
/// The smallest budget for thinking that the server takes.
const LEAST_BUDGET: u64 = 1024;

/// Asks for a streamed answer.
pub(super) fn answer(request: &Request, facts: &ModelFacts) -> Vec<u8> {
    let limits = Limits::of(facts);
    let head = format!(r#","max_tokens":{},"stream":true{}"#, limits.output, limits.settings(facts));
    assembled(request, facts, &head)
}

/// Asks how many tokens the same request has.
pub(super) fn count(request: &Request, facts: &ModelFacts) -> Vec<u8> {
    assembled(request, facts, &Limits::of(facts).settings(facts))
}

/// The conversation comes last, so that a request begins with the bytes of the one before.
fn assembled(request: &Request, facts: &ModelFacts, head: &str) -> Vec<u8> {
    let mark = marks::text(request.remember);
    let system = request.system.wire(Form::Anthropic, |blocks| message::texts(blocks));
    let tools = request.tools.wire(Form::Anthropic, |tools| written(tools));
    let messages: Vec<Cow<'_, str>> =
        request.messages.iter().map(|message| message::bytes(message, facts.images)).collect();
    let marked = marks::after(&request.messages);

    let size: usize = messages.iter().map(|message| message.len() + 1).sum();
    let size = size + system.len() + tools.len() + head.len() + 4 * mark.len() + 256;
    let mut body = String::with_capacity(room_for(size));
    body.push_str(r#"{"model":"#);
    body.push_str(&message::json(&request.model));
    body.push_str(head);
    // The server reads tools first, then the system prompt: one mark after both remembers both.
    push_list(&mut body, "tools", tools, mark, system.is_empty());
    push_list(&mut body, "system", system, mark, true);
    body.push_str(r#","messages":["#);
    let mut first = true;
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| !message.is_empty()) {
        if !std::mem::take(&mut first) {
            body.push(',');
        }
        push_marked(&mut body, message, "}]}", marked.contains(&Some(at)).then_some(mark));
    }
    body.push_str("]}");
    body.into_bytes()
}

fn push_list(body: &mut String, key: &str, list: &str, mark: &str, marked: bool) {
    if list.is_empty() {
        return;
    }
    body.push_str(",\"");
    body.push_str(key);
    body.push_str("\":");
    push_marked(body, list, "}]", marked.then_some(mark));
}

/// Adds `bytes`, with the mark inside the last block, which ends where `end` begins.
fn push_marked(body: &mut String, bytes: &str, end: &str, mark: Option<&str>) {
    match mark.zip(bytes.strip_suffix(end)) {
        Some((mark, start)) => [start, mark, end].iter().for_each(|piece| body.push_str(piece)),
        None => body.push_str(bytes),
    }
}

fn written(tools: &[ToolSpec]) -> String {
    #[derive(Serialize)]
    struct Tool<'a> {
        name: Cow<'a, str>,
        description: &'a str,
        input_schema: &'a Value,
    }
    let tools: Vec<Tool<'_>> = tools
        .iter()
        .map(|tool| Tool {
            name: names::name(&tool.name),
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
                let budget = u64::from(budget).max(LEAST_BUDGET);
                Self { output: budget + OUTPUT, budget: Some(budget) }
            }
            (Thinking::Budget(budget), Some(output)) => {
                // A quarter is left for the answer itself. A model with no room for the least budget does not think.
                let most = output - output / 4;
                let budget = (most >= LEAST_BUDGET).then(|| u64::from(budget).clamp(LEAST_BUDGET, most));
                Self { output, budget: budget.filter(|budget| *budget < output) }
            }
            (Thinking::Unsaid | Thinking::Adaptive, output) => {
                Self { output: output.unwrap_or(OUTPUT), budget: None }
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
