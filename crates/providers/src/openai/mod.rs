//! What the two dialects of OpenAI's have in common: how requests are put together, how blocks are kept apart, what
//! errors and token counts mean.

mod blocks;
mod dialect;
mod failure;
mod lenient;
#[cfg(test)]
pub(crate) mod testing;
mod usage;

use std::borrow::Cow;

use bytes::Bytes;
use forelook_protocol::{AnswerBlock, CallId, Message, ResultBlock, Secret, UserBlock};
use serde::Serialize;
use serde_json::Value;

pub(crate) use blocks::{BlockKind, Blocks};
pub(crate) use dialect::OpenAi;
pub(crate) use failure::{garbled, read_failure, stream_failure};
pub(crate) use lenient::{LenientText, nullable};
pub(crate) use usage::read_usage;

use crate::names::{NameRules, is_gateway_id};
use crate::previous_body::BodyParts;
use crate::{ModelFacts, Request, WireCached, WireFormat};

/// The head of a request to whom a key is shown as a bearer's.
fn bearer(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
}

/// What the asked model takes. What is kept of a message is what most take; a message that this model would not take so
/// is made anew, which is rare and keeps all others at a copy of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputSupport {
    /// It can see pictures.
    pub(crate) images: bool,
    /// It takes back thinking that only its maker can read.
    pub(crate) sealed: bool,
    /// It takes no answer of its own back without the thinking before it.
    pub(crate) thinking: bool,
    /// It may be behind a gateway that keeps something of its own in the ids of calls.
    pub(crate) gateway_ids: bool,
}

impl InputSupport {
    /// What most take, and what is kept.
    pub(crate) const DEFAULT: InputSupport =
        InputSupport { images: true, sealed: true, thinking: false, gateway_ids: true };

    fn can_use_cached(self, message: &Message) -> bool {
        let ids = self.gateway_ids || !has_gateway_id(message);
        ids && match message {
            Message::User(_) => self.images || !has_image(message),
            Message::Assistant(_) => !self.thinking && (self.sealed || !has_sealed(message)),
        }
    }

    /// The id of a call as this model takes it.
    pub(crate) fn id<'a>(self, rules: &NameRules, call: &'a CallId) -> Cow<'a, str> {
        if self.gateway_ids && is_gateway_id(&call.0) {
            return Cow::Borrowed(&call.0);
        }
        rules.id(&call.0)
    }
}

/// Whether this is a model on OpenAI's own servers. The open models of OpenAI's run anywhere; a gateway writes the maker
/// before the name.
pub(crate) fn names_openai(model: &str) -> bool {
    let own = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"];
    own.iter().any(|start| model.starts_with(start)) && !model.starts_with("gpt-oss")
}

fn has_gateway_id(message: &Message) -> bool {
    match message {
        Message::User(blocks) => blocks.iter().any(|block| match block {
            UserBlock::ToolResult(result) => is_gateway_id(&result.call.0),
            UserBlock::Text { .. } | UserBlock::Image { .. } => false,
        }),
        Message::Assistant(blocks) => blocks.iter().any(|block| match block {
            AnswerBlock::ToolUse(call) => is_gateway_id(&call.id.0),
            AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => false,
        }),
    }
}

fn has_image(message: &Message) -> bool {
    let Message::User(blocks) = message else { return false };
    blocks.iter().any(|block| match block {
        UserBlock::Text { .. } => false,
        UserBlock::Image { .. } => true,
        UserBlock::ToolResult(result) => contains_image(&result.content),
    })
}

/// Whether a result has a picture in it.
pub(crate) fn contains_image(parts: &[ResultBlock]) -> bool {
    parts.iter().any(|part| matches!(part, ResultBlock::Image { .. }))
}

fn has_sealed(message: &Message) -> bool {
    let Message::Assistant(blocks) = message else { return false };
    blocks.iter().any(|block| matches!(block, AnswerBlock::Opaque { .. }))
}

/// How a dialect writes a conversation.
#[derive(Clone, Copy)]
pub(crate) struct ItemEncoder {
    /// A message by itself.
    pub(crate) items: fn(&Message, InputSupport) -> String,
    /// A message behind an answer, where that answer changes how it is written; nothing where it does not.
    pub(crate) items_behind: fn(&Message, &Message, InputSupport) -> Option<String>,
}

/// A body whose last field is the conversation, as its dialect writes it. That it is the last makes a whole body, but for
/// its end, the beginning of the next one.
pub(crate) fn body<'a>(
    request: &'a Request,
    facts: &'a ModelFacts,
    wire_format: WireFormat,
    head: String,
    (support, encoder): (InputSupport, ItemEncoder),
) -> Bytes {
    let messages = &request.messages;
    let piece = |at: usize, message: &'a WireCached<Message>| {
        let before = at.checked_sub(1).and_then(|before| messages.get(before));
        if let Some(items) = before.and_then(|before| (encoder.items_behind)(before, message, support)) {
            return Cow::Owned(items);
        }
        if support.can_use_cached(message) {
            Cow::Borrowed(
                message.wire(wire_format, |message| (encoder.items)(message, InputSupport::DEFAULT)),
            )
        } else {
            Cow::Owned((encoder.items)(message, support))
        }
    };
    request.previous_body.next(BodyParts {
        wire_format,
        facts,
        head,
        messages,
        stable: messages.len(),
        piece,
    })
}

/// The beginning of a body, up to where the conversation begins.
pub(crate) fn head(head: &impl Serialize, more: &[(&str, &str)], conversation: &str) -> String {
    let mut text = json(head);
    text.pop();
    for (key, value) in more {
        text.extend([",\"", key, "\":", value]);
    }
    text.extend([",\"", conversation, "\":["]);
    text
}

/// As JSON text.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| {
        // Only a map with keys that are no strings cannot be written, and there is none here.
        tracing::error!(%error, "cannot encode as JSON");
        String::new()
    })
}

/// Items of a wire, joined by commas.
#[derive(Debug, Default)]
pub(crate) struct Fragment(String);

impl Fragment {
    /// The items of a message: what was given to the model, or what it said.
    pub(crate) fn of(
        message: &Message,
        support: InputSupport,
        user_items: fn(&[UserBlock], InputSupport, &mut Self),
        assistant_items: fn(&[AnswerBlock], InputSupport, &mut Self),
    ) -> String {
        let mut fragment = Self::default();
        match message {
            Message::User(blocks) => user_items(blocks, support, &mut fragment),
            Message::Assistant(blocks) => assistant_items(blocks, support, &mut fragment),
        }
        fragment.into_items()
    }

    /// What was added.
    pub(crate) fn into_items(self) -> String {
        self.0
    }

    /// Adds an item.
    pub(crate) fn push(&mut self, item: &impl Serialize) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&json(item));
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
pub(crate) fn image_placeholder(media_type: &str) -> String {
    format!("[An image ({media_type}) was omitted: this model does not support images]")
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
