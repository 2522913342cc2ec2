//! Turns: what a prompt starts, and how front ends name it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EntryId;

/// A turn of the main agent: the number-th of its session, from 1.
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

/// A turn began. What reaches the conversation in it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStarted {
    /// Which.
    pub turn: TurnId,
}

/// What a command started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accepted {
    /// This turn.
    Turn(TurnId),
    /// Nothing yet: the prompt waits. It is taken into the running turn, or starts one of its own.
    Queued {
        /// The entry of the prompt that waits.
        prompt: EntryId,
        /// The turn that runs now.
        behind: TurnId,
    },
    /// No turn.
    Nothing,
}
