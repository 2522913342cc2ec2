//! The body of a request.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;
use forelook_protocol::{AnswerBlock, Message, ResultBlock, ToolResult, ToolSpec, UserBlock};
use serde::Serialize;
use serde_json::Value;

use crate::names::RESPONSES;
use crate::openai::{
    self, Fragment, InputSupport, ItemEncoder, arguments, contains_image, data_url, image_placeholder, json,
    names_openai,
};
use crate::{CacheTtl, Capability, Effort, ModelFacts, Request, Thinking, WireFormat};

/// The longest id of an item.
const MAX_ITEM_ID: usize = 64;

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    prompt_cache_key: String,
}

#[derive(Serialize)]
struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    summary: &'static str,
}

pub(super) fn body(request: &Request, facts: &ModelFacts) -> Bytes {
    // Models that do not reason refuse both the wish for sealed reasoning and the reasoning itself.
    let reasons = facts.thinking != Thinking::Unspecified || facts.effort.is_some();
    let support = InputSupport {
        images: facts.images == Capability::Assumed,
        sealed: reasons,
        thinking: false,
        gateway_ids: !names_openai(&request.model),
    };
    // One string, which the server puts before everything else: a message with the system's role would do the same, but
    // not all compatible servers take one.
    let system = request.system.wire(WireFormat::Responses, |blocks| text_of(blocks));
    let tools = request.tools.wire(WireFormat::Responses, |tools| list_of(tools));
    let head = Head {
        model: &request.model,
        stream: true,
        store: false,
        max_output_tokens: facts.output,
        include: reasons.then_some(["reasoning.encrypted_content"]),
        reasoning: reasons.then(|| Reasoning { effort: facts.effort.map(Effort::name), summary: "auto" }),
        prompt_cache_key: cache_key(request, system),
    };
    let mut more = Vec::new();
    if !system.is_empty() {
        more.push(("instructions", system));
    }
    if !tools.is_empty() {
        more.extend([("parallel_tool_calls", "true"), ("tools", tools)]);
    }
    let head = openai::head(&head, &more, "input");
    let encoder = ItemEncoder { items, items_behind: |_, _, _| None };
    openai::body(request, facts, WireFormat::Responses, head, (support, encoder))
}

/// Requests with the same key are sent where their beginning was read before. A conversation is known by its first
/// message; what is asked now and then, each time about something else, has only its system prompt in common.
fn cache_key(request: &Request, system: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (&request.model, system).hash(&mut hasher);
    if let (CacheTtl::Short, Some(first)) = (request.cache_ttl, request.messages.first()) {
        first.wire(WireFormat::Responses, |message| items(message, InputSupport::DEFAULT)).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn text_of(blocks: &[String]) -> String {
    if blocks.is_empty() { String::new() } else { json(&blocks.join("\n\n")) }
}

fn list_of(tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let tools = tools.iter().map(|tool| Tool {
        kind: "function",
        name: RESPONSES.name(&tool.name),
        description: &tool.description,
        parameters: &tool.input_schema,
        // Strict schemas must name every field as required, and ours have optional ones.
        strict: false,
    });
    json(&tools.collect::<Vec<_>>())
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: Cow<'a, str>,
    description: &'a str,
    parameters: &'a Value,
    strict: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        role: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        content: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'a str>,
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Joined(String),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { detail: &'static str, image_url: String },
    OutputText { annotations: [(); 0], text: &'a str },
}

fn items(message: &Message, support: InputSupport) -> String {
    Fragment::of(message, support, user_items, assistant_items)
}

fn user_items<'a>(blocks: &'a [UserBlock], support: InputSupport, fragment: &mut Fragment) {
    let mut pieces = Vec::new();
    let flush = |pieces: &mut Vec<Piece<'a>>, fragment: &mut Fragment| {
        if !pieces.is_empty() {
            let content = Content::Pieces(std::mem::take(pieces));
            fragment.push(&Item::Message { id: None, role: "user", status: None, content, phase: None });
        }
    };
    for block in blocks {
        match block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            UserBlock::Text { text } => pieces.push(Piece::InputText { text: text.into() }),
            UserBlock::Image { media_type, data } => pieces.push(image_piece(media_type, data, support)),
            UserBlock::ToolResult(result) => {
                flush(&mut pieces, fragment);
                fragment.push(&Item::FunctionCallOutput {
                    call_id: support.id(&RESPONSES, &result.call),
                    output: output(result, support),
                });
            }
        }
    }
    flush(&mut pieces, fragment);
}

fn image_piece<'a>(media_type: &str, data: &str, support: InputSupport) -> Piece<'a> {
    if support.images {
        Piece::InputImage { detail: "auto", image_url: data_url(media_type, data) }
    } else {
        Piece::InputText { text: image_placeholder(media_type).into() }
    }
}

/// A list only where there is a picture: not all compatible servers take one.
fn output(result: &ToolResult, support: InputSupport) -> Content<'_> {
    match result.content.as_slice() {
        [ResultBlock::Text { text }] => Content::Text(text),
        parts if !contains_image(parts) => Content::Joined(result.text()),
        parts => {
            let filled =
                parts.iter().filter(|part| !matches!(part, ResultBlock::Text { text } if text.is_empty()));
            Content::Pieces(
                filled
                    .map(|part| match part {
                        ResultBlock::Text { text } => Piece::InputText { text: text.into() },
                        ResultBlock::Image { media_type, data } => image_piece(media_type, data, support),
                    })
                    .collect(),
            )
        }
    }
}

/// Thinking is not sent: its sealed item is, before what it led to. One that led to nothing is left out, for the
/// server refuses it. Where one is left out that led to something, as for a model that does not reason, what follows has no
/// id: by that the server would look for the reasoning.
fn assistant_items(blocks: &[AnswerBlock], support: InputSupport, fragment: &mut Fragment) {
    let (mut held, mut left_out) = (Vec::new(), false);
    for (at, block) in blocks.iter().enumerate() {
        let label = blocks.get(at + 1).and_then(own_item);
        let id = label.and_then(item_id).filter(|_| !left_out);
        match block {
            AnswerBlock::Text { text } if !text.trim().is_empty() => {
                held.drain(..).for_each(|item| fragment.push(item));
                let label = label.filter(|label| is(label, "message"));
                fragment.push(&assistant_message(text, label, id));
            }
            AnswerBlock::ToolUse(call) => {
                held.drain(..).for_each(|item| fragment.push(item));
                let is_label = label.is_some_and(|label| is(label, "function_call"));
                fragment.push(&Item::FunctionCall {
                    id: id.filter(|_| is_label),
                    call_id: support.id(&RESPONSES, &call.id),
                    name: RESPONSES.name(&call.name),
                    arguments: arguments(&call.input),
                });
            }
            AnswerBlock::Opaque { .. } => {
                if let Some(item) = own_item(block).filter(|item| is(item, "reasoning")) {
                    match is_sendable(item, support) {
                        true => held.push(item),
                        false => left_out = true,
                    }
                }
            }
            AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } => {}
        }
    }
}

/// With its id where it has one: the server knows by it that it follows its reasoning.
fn assistant_message<'a>(text: &'a str, label: Option<&'a Value>, id: Option<&'a str>) -> Item<'a> {
    let id = id.filter(|_| label.is_some());
    let phase = label.and_then(|label| field(label, "phase"));
    let (status, content) = match id {
        Some(_) => (Some("completed"), Content::Pieces(vec![Piece::OutputText { annotations: [], text }])),
        None => (None, Content::Text(text)),
    };
    Item::Message { id, role: "assistant", status, content, phase }
}

/// The id of an item, where it is one that goes back: a compatible server's may be too long for the next.
fn item_id(label: &Value) -> Option<&str> {
    field(label, "id").filter(|id| (1..=MAX_ITEM_ID).contains(&id.len()))
}

fn own_item(block: &AnswerBlock) -> Option<&Value> {
    match block {
        AnswerBlock::Opaque { wire_format: by, item } if by == WireFormat::Responses.name() => Some(item),
        _ => None,
    }
}

/// Whether reasoning goes out as it is. That in plain words comes from servers that know no other.
fn is_sendable(reasoning: &Value, support: InputSupport) -> bool {
    support.sealed || reasoning.get("encrypted_content").is_none()
}

fn is(item: &Value, kind: &str) -> bool {
    field(item, "type") == Some(kind)
}

fn field<'a>(item: &'a Value, name: &str) -> Option<&'a str> {
    item.get(name).and_then(Value::as_str)
}
