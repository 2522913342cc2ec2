//! The conversation as the engine keeps it; providers translate it to their wire at the call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, ToolCall};

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", content = "blocks", rename_all = "snake_case")]
pub enum Message {
    /// From the person and the program: words, pictures, results of calls.
    User(Vec<UserBlock>),
    /// From the model.
    Assistant(Vec<AnswerBlock>),
}

/// A piece of what the model is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture, base64.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// Base64 of the bytes.
        data: String,
    },
    /// What a call came to.
    ToolResult(ToolResult),
}

impl UserBlock {
    /// A block of words.
    pub fn text(text: impl Into<String>) -> Self {
        UserBlock::Text { text: text.into() }
    }
}

/// A piece of what the model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerBlock {
    /// Words for the person.
    Text {
        /// The words.
        text: String,
    },
    /// Thinking, sent back unchanged with its signature.
    Thinking {
        /// The thinking, as far as the provider shows it.
        thinking: String,
        /// The provider's proof that it is its own; empty where there is none.
        #[serde(default)]
        signature: String,
    },
    /// Something of the provider's own (thinking that it hides), sent back unchanged to whom it came from, and left out
    /// for anybody else.
    Sealed {
        /// The form of wire that it came by.
        by: String,
        /// As it came.
        item: Value,
    },
    /// Something the model wants done.
    ToolUse(ToolCall),
}

/// What a call came to, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// The call it answers.
    #[serde(rename = "tool_use_id")]
    pub call: CallId,
    /// The result, piece by piece.
    pub content: Vec<Part>,
    /// Whether the call failed or was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A result in words.
    pub fn ok(call: CallId, text: impl Into<String>) -> Self {
        Self { call, content: vec![Part::text(text)], is_error: false }
    }

    /// A failure in words, written for the model: what happened and what to do next.
    pub fn error(call: CallId, text: impl Into<String>) -> Self {
        Self { call, content: vec![Part::text(text)], is_error: true }
    }

    /// All words of the result.
    pub fn text(&self) -> String {
        let words: Vec<&str> = self
            .content
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::Image { .. } => None,
            })
            .collect();
        words.join("\n")
    }
}

/// A piece of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture, base64.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// Base64 of the bytes.
        data: String,
    },
}

impl Part {
    /// A piece of words.
    pub fn text(text: impl Into<String>) -> Self {
        Part::Text { text: text.into() }
    }
}
