//! Turns: what a prompt starts, and how front ends refer to it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EntryId;

/// The number of a main agent's turn in its session, starting at 1.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct TurnId(pub u64);

impl TurnId {
    /// The turn after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A turn started. The entries that belong to it follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStarted {
    /// The turn.
    pub turn: TurnId,
}

/// What a command started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandAccepted {
    /// A turn.
    Turn(TurnId),
    /// Nothing yet: the prompt was queued. It joins the running turn or starts a new one.
    Queued {
        /// The entry of the queued prompt.
        prompt: EntryId,
        /// The running turn.
        behind: TurnId,
    },
    /// No turn.
    Nothing,
}
