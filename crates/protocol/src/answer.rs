//! What a model's answer is made of while it arrives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CallId;

/// A piece of an answer. A stream of these ends with exactly one [`AnswerEvent::Done`] or
/// [`AnswerEvent::Failed`]: failures are data, nothing is thrown across this boundary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerEvent {
    /// The answer begins.
    Started {
        /// The provider's id of the message.
        id: String,
        /// The model that really answers.
        model: String,
    },
    /// A new block of words; its number counts all blocks of the answer.
    TextStarted,
    /// More words for the block that is open.
    Text {
        /// The words.
        text: String,
    },
    /// A new block of thinking.
    ThinkingStarted,
    /// More thinking for the block that is open.
    Thinking {
        /// The thinking.
        text: String,
    },
    /// The signature of the thinking block that is open.
    Signature {
        /// As the provider sent it.
        signature: String,
    },
    /// A new call.
    CallStarted {
        /// The call's id.
        id: CallId,
        /// The tool's name.
        name: String,
    },
    /// More of the JSON text of the input of the call that is open.
    Input {
        /// A piece of JSON text, cut anywhere.
        json: String,
    },
    /// A whole block that only its provider can read.
    Sealed {
        /// The form of wire that it came by.
        by: String,
        /// As it came.
        item: Value,
    },
    /// The open block is complete.
    BlockEnded,
    /// What has arrived of the answer is void; it is asked for again.
    Again(Retry),
    /// The answer is complete.
    Done {
        /// Why the model stopped.
        stop: StopReason,
        /// What it cost in tokens.
        usage: Usage,
    },
    /// There will be no complete answer.
    Failed(ProviderFailure),
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It has said all it wanted.
    EndTurn,
    /// It waits for results of calls.
    ToolUse,
    /// Its answer reached the limit on output.
    MaxTokens,
    /// It declined.
    Refusal,
    /// It wants to go on where it is: the same conversation, with this answer in it, is sent again.
    Paused,
    /// What it reads and writes together has filled its window.
    WindowFull,
    /// A person stopped it; what it had said by then is kept, its unfinished calls are not.
    Interrupted,
}

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Read at full price.
    #[serde(default)]
    pub input_tokens: u64,
    /// Written by the model.
    #[serde(default)]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    pub cache_read_input_tokens: u64,
    /// Written to the provider's cache.
    #[serde(default)]
    pub cache_creation_input_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_input_tokens += other.cache_read_input_tokens;
        self.cache_creation_input_tokens += other.cache_creation_input_tokens;
    }
}

/// Another attempt at an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Why the one before failed.
    pub failure: ProviderFailure,
    /// Which attempt comes now; the first was 1.
    pub attempt: u32,
    /// How many there can be.
    pub of: u32,
    /// How long is waited before it.
    pub wait_ms: u64,
    /// The model that is asked instead, as `provider/name`, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct ProviderFailure {
    /// What kind of failure: decides whether to try again.
    pub kind: FailureKind,
    /// For the person: what happened.
    pub message: String,
    /// For the person: what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The status of the server's answer, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the server asks to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ProviderFailure {
    /// A failure in words.
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
    /// The request itself is wrong; sending it again would not help.
    BadRequest,
    /// Too many requests of ours.
    RateLimited,
    /// The server has too much to do for everybody.
    Overloaded,
    /// The server failed, or another request got in the way.
    Server,
    /// The connection failed or broke off.
    Connection,
    /// Nothing came for too long.
    Silence,
    /// What came is not what such a server sends.
    Garbled,
    /// The conversation is longer than the model can read.
    ContextOverflow,
    /// A scripted model came to the end of its script.
    ScriptEnded,
}

impl FailureKind {
    /// Whether the same request may well succeed a little later.
    pub fn passes(self) -> bool {
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
