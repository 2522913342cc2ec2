//! What a tool would do, and what is decided about it.

use serde::{Deserialize, Serialize};

use crate::{AbsPath, Source};

/// What a call would do, as its tool states it: paths resolved, nothing done yet.
/// The decision sees this and never the tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Looks at a file.
    Read {
        /// The file.
        path: AbsPath,
    },
    /// Makes or changes a file.
    Edit {
        /// The file.
        path: AbsPath,
    },
    /// Runs a shell line.
    Shell {
        /// The line as the model wrote it.
        command: String,
        /// Where it runs.
        folder: AbsPath,
    },
    /// Asks the person something.
    AskPerson,
    /// Touches nothing outside the session (the todo list).
    Internal,
}

/// What is decided about an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "reason", rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow(Reason),
    /// A person decides.
    Ask(Reason),
    /// It does not run.
    Deny(Reason),
}

/// Why, and who said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The step of the decision that spoke.
    pub step: Step,
    /// In words, for whoever reads the refusal.
    pub text: String,
    /// Where the rule or mode came from, if it came from somewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// The steps of the decision, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The tool needs a person, whatever the mode.
    NeedsPerson,
    /// `bypassPermissions` lets it through.
    Bypass,
    /// `acceptEdits` lets it through.
    AcceptEdits,
    /// It only reads.
    ReadOnly,
    /// Nothing above spoke.
    Rest,
}
