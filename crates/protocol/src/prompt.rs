//! Prompts: their content, when they are delivered, and who sent them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Mentions, UserBlock};

/// A prompt for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// Text and images.
    pub content: Vec<UserBlock>,
    /// When it reaches the model, if a turn is running.
    pub delivery: Delivery,
    /// Where it came from.
    pub origin: Origin,
    /// The files that it names with `@`, to be attached. The front end finds them: what was pasted names nothing.
    #[serde(default, skip_serializing_if = "Mentions::is_empty")]
    pub mentions: Mentions,
}

impl Prompt {
    /// A prompt from the user.
    pub fn person(content: Vec<UserBlock>, delivery: Delivery) -> Self {
        Self { content, delivery, origin: Origin::Person, mentions: Mentions::default() }
    }

    /// The same with the files that it names.
    pub fn naming(self, mentions: Mentions) -> Self {
        Self { mentions, ..self }
    }
}

/// When a prompt reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// When the running step ends, to steer the running turn.
    Steer,
    /// After the running turn, in a new turn.
    NextTurn,
}

/// Where a prompt came from. Only prompts from a person count as the user's turns, and only those can be consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Origin {
    /// A person: in the terminal, with `-p`, through an SDK's user message, an editor, or the web page, or as a paired
    /// sender in a chat.
    Person,
    /// The program that drives Forelook generated it.
    Host,
    /// An approved plan that a new conversation starts with.
    Plan {
        /// The plan. Its text counts as the user's words.
        plan: String,
    },
    /// The user's answer to a review that they opened themselves (`/plan review`): an approval or what should change, in
    /// words for the model.
    Review,
    /// The agent that started this subagent.
    Agent,
    /// Another agent of the team.
    Teammate {
        /// Its name.
        name: String,
    },
    /// A chat message.
    Channel {
        /// The server that delivered it.
        channel: String,
        /// The sender.
        sender: String,
    },
    /// A hook.
    Hook,
    /// A timer that was set earlier.
    Schedule,
}

impl Origin {
    /// Whether a person just said it: if so, it counts as the user's turn and can be consent.
    pub fn is_person(&self) -> bool {
        matches!(self, Origin::Person | Origin::Review)
    }

    /// Whether a front end may send it. The other origins are reserved for the session.
    pub fn is_from_outside(&self) -> bool {
        match self {
            Origin::Person
            | Origin::Host
            | Origin::Teammate { .. }
            | Origin::Channel { .. }
            | Origin::Schedule => true,
            Origin::Plan { .. } | Origin::Review | Origin::Agent | Origin::Hook => false,
        }
    }
}
