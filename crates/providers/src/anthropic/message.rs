//! One message as bytes. They are made once and kept, so nothing in them may depend on the request they go into.

use std::borrow::Cow;

use forelook_protocol::{AnswerBlock, Message, ResultBlock, ToolResult, UserBlock};
use serde::Serialize;
use serde_json::Value;

use crate::names::ANTHROPIC;
use crate::{Capability, WireCached, WireFormat};

/// Pictures that this wire takes.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The message's bytes; empty where nothing of it can be sent, and then it is left out. Two messages of one role in a
/// row are fine: the server joins them.
pub(super) fn bytes(message: &WireCached<Message>, images: Capability) -> Cow<'_, str> {
    // What a model that sees no pictures is sent is not kept: the same conversation may go on with one that does.
    if images == Capability::Absent && has_image(message) {
        return Cow::Owned(encode(message, Capability::Absent));
    }
    Cow::Borrowed(message.wire(WireFormat::Anthropic, |message| encode(message, Capability::Assumed)))
}

/// Whether the message is sent and its last block may carry a mark: thinking may not, and of what is sealed nobody
/// knows.
pub(super) fn accepts_breakpoint(message: &Message) -> bool {
    match message {
        Message::User(blocks) => blocks.iter().any(|block| user_block(block, Capability::Assumed).is_some()),
        Message::Assistant(blocks) => {
            let last = sent_blocks(blocks).last();
            matches!(last, Some(AnswerBlock::Text { .. } | AnswerBlock::ToolUse(_)))
        }
    }
}

/// Blocks of words, as the system prompt has them; empty where there are none.
pub(super) fn texts(blocks: &[String]) -> String {
    let blocks: Vec<Block<'_>> = blocks.iter().filter_map(|text| text_block(text)).collect();
    if blocks.is_empty() { String::new() } else { json(&blocks) }
}

fn encode(message: &Message, images: Capability) -> String {
    let (role, content): (_, Vec<_>) = match message {
        Message::User(blocks) => ("user", user_blocks(blocks, images)),
        Message::Assistant(blocks) => ("assistant", answer_blocks(blocks)),
    };
    if content.is_empty() { String::new() } else { json(&WireMessage { role, content }) }
}

/// Nothing that is written here can fail: keys are strings, and memory is the only place it goes to.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Results come before everything else in their message, or the server does not find them.
fn user_blocks(blocks: &[UserBlock], images: Capability) -> Vec<Block<'_>> {
    let (results, others): (Vec<_>, Vec<_>) =
        blocks.iter().partition(|block| matches!(block, UserBlock::ToolResult(_)));
    results.into_iter().chain(others).filter_map(|block| user_block(block, images)).collect()
}

fn user_block(block: &UserBlock, images: Capability) -> Option<Block<'_>> {
    match block {
        UserBlock::Text { text } => text_block(text),
        UserBlock::Image { media_type, data } => Some(image_block(media_type, data, images)),
        UserBlock::ToolResult(result) => Some(tool_result(result, images)),
    }
}

fn tool_result(result: &ToolResult, images: Capability) -> Block<'_> {
    let content = result.content.iter().filter_map(|part| match part {
        ResultBlock::Text { text } => text_block(text),
        ResultBlock::Image { media_type, data } => Some(image_block(media_type, data, images)),
    });
    Block::ToolResult {
        tool_use_id: ANTHROPIC.id(&result.call.0),
        content: content.collect(),
        is_error: result.is_error,
    }
}

/// Servers refuse a text with nothing in it, and with it the whole request.
fn text_block(text: &str) -> Option<Block<'_>> {
    (!text.trim().is_empty()).then_some(Block::Text { text: Cow::Borrowed(text) })
}

fn image_block<'a>(media_type: &'a str, data: &'a str, images: Capability) -> Block<'a> {
    let why = match images {
        Capability::Absent => "this model does not support images",
        Capability::Assumed if IMAGE_TYPES.contains(&media_type) => {
            return Block::Image { source: Source { kind: "base64", media_type, data } };
        }
        Capability::Assumed => "this model does not support this image type",
    };
    Block::Text { text: Cow::Owned(format!("[An image ({media_type}) was omitted: {why}]")) }
}

/// The blocks of an answer that are sent back. Thinking that led to nothing is left out: the server refuses a message that
/// ends with it, and with that every later request.
fn sent_blocks(blocks: &[AnswerBlock]) -> impl Iterator<Item = &AnswerBlock> {
    let says = |block: &AnswerBlock| answer_block(block).is_some() && !is_thinking(block);
    let end = blocks.iter().rposition(says).map_or(0, |last| last + 1);
    blocks.iter().take(end).filter(|block| answer_block(block).is_some())
}

/// The server refuses a last message that ends with white space, as an answer that was paused may.
fn answer_blocks(blocks: &[AnswerBlock]) -> Vec<Block<'_>> {
    let mut sent: Vec<Block<'_>> = sent_blocks(blocks).filter_map(answer_block).collect();
    if let (Some(Block::Text { text }), Some(AnswerBlock::Text { text: said })) =
        (sent.last_mut(), sent_blocks(blocks).last())
    {
        *text = Cow::Borrowed(said.trim_end());
    }
    sent
}

fn is_thinking(block: &AnswerBlock) -> bool {
    match block {
        AnswerBlock::Thinking { .. } => true,
        AnswerBlock::Opaque { item, .. } => {
            let kind = item.get("type").and_then(Value::as_str);
            matches!(kind, Some("thinking" | "redacted_thinking"))
        }
        AnswerBlock::Text { .. } | AnswerBlock::ToolUse(_) => false,
    }
}

fn answer_block(block: &AnswerBlock) -> Option<Block<'_>> {
    match block {
        AnswerBlock::Text { text } => text_block(text),
        // Without a signature it is another provider's, and the server would refuse it.
        AnswerBlock::Thinking { signature, .. } if signature.is_empty() => None,
        AnswerBlock::Thinking { thinking, signature } => Some(Block::Thinking { thinking, signature }),
        AnswerBlock::Opaque { wire_format: by, item } => {
            (by == WireFormat::Anthropic.name() && item.is_object()).then_some(Block::Sealed(item))
        }
        AnswerBlock::ToolUse(call) => Some(Block::ToolUse {
            id: ANTHROPIC.id(&call.id.0),
            name: ANTHROPIC.name(&call.name),
            input: Input::of(&call.input),
        }),
    }
}

fn has_image(message: &Message) -> bool {
    let Message::User(blocks) = message else { return false };
    blocks.iter().any(|block| match block {
        UserBlock::Text { .. } => false,
        UserBlock::Image { .. } => true,
        UserBlock::ToolResult(result) => {
            result.content.iter().any(|part| matches!(part, ResultBlock::Image { .. }))
        }
    })
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Input<'a>,
    },
    #[serde(untagged)]
    Sealed(&'a Value),
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    Whole(&'a Value),
    /// The server wants an object; the model still sees what it wrote.
    Broken {
        invalid_json: Cow<'a, str>,
    },
}

impl<'a> Input<'a> {
    fn of(input: &'a Value) -> Self {
        match input {
            Value::Object(_) => Input::Whole(input),
            Value::String(text) => Input::Broken { invalid_json: Cow::Borrowed(text) },
            other => Input::Broken { invalid_json: Cow::Owned(other.to_string()) },
        }
    }
}
