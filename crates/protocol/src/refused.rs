//! Why a command or query was not carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RequestId, RequestKind, RequestState, Review};

/// A command that was not carried out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// The answer came too late.
    #[error("Request `{request}` is not open: {now}")]
    NotOpen {
        /// Which request.
        request: RequestId,
        /// How it stands.
        now: RequestState,
    },
    /// The front end did not say that it answers such requests.
    #[error(
        "This front end did not declare that it answers such requests ({0:?}), or said that nobody is there"
    )]
    NotDeclared(RequestKind),
    /// Mode or rules were changed while it was being reviewed.
    #[error(
        "Mode or rules have changed since the plan was shown, so nothing was approved; it is shown again"
    )]
    StateChanged,
    /// Something in the prompt cannot be sent by a person.
    #[error("The prompt cannot be sent: {0}")]
    BadPrompt(String),
    /// Only the session itself can say this.
    #[error("A front end cannot send a prompt of this origin; leave it to the session")]
    Origin,
    /// Nothing was said.
    #[error("The prompt is empty; say what to do")]
    EmptyPrompt,
    /// There is nothing to run.
    #[error("There is no command to run; type one after `!`")]
    EmptyLine,
    /// The answer does not fit the question.
    #[error("This answer does not fit question `{0}`; it is still open")]
    DoesNotFit(RequestId),
    /// The plan was changed while it was being reviewed.
    #[error(
        "The plan has changed since it was shown, so nothing was approved; it is shown again as it is now"
    )]
    PlanChanged {
        /// The plan as it is now, as it will be shown again.
        now: Box<Review>,
    },
    /// Something about the plan could not be done.
    #[error("{0}")]
    Plan(String),
    /// The mode was not changed.
    #[error("{0}")]
    Mode(String),
    /// Agents could not be defined.
    #[error("The agents were not taken: {0}")]
    Agents(String),
    /// Hooks could not be defined.
    #[error("The hooks were not taken: {0}")]
    Hooks(String),
    /// The change to the permissions could not be made.
    #[error("The permissions were not changed: {0}")]
    Permission(String),
    /// The model cannot be had.
    #[error("Model `{model}` is not available: {why}")]
    Model {
        /// What was asked for.
        model: String,
        /// Why not.
        why: String,
    },
    /// It could not be written down, so it was not done.
    #[error("The session's journal could not be written, so nothing was done: {0}")]
    Journal(String),
    /// The session has ended.
    #[error("The session has ended")]
    Closed,
}
