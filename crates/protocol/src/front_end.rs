//! Front ends: what they say of themselves, and what they begin with.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{EntryId, HookEvent, HostAsk, HostRequest, Prompt, RequestKind, Status, TurnId};

/// A front end that is attached to a session of this process.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct FrontEndId(pub u32);

/// What a front end says of itself when it attaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrontEnd {
    /// What it is called, for the others: `terminal`, `web page`.
    pub name: String,
    /// Which requests it can answer.
    #[serde(default)]
    pub answers: BTreeSet<RequestKind>,
}

impl FrontEnd {
    /// One that only watches.
    pub fn watching(name: impl Into<String>) -> Self {
        Self { name: name.into(), answers: BTreeSet::new() }
    }

    /// One with a person who answers everything that is put to people.
    pub fn attended(name: impl Into<String>) -> Self {
        Self { name: name.into(), answers: RequestKind::PERSONS.into() }
    }

    /// Whether it can answer this.
    pub fn can_answer(&self, ask: &HostAsk) -> bool {
        self.answers.contains(&ask.kind())
    }
}

/// How a session stands at the moment when a front end attaches. Every event that it hears came later. What is on its
/// way (half an answer, running output) is told again as the first events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The front end's own id, by which others hear of its answers.
    pub front_end: FrontEndId,
    /// How things stand.
    pub status: Status,
    /// The newest entry of the journal. What came before is in [`crate::Query::Transcript`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<EntryId>,
    /// The turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Prompts that wait, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedPrompt>,
    /// Requests that wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<HostRequest>,
}

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedPrompt {
    /// Its entry.
    pub id: EntryId,
    /// What was said.
    pub prompt: Prompt,
}

/// A hook that a front end carries out itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostHook {
    /// When.
    pub event: HookEvent,
    /// For which tools, as in settings; empty for all.
    #[serde(default)]
    pub matcher: String,
    /// The id that the callback is called by.
    pub callback: String,
    /// After this many milliseconds it counts as failed; nothing: the usual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether its failure blocks.
    #[serde(default)]
    pub fail_closed: bool,
}
