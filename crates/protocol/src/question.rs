//! Questions to a person, and what they answer.
//!
//! A question is an entry in the journal when it opens and another when it closes, so that a killed
//! session knows what it was waiting for. Nothing but a person's own answer reads as consent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentId, CallId, PermissionUpdate, PlanAnswer, QuestionId, Reason, Review};

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its id; the answer must name it.
    pub id: QuestionId,
    /// The call that waits.
    pub call: CallId,
    /// Whose call it is; nothing for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Ask {
    /// May this call run?
    Permission {
        /// The tool.
        tool: String,
        /// Exactly the input that will be used.
        input: Value,
        /// Why it is asked.
        reason: Reason,
    },
    /// The model wants to plan before it does anything. May it?
    EnterPlan {
        /// Where the plan would be.
        path: crate::AbsPath,
    },
    /// Is this plan good?
    Review(Box<Review>),
    /// Planning has begun, and these run since before, outside of what planning can hold. May they go on? Anything but a
    /// yes ends them.
    Running {
        /// What runs.
        shells: Vec<crate::RunningShell>,
    },
    /// The model's own questions.
    Choose {
        /// One to four questions.
        questions: Vec<PersonQuestion>,
    },
}

/// One question of the model's, with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonQuestion {
    /// The question, in full.
    pub question: String,
    /// A word or two to head it, at most 12 characters.
    pub header: String,
    /// What to choose from; free text is always possible beside them.
    pub options: Vec<PersonOption>,
    /// Whether several may be chosen.
    #[serde(rename = "multiSelect", default)]
    pub multi_select: bool,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonOption {
    /// A few words.
    pub label: String,
    /// What choosing it means.
    #[serde(default)]
    pub description: String,
    /// Something to look at while choosing, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// How a question was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// Yes, to exactly this call; and what is to hold from now on, if anything.
    Allow {
        /// Rules to add, for this session or saved.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        updates: Vec<PermissionUpdate>,
    },
    /// No, with what the person said, if anything.
    Deny {
        /// The person's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// Answers to the model's questions, in order.
    Chosen {
        /// One for each question.
        choices: Vec<Choice>,
    },
    /// What a reviewer says of a plan.
    Plan(PlanAnswer),
    /// What was asked about has changed meanwhile, so that no answer to it counts.
    Outdated,
    /// The person put the question away without an answer.
    Dismissed,
    /// The turn was interrupted while the question was open.
    Interrupted,
    /// Nobody is there who could answer.
    Nobody,
}

impl Answer {
    /// Yes, this once.
    pub fn yes() -> Self {
        Answer::Allow { updates: Vec::new() }
    }
}

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Options, by label.
    Options(Vec<String>),
    /// Words of the person's own.
    Words(String),
    /// The person left this one out.
    Skipped,
}
