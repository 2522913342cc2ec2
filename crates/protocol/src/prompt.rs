//! What reaches the model as a prompt, when, and from whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::UserBlock;

/// Something said to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// Words and pictures.
    pub content: Vec<UserBlock>,
    /// When it reaches the model, if a turn is running.
    pub delivery: Delivery,
    /// Where it came from.
    pub origin: Origin,
}

impl Prompt {
    /// Words of a person's.
    pub fn person(content: Vec<UserBlock>, delivery: Delivery) -> Self {
        Self { content, delivery, origin: Origin::Person }
    }
}

/// When a prompt reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As soon as the running step is over: the person steers.
    Steer,
    /// After the running turn, in a turn of its own.
    NextTurn,
}

/// Where a prompt came from. Only a person's prompts are human turns, and only theirs can be consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Origin {
    /// A person: the terminal, `-p`, an SDK's user message, an editor, the page, a paired sender in a chat.
    Person,
    /// The program that drives us made it up.
    Host,
    /// An approved plan that a fresh conversation begins with.
    Plan {
        /// The plan. Its text counts as the person's words.
        plan: String,
    },
    /// The agent that started this subagent.
    Agent,
    /// Another member of the team.
    Teammate {
        /// Who.
        name: String,
    },
    /// A message from a chat.
    Channel {
        /// The server that brought it.
        channel: String,
        /// Who wrote it.
        sender: String,
    },
    /// A hook.
    Hook,
    /// A timer that was set before.
    Schedule,
}

impl Origin {
    /// Whether a person said it just now: it counts as a human turn, and can be consent.
    pub fn is_person(&self) -> bool {
        matches!(self, Origin::Person)
    }

    /// Whether a front end may send it. The others are the session's own to say.
    pub fn is_from_outside(&self) -> bool {
        match self {
            Origin::Person
            | Origin::Host
            | Origin::Teammate { .. }
            | Origin::Channel { .. }
            | Origin::Schedule => true,
            Origin::Plan { .. } | Origin::Agent | Origin::Hook => false,
        }
    }
}
