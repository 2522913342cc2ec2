//! The end of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Cost, ProviderFailure, TurnId, Usage};

/// A turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEnded {
    /// The turn.
    pub turn: TurnId,
    /// Why it ended.
    pub reason: EndReason,
    /// The number of responses from the model.
    pub answers: u32,
    /// The tokens of all responses.
    pub usage: Usage,
    /// The cost, as far as prices are known, including subagents.
    #[serde(default)]
    pub cost: Cost,
    /// How long the turn took, in milliseconds.
    pub took_ms: u64,
    /// How much of that was spent waiting for the model, in milliseconds.
    pub model_ms: u64,
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EndReason {
    /// The model finished.
    Done,
    /// The response reached the output limit.
    MaxTokens,
    /// The model answered without words and without calls, also when it was asked again.
    Empty,
    /// The model refused.
    Refusal,
    /// The maximum number of responses was reached.
    MaxTurns {
        /// The maximum.
        limit: u32,
    },
    /// The user stopped it.
    Interrupted,
    /// The provider did not respond.
    Provider {
        /// The failure.
        failure: ProviderFailure,
    },
    /// The plan is the result: nothing is implemented.
    Planned {
        /// The plan file.
        path: AbsPath,
        /// The hash of the plan.
        hash: String,
    },
    /// A plan was the wanted result, and there is none.
    NoPlan {
        /// Why there is none, and what to do about it.
        message: String,
    },
    /// The user parked the plan.
    Parked,
    /// The user abandoned the plan.
    Abandoned,
    /// The model kept trying something that cannot work.
    Stuck {
        /// What it tried, and what to do about it.
        message: String,
    },
    /// One of the user's hooks stopped it.
    Hook {
        /// The message from the hook.
        message: String,
    },
    /// Forelook could not continue.
    Internal {
        /// What happened, and what to do about it.
        message: String,
    },
}
