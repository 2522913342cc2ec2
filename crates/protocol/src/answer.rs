//! The events of a streaming model response.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CallId;

/// A part of the model's response. A stream of these ends with exactly one [`AnswerEvent::Done`] or
/// [`AnswerEvent::Failed`]: failures are data, and no error crosses this boundary any other way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerEvent {
    /// The response starts.
    Started {
        /// The provider's ID of the message.
        id: String,
        /// The model that actually responds.
        model: String,
    },
    /// A new text block; its number counts all blocks of the response.
    TextStarted,
    /// More text for the open block.
    Text {
        /// The text.
        text: String,
    },
    /// A new block of thinking.
    ThinkingStarted,
    /// More thinking for the open block.
    Thinking {
        /// The thinking.
        text: String,
    },
    /// The signature of the open thinking block.
    Signature {
        /// As the provider sent it.
        signature: String,
    },
    /// A new tool call.
    CallStarted {
        /// The ID of the call.
        id: CallId,
        /// The tool's name.
        name: String,
    },
    /// More of the JSON input of the open call.
    Input {
        /// A piece of JSON text, split anywhere.
        json: String,
    },
    /// A complete block that only its provider can read.
    Opaque {
        /// The wire format it came in.
        wire_format: String,
        /// As received.
        item: Value,
    },
    /// The open block is complete.
    BlockEnded,
    /// Discard what has arrived of the response; the request is retried.
    Retrying(Retry),
    /// The response is complete.
    Done {
        /// Why the model stopped.
        stop: StopReason,
        /// The tokens it used.
        usage: Usage,
    },
    /// The response failed and will not be completed.
    Failed(ProviderFailure),
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It finished its turn.
    EndTurn,
    /// It is waiting for tool results.
    ToolUse,
    /// The response reached the output limit.
    MaxTokens,
    /// It refused.
    Refusal,
    /// It paused and wants to continue: the same conversation, including this response, is sent again.
    Paused,
    /// The context window is full.
    WindowFull,
    /// The user stopped it; its text so far is kept, its unfinished calls are not.
    Interrupted,
}

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Input tokens at full price.
    #[serde(default)]
    pub input_tokens: u64,
    /// Output tokens.
    #[serde(default)]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    pub cache_read_input_tokens: u64,
    /// Written to the provider's cache.
    #[serde(default)]
    pub cache_creation_input_tokens: u64,
}

// Counts come from servers and from journals, and may be as large as a number can be: no sum of them may overflow.
impl Usage {
    /// All tokens of the input, whatever their price.
    pub fn input(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_read_input_tokens)
            .saturating_add(self.cache_creation_input_tokens)
    }

    /// All tokens, whatever their price.
    pub fn total(&self) -> u64 {
        self.input().saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let pairs = [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cache_read_input_tokens, other.cache_read_input_tokens),
            (&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens),
        ];
        for (sum, more) in pairs {
            *sum = sum.saturating_add(more);
        }
    }
}

/// A retry of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Why the previous attempt failed.
    pub failure: ProviderFailure,
    /// The number of this attempt; the first was 1.
    pub attempt: u32,
    /// The maximum number of attempts.
    pub max_attempts: u32,
    /// The delay before it.
    pub wait_ms: u64,
    /// The fallback model, as `provider/name`, if a different one is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct ProviderFailure {
    /// The kind of failure; decides whether to retry.
    pub kind: FailureKind,
    /// For the user: what happened.
    pub message: String,
    /// For the user: what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The HTTP status of the server's response, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the server asks the client to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ProviderFailure {
    /// A failure with a message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, status: None, retry_after_ms: None }
    }

    /// Adds what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The key is missing or wrong.
    Authentication,
    /// The request itself is invalid; retrying would not help.
    BadRequest,
    /// Too many requests from this client.
    RateLimited,
    /// The server is overloaded.
    Overloaded,
    /// The server failed, or another request conflicted.
    Server,
    /// The connection failed or was lost.
    Connection,
    /// The server sent nothing for too long.
    Silence,
    /// The server sent something invalid.
    Garbled,
    /// The conversation exceeds the model's context window.
    ContextOverflow,
    /// A scripted model reached the end of its script.
    ScriptEnded,
}

impl FailureKind {
    /// Whether the same request is likely to succeed a little later.
    pub fn is_transient(self) -> bool {
        match self {
            FailureKind::RateLimited
            | FailureKind::Overloaded
            | FailureKind::Server
            | FailureKind::Connection
            | FailureKind::Silence => true,
            FailureKind::Authentication
            | FailureKind::BadRequest
            | FailureKind::Garbled
            | FailureKind::ContextOverflow
            | FailureKind::ScriptEnded => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sum_of_counts_overflows() {
        let huge = |tokens| Usage {
            input_tokens: tokens,
            output_tokens: tokens,
            cache_read_input_tokens: tokens,
            cache_creation_input_tokens: tokens,
        };
        for tokens in [u64::MAX, u64::MAX / 2 + 1] {
            let mut sum = huge(tokens);
            sum += huge(tokens);
            assert_eq!(sum, huge(u64::MAX));
            assert_eq!((sum.input(), sum.total()), (u64::MAX, u64::MAX));
        }
        assert_eq!((huge(1).input(), huge(1).total()), (3, 4));
    }
}
