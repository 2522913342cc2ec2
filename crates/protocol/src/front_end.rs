//! Front ends: what they declare, and the snapshot they start with.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BackgroundShell, EntryId, HookEvent, HostAsk, HostRequest, Prompt, RequestKind, Status, TurnId};

/// The ID of a front end that is attached to a session in this process.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct FrontEndId(pub u32);

/// What a front end declares when it attaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrontEnd {
    /// Its name, for other front ends: `terminal`, `web page`.
    pub name: String,
    /// Which requests it can answer.
    #[serde(default)]
    pub answers: BTreeSet<RequestKind>,
    /// Whether it sends a prompt right after it attached. Work that an earlier process left undone waits for it, so that the
    /// model reads the user's new words before it goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompts_first: bool,
}

impl FrontEnd {
    /// A front end that only watches.
    pub fn watching(name: impl Into<String>) -> Self {
        Self { name: name.into(), answers: BTreeSet::new(), prompts_first: false }
    }

    /// A front end with a user who answers everything meant for people.
    pub fn attended(name: impl Into<String>) -> Self {
        Self { name: name.into(), answers: RequestKind::PERSONS.into(), prompts_first: false }
    }

    /// The same, and whether it sends a prompt right away.
    pub fn with_prompt(self, prompts_first: bool) -> Self {
        Self { prompts_first, ..self }
    }

    /// Whether it can answer this request.
    pub fn can_answer(&self, ask: &HostAsk) -> bool {
        self.answers.contains(&ask.kind())
    }
}

/// The state of a session when a front end attaches. All events it receives happened later. Work in progress (a partial
/// response, running output) is repeated in the first events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSnapshot {
    /// The front end's ID, which identifies its answers to others.
    pub front_end: FrontEndId,
    /// The session's status.
    pub status: Status,
    /// The newest journal entry. [`crate::Query::Transcript`] returns the earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<EntryId>,
    /// The running turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Queued prompts, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedPrompt>,
    /// The background shells that are running, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shells: Vec<BackgroundShell>,
    /// Requests that are waiting for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<HostRequest>,
}

/// A queued prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedPrompt {
    /// Its entry.
    pub id: EntryId,
    /// The prompt.
    pub prompt: Prompt,
}

/// A hook that a front end runs itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostHook {
    /// The event it runs on.
    pub event: HookEvent,
    /// Which tools it runs for, as in settings; empty means all.
    #[serde(default)]
    pub matcher: String,
    /// The ID of the callback.
    pub callback: String,
    /// The timeout in milliseconds; absent means the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether a failure blocks.
    #[serde(default)]
    pub fail_closed: bool,
}
