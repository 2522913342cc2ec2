//! The conversation as the engine stores it. Providers translate it to their wire format for each request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, ToolCall};

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", content = "blocks", rename_all = "snake_case")]
pub enum Message {
    /// From the user and Forelook: text, images, and tool results.
    User(Vec<UserBlock>),
    /// From the model.
    Assistant(Vec<AnswerBlock>),
}

/// A part of the model's input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
    /// The result of a call.
    ToolResult(ToolResult),
}

impl UserBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        UserBlock::Text { text: text.into() }
    }
}

/// A part of the model's response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerBlock {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, sent back unchanged with its signature.
    Thinking {
        /// The thinking, as far as the provider reveals it.
        thinking: String,
        /// The provider's signature; empty if there is none.
        #[serde(default)]
        signature: String,
    },
    /// A block that only its provider understands (such as hidden thinking). It is sent back unchanged to that provider
    /// and left out for all others.
    Opaque {
        /// The wire format it came in.
        wire_format: String,
        /// As received.
        item: Value,
    },
    /// A tool call.
    ToolUse(ToolCall),
}

/// The result of a call, as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// The call it answers.
    #[serde(rename = "tool_use_id")]
    pub call: CallId,
    /// The parts of the result.
    pub content: Vec<ResultBlock>,
    /// Whether the call failed or was denied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A successful result with this text.
    pub fn ok(call: CallId, text: impl Into<String>) -> Self {
        Self { call, content: vec![ResultBlock::text(text)], is_error: false }
    }

    /// A failure with this text, written for the model: what happened, and what to do next.
    pub fn error(call: CallId, text: impl Into<String>) -> Self {
        Self { call, content: vec![ResultBlock::text(text)], is_error: true }
    }

    /// All text of the result.
    pub fn text(&self) -> String {
        let words: Vec<&str> = self
            .content
            .iter()
            .filter_map(|part| match part {
                ResultBlock::Text { text } => Some(text.as_str()),
                ResultBlock::Image { .. } => None,
            })
            .collect();
        words.join("\n")
    }
}

/// A part of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResultBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The media type, such as `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
}

impl ResultBlock {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        ResultBlock::Text { text: text.into() }
    }
}
