//! The events of an answer as they come. Texts are borrowed from the event: one copy is made, into what is handed on.

use std::borrow::Cow;

use forelook_protocol::StopReason;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::tokens::count;

/// What every event says of itself; servers that are only compatible may leave it out of an error.
#[derive(Debug, Deserialize)]
pub(super) struct Typed<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Option<Text<'a>>,
    pub(super) error: Option<IgnoredAny>,
}

/// A text that is borrowed where it can be. `Option<Cow<str>>` would always be copied.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

#[derive(Debug, Deserialize)]
pub(super) struct MessageStart<'a> {
    #[serde(borrow)]
    pub(super) message: Message<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<Text<'a>>,
    pub(super) usage: Option<Counts>,
}

/// Tokens so far. What is missing or null has not changed.
#[derive(Debug, Deserialize)]
pub(super) struct Counts {
    #[serde(default, deserialize_with = "count")]
    pub(super) input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(super) output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub(super) cache_read_input_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockStart<'a> {
    pub(super) index: u64,
    /// As it came: a block of an unknown kind is kept whole.
    #[serde(borrow)]
    pub(super) content_block: &'a RawValue,
}

/// What is read of a block when it begins.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) signature: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockDelta<'a> {
    pub(super) index: u64,
    #[serde(borrow)]
    pub(super) delta: Delta<'a>,
}

/// All kinds of deltas in one: a tagged enum would copy the whole event before it knows which it is.
#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) signature: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) partial_json: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockStop {
    pub(super) index: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageDelta<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Ending<'a>>,
    pub(super) usage: Option<Counts>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ending<'a> {
    #[serde(borrow)]
    pub(super) stop_reason: Option<Text<'a>>,
}

/// One piece of a block.
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Thinking(Cow<'a, str>),
    Signature(Cow<'a, str>),
    Input(Cow<'a, str>),
    /// Where words come from; nothing here shows it.
    Citation,
    Unknown(Cow<'a, str>),
}

impl<'a> Piece<'a> {
    /// Nothing where what its kind promises is missing.
    pub(super) fn of(delta: Delta<'a>) -> Option<Self> {
        Some(match &*delta.kind {
            "text_delta" => Piece::Text(delta.text?.0),
            "thinking_delta" => Piece::Thinking(delta.thinking?.0),
            "signature_delta" => Piece::Signature(delta.signature?.0),
            "input_json_delta" => Piece::Input(delta.partial_json?.0),
            "citations_delta" => Piece::Citation,
            _ => Piece::Unknown(delta.kind),
        })
    }

    /// Whether there is nothing in it, which the first piece of an input often is.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Piece::Text(text) | Piece::Thinking(text) | Piece::Signature(text) | Piece::Input(text) => {
                text.is_empty()
            }
            Piece::Citation | Piece::Unknown(_) => false,
        }
    }
}

/// Why the model stopped.
pub(super) fn stop(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::Paused,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::WindowFull,
        _ => {
            tracing::warn!(reason, "an unknown stop reason");
            StopReason::EndTurn
        }
    }
}
