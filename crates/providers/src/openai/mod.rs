//! What the two dialects of OpenAI's have in common: how requests are put together, how blocks are kept apart, what
//! errors and token counts mean.

mod blocks;
mod failure;
mod loose;
#[cfg(test)]
pub(crate) mod testing;
mod usage;

use std::borrow::Cow;

use forelook_protocol::{AnswerBlock, Message, Part, Secret, UserBlock};
use serde::Serialize;
use serde_json::Value;

pub(crate) use blocks::{Blocks, Kind};
pub(crate) use failure::{broke_off, garbled, inside, read_failure};
pub(crate) use loose::{Loose, nullable};
pub(crate) use usage::read_usage;

use crate::request::room_for;
use crate::{Form, Request};

/// The head of a request to whom a key is shown as a bearer's.
pub(crate) fn bearer(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
}

/// What the asked model takes. What is kept of a message is what most take; a message that this model would not take so
/// is made anew, which is rare and keeps all others at a copy of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes {
    /// It can see pictures.
    pub(crate) pictures: bool,
    /// It takes back thinking that only its maker can read.
    pub(crate) sealed: bool,
    /// It takes no answer of its own back without the thinking before it.
    pub(crate) thinking: bool,
}

impl Takes {
    /// What most take, and what is kept.
    pub(crate) const USUAL: Takes = Takes { pictures: true, sealed: true, thinking: false };

    fn as_usual(self, message: &Message) -> bool {
        match message {
            Message::User(_) => self.pictures || !has_picture(message),
            Message::Assistant(_) => !self.thinking && (self.sealed || !has_sealed(message)),
        }
    }
}

fn has_picture(message: &Message) -> bool {
    let Message::User(blocks) = message else { return false };
    blocks.iter().any(|block| match block {
        UserBlock::Text { .. } => false,
        UserBlock::Image { .. } => true,
        UserBlock::ToolResult(result) => shows_picture(&result.content),
    })
}

/// Whether a result has a picture in it.
pub(crate) fn shows_picture(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Image { .. }))
}

fn has_sealed(message: &Message) -> bool {
    let Message::Assistant(blocks) = message else { return false };
    blocks.iter().any(|block| matches!(block, AnswerBlock::Sealed { .. }))
}

/// All messages of a request, as their dialect's `make` writes them, joined by commas. Each is written once and copied
/// from then on.
pub(crate) fn conversation(
    request: &Request,
    form: Form,
    takes: Takes,
    make: fn(&Message, Takes) -> String,
) -> Vec<Cow<'_, str>> {
    let fragments = request.messages.iter().map(|message| {
        if takes.as_usual(message) {
            Cow::Borrowed(message.wire(form, |message| make(message, Takes::USUAL)))
        } else {
            Cow::Owned(make(message, takes))
        }
    });
    fragments.filter(|fragment| !fragment.is_empty()).collect()
}

/// A body whose last field is the list `name` of these items. That it is the last makes a whole body, but for its end,
/// the beginning of the next one.
pub(crate) fn body(
    head: &impl Serialize,
    more: &[(&str, &str)],
    name: &str,
    items: &[Cow<'_, str>],
) -> Vec<u8> {
    let head = json(head);
    let head = head.strip_suffix('}').unwrap_or(&head);
    let items_size: usize = items.iter().map(|item| item.len() + 1).sum();
    let more_size: usize = more.iter().map(|(key, value)| key.len() + value.len() + 4).sum();
    let mut body = Vec::with_capacity(room_for(head.len() + more_size + name.len() + items_size + 8));
    body.extend_from_slice(head.as_bytes());
    for (key, value) in more {
        for piece in [",\"", key, "\":", value] {
            body.extend_from_slice(piece.as_bytes());
        }
    }
    for piece in [",\"", name, "\":["] {
        body.extend_from_slice(piece.as_bytes());
    }
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        body.extend_from_slice(item.as_bytes());
    }
    body.extend_from_slice(b"]}");
    body
}

/// As JSON text.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| {
        // Only a map with keys that are no strings cannot be written, and there is none here.
        tracing::error!(%error, "something cannot be written as JSON");
        String::new()
    })
}

/// Items of a wire, joined by commas.
#[derive(Debug, Default)]
pub(crate) struct Fragment(String);

impl Fragment {
    /// Adds an item.
    pub(crate) fn push(&mut self, item: &impl Serialize) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&json(item));
    }

    /// All of them.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// The input of a call as JSON text of an object. Servers that lay a conversation out by a template read this text, and
/// refuse the whole conversation if it is anything else: what was no object is put into one.
pub(crate) fn arguments(input: &Value) -> String {
    match input {
        Value::Object(_) => json(input),
        Value::String(text) => json(&serde_json::json!({ "invalid_json": text })),
        other => json(&serde_json::json!({ "invalid_json": other.to_string() })),
    }
}

/// A picture as a link that holds it.
pub(crate) fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

/// What stands for a picture before a model that cannot see it.
pub(crate) fn unseen(media_type: &str) -> String {
    format!("[A picture ({media_type}) was here. This model cannot see pictures.]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_as_a_bearer_and_no_key_not_at_all() {
        assert_eq!(bearer(Some(&Secret::new("k-1"))), [("authorization", "Bearer k-1".to_owned())]);
        assert!(bearer(None).is_empty());
    }

    #[test]
    fn arguments_are_always_an_object() {
        assert_eq!(arguments(&serde_json::json!({"b": 1, "a": [2]})), r#"{"b":1,"a":[2]}"#);
        assert_eq!(arguments(&Value::String("{\"a\": ".into())), r#"{"invalid_json":"{\"a\": "}"#);
        assert_eq!(arguments(&serde_json::json!([1])), r#"{"invalid_json":"[1]"}"#);
        assert_eq!(arguments(&Value::Null), r#"{"invalid_json":"null"}"#);
    }
}
