//! Prompts that were queued, accepted, or blocked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AnsweredBy, EntryId, Mentions, Origin, Prompt, UserBlock};

/// A prompt that was queued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptQueued {
    /// The prompt, including when to deliver it.
    pub prompt: Prompt,
}

/// Queued prompts that were taken back. They are not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptsWithdrawn {
    /// The entries that queued them, in their order.
    pub prompts: Vec<EntryId>,
    /// The front end that took them back, or interrupted the turn they were waiting for.
    pub by: AnsweredBy,
}

/// A prompt that was added to the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptAccepted {
    /// The content of the prompt.
    pub content: Vec<UserBlock>,
    /// Where it came from.
    pub origin: Origin,
    /// The entry that queued it, if it was queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<EntryId>,
    /// The files that it names with `@`.
    #[serde(default, skip_serializing_if = "Mentions::is_empty")]
    pub mentions: Mentions,
}

impl PromptAccepted {
    /// A prompt from the user that was not queued.
    pub fn person(content: Vec<UserBlock>) -> Self {
        Self { content, origin: Origin::Person, queued: None, mentions: Mentions::default() }
    }

    /// The plan to implement, if the conversation starts with one.
    pub fn plan(&self) -> Option<&str> {
        match &self.origin {
            Origin::Plan { plan } => Some(plan),
            _ => None,
        }
    }
}

/// A prompt that a hook blocked. The model never sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptBlocked {
    /// The reason that the hook gave.
    pub reason: String,
}
