//! Why a command or query was not carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PlanReview, RequestId, RequestKind, RequestState, TaskId};

/// A command that was not carried out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CommandError {
    /// The request is no longer open.
    #[error("Request `{request}` is no longer open: {now}")]
    NotOpen {
        /// The request.
        request: RequestId,
        /// Its state.
        now: RequestState,
    },
    /// The front end did not declare that it can answer this kind of request.
    #[error("This front end did not declare that it answers {0:?} requests, or it sent `unattended`")]
    NotDeclared(RequestKind),
    /// The mode or the rules changed during the review.
    #[error("The mode or the rules changed, so the plan was not approved; review it again")]
    StateChanged,
    /// What this leads to is a turn, and one is running. The request stays open.
    #[error("A turn is running; wait until it ends, or stop it")]
    TurnRunning,
    /// The prompt contains something that cannot be sent.
    #[error("The prompt cannot be sent: {0}")]
    BadPrompt(String),
    /// Only the session itself can use this origin.
    #[error("A front end cannot send a prompt with this origin; only the session can")]
    Origin,
    /// The prompt is empty.
    #[error("The prompt is empty; type what you want done")]
    EmptyPrompt,
    /// The prompt is not queued any more: it was delivered or taken back.
    #[error("This message is no longer queued: it was already delivered or taken back")]
    NotQueued,
    /// The task is not running.
    #[error("`{0}` is not running\n`/tasks` lists what is")]
    NoTask(TaskId),
    /// Nothing was said yet.
    #[error("There is nothing to summarize yet: the conversation is empty")]
    NothingToCompact,
    /// The shell command is empty.
    #[error("No command to run; type one after `!`")]
    EmptyLine,
    /// The answer does not fit the question.
    #[error("This answer does not fit question `{0}`, which is still open")]
    DoesNotFit(RequestId),
    /// The plan changed during the review.
    #[error("{}", plan_changed(now))]
    PlanChanged {
        /// The current plan, as it will be shown again.
        now: Box<PlanReview>,
    },
    /// An action on the plan failed.
    #[error("{0}")]
    Plan(String),
    /// The mode was not changed.
    #[error("{0}")]
    Mode(String),
    /// The agents could not be defined.
    #[error("Could not define the agents: {0}")]
    Agents(String),
    /// The hooks could not be defined.
    #[error("Could not define the hooks: {0}")]
    Hooks(String),
    /// The permissions could not be changed.
    #[error("Could not change the permissions: {0}")]
    Permission(String),
    /// The model is not available.
    #[error("Model `{model}` is not available: {why}")]
    Model {
        /// The requested model.
        model: String,
        /// The reason.
        why: String,
    },
    /// The journal could not be written. What follows from the command was not done; what came before that, the message
    /// says.
    #[error("Could not continue: {0}")]
    Journal(String),
    /// The session has ended.
    #[error("The session has ended")]
    Closed,
}

/// Why a plan was not approved that is not what was shown any more.
fn plan_changed(now: &PlanReview) -> String {
    match (&now.plan, &now.problem) {
        (Some(_), _) => {
            "The plan file changed, so the plan was not approved; review the current version".to_owned()
        }
        (None, None) => format!(
            "There is no plan in `{}` any more, so it was not approved\n\
             `/plan restore` lists the revisions that you can bring back",
            now.path
        ),
        (None, Some(why)) => format!("The plan cannot be read any more, so it was not approved\n{why}"),
    }
}
