//! The second reading of a request: from the bytes back to our own words, with nothing passed over.
//!
//! It shares no code with what wrote them. A field that is not known is an error: what a server would ignore is a
//! mistake all the same.

mod anthropic;
mod chat;
mod responses;

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, CallId, Message, ToolCall, ToolSpec, UserBlock};
use forelook_providers::{CacheTtl, Request, WireCached, WireFormat};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{pairs, seal};

/// A request as a server understands it.
#[derive(Debug)]
pub struct Decoded {
    /// In our own words.
    pub request: Request,
    /// The conversation as it stood on the wire, piece by piece, without marks for the cache: what only grows.
    pub turns: Vec<Turn>,
    /// Whether an answer may end with what it cost.
    pub(super) wants_usage: bool,
    /// Whether thinking is to come sealed.
    pub(super) wants_seals: bool,
}

/// A piece of the conversation on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Whether the model said it.
    pub is_answer: bool,
    /// As it came, without marks for the cache.
    pub wire: Value,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// An answer.
    Answer,
    /// How many tokens it would be.
    Count,
}

/// How hard a model is to think; all forms have the same words for it.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Effort {
    Low,
    Medium,
    High,
}

/// Reads a request for an answer.
pub fn decode(wire_format: WireFormat, body: &[u8]) -> Result<Decoded, String> {
    decode_for(RequestKind::Answer, wire_format, body)
}

pub(super) fn decode_for(kind: RequestKind, wire_format: WireFormat, body: &[u8]) -> Result<Decoded, String> {
    let decoded = match wire_format {
        WireFormat::Anthropic => anthropic::decode(kind, body),
        WireFormat::Responses => responses::decode(body),
        WireFormat::Chat => chat::decode(body),
    }?;
    let messages: Vec<Message> = decoded.request.messages.iter().map(|it| Message::clone(it)).collect();
    if messages.is_empty() {
        return Err("there is no message".to_owned());
    }
    pairs::check(&joined(messages))?;
    Ok(decoded)
}

/// The text as this type; what is wrong is said with its place.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("the body cannot be read: {error}"))
}

/// A list; where the wire has a text instead, it stands for a list of one block of words.
fn texts_or_list<T: DeserializeOwned>(value: Value, of_text: fn(String) -> T) -> Result<Vec<T>, String> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![of_text(text)]),
        list => serde_json::from_value(list).map_err(|error| error.to_string()),
    }
}

/// Messages of the same role one after the other are one; answers stay apart.
pub(crate) fn joined(messages: Vec<Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::new();
    for message in messages {
        match (joined.last_mut(), message) {
            (Some(Message::User(before)), Message::User(blocks)) => before.extend(blocks),
            (_, message) => joined.push(message),
        }
    }
    joined
}

/// Adds a block of the person's or the program's.
fn push_user(messages: &mut Vec<Message>, block: UserBlock) {
    match messages.last_mut() {
        Some(Message::User(blocks)) => blocks.push(block),
        _ => messages.push(Message::User(vec![block])),
    }
}

/// Adds a block of the model's.
fn push_answer(messages: &mut Vec<Message>, block: AnswerBlock) {
    match messages.last_mut() {
        Some(Message::Assistant(blocks)) => blocks.push(block),
        _ => messages.push(Message::Assistant(vec![block])),
    }
}

/// What a service takes as names and ids; letters, digits, `_` and `-` are taken by all.
struct NameLimits {
    name: usize,
    id: usize,
    any_id: bool,
}

fn call(limits: &NameLimits, id: String, name: String, input: Value) -> Result<AnswerBlock, String> {
    named(limits, "the name of a called tool", &name)?;
    // What a gateway keeps in an id is for the gateway, which takes it out.
    let kept_by_gateway = id.contains("__thought__") && limits.any_id;
    if !kept_by_gateway && !(1..=limits.id).contains(&id.chars().count()) {
        return Err(format!("the id `{id}` of a call to `{name}` is empty or too long"));
    }
    if !limits.any_id && !id.chars().all(plain) {
        return Err(format!("the id `{id}` may have letters, digits, `_` and `-`"));
    }
    Ok(AnswerBlock::ToolUse(ToolCall { id: CallId(id), name, input: whole(input)? }))
}

/// The input of a call as the conversation has it: what was no object travels in one, under a name that no tool has.
fn whole(input: Value) -> Result<Value, String> {
    let Value::Object(mut fields) = input else {
        return Err(format!("the input of a call is not an object: {input}"));
    };
    match fields.remove("invalid_json") {
        Some(Value::String(text)) if fields.is_empty() => {
            // What was JSON, but no object, is as it was before it was put into one.
            Ok(match serde_json::from_str(&text) {
                // An object is put into one only where it was refused, as text.
                Ok(Value::String(_) | Value::Object(_)) | Err(_) => Value::String(text),
                Ok(other) => other,
            })
        }
        Some(other) => Err(format!("an input with `invalid_json` is malformed: {other}")),
        None => Ok(Value::Object(fields)),
    }
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn named(limits: &NameLimits, what: &str, name: &str) -> Result<(), String> {
    let most = limits.name;
    if (1..=most).contains(&name.len()) && name.chars().all(plain) {
        return Ok(());
    }
    Err(format!("{what} is `{name}`; it may have 1 to {most} letters, digits, `_` and `-`"))
}

fn tool(
    limits: &NameLimits,
    name: String,
    description: String,
    input_schema: Value,
) -> Result<ToolSpec, String> {
    named(limits, "the name of a tool", &name)?;
    if input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!(
            "the schema of the tool `{name}` does not have the type `object`: {input_schema}"
        ));
    }
    Ok(ToolSpec { name, description, input_schema })
}

fn words(text: String) -> Result<String, String> {
    if text.trim().is_empty() { Err("a text block is empty".to_owned()) } else { Ok(text) }
}

/// The type and the bytes in `data:TYPE;base64,BYTES`.
fn picture(url: &str) -> Result<(String, String), String> {
    let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (media_type, data) = parts.ok_or_else(|| format!("an image is not a `data:` URL: {url:.40}"))?;
    Ok((media_type.to_owned(), data.to_owned()))
}

fn request(model: String, system: Vec<String>, tools: Vec<ToolSpec>, messages: Vec<Message>) -> Request {
    Request {
        model,
        system: Arc::new(WireCached::new(system)),
        tools: Arc::new(WireCached::new(tools)),
        messages: Arc::new(messages.into_iter().map(|message| Arc::new(WireCached::new(message))).collect()),
        cache_ttl: CacheTtl::Short,
        previous_body: Arc::default(),
    }
}

/// The seals and the ids of the calls of each answer in a conversation.
pub(super) fn answers(request: &Request) -> impl Iterator<Item = (Vec<String>, Vec<String>)> {
    request.messages.iter().filter_map(|message| match &***message {
        Message::User(_) => None,
        Message::Assistant(blocks) => {
            let seals = blocks.iter().filter_map(seal_of).collect();
            let call = |block: &AnswerBlock| match block {
                AnswerBlock::ToolUse(call) => Some(call.id.0.clone()),
                _ => None,
            };
            Some((seals, blocks.iter().filter_map(call).collect()))
        }
    })
}

fn seal_of(block: &AnswerBlock) -> Option<String> {
    match block {
        AnswerBlock::Thinking { signature, .. } => Some(signature.clone()),
        AnswerBlock::Opaque { item, .. } => Some(item.get("encrypted_content")?.as_str()?.to_owned()),
        AnswerBlock::Text { .. } | AnswerBlock::ToolUse(_) => None,
    }
}

/// Takes the marks for the cache out of a value, and says how many there were.
fn unmarked(value: &mut Value) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(unmarked).sum(),
        Value::Object(fields) => {
            let own = usize::from(fields.remove("cache_control").is_some());
            // What a model or a tool wrote is not ours to look into.
            let deeper = fields.iter_mut().filter(|(key, _)| *key == "content");
            own + deeper.map(|(_, value)| unmarked(value)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn sealed(thinking: &str, seal: &str) -> Result<(), String> {
    seal::check(thinking, seal)
}

/// Types of pictures that all three servers take.
fn picture_type(media_type: String) -> Result<String, String> {
    match media_type.as_str() {
        "image/jpeg" | "image/png" | "image/gif" | "image/webp" => Ok(media_type),
        _ => Err(format!("an image has the type `{media_type}`")),
    }
}

#[cfg(test)]
mod tests;
