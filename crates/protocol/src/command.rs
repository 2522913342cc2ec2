//! What front ends send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, HostAnswer, HostHook, Mode, PermissionUpdate, PlanCommand, Prompt, RequestId};

/// Something a front end wants done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Something is said to the model.
    Prompt(Prompt),
    /// The answer to an open request. The first one counts.
    Answer {
        /// Which request.
        request: RequestId,
        /// What is answered.
        answer: HostAnswer,
    },
    /// This front end can answer nothing any more. Requests that no other front end can answer are closed unanswered, and
    /// so are those to come.
    Unattended,
    /// A line of the person's own for the shell: run as typed, not judged. The model is told what came of it with the
    /// next prompt.
    Shell(String),
    /// Stop the running turn, and lines of the person's own that run.
    Interrupt,
    /// Change the permission mode.
    SetMode(Mode),
    /// Change it to the next in the cycle.
    CycleMode,
    /// What `/plan` asks to be done. What it asks to see is [`crate::Query::Plan`].
    Plan(PlanCommand),
    /// Carry out a plan from before, in a new session: the command is the approval.
    Implement(Implement),
    /// Agents that a host defines, by name, each with `description`, `prompt` and what else it has. Only before the
    /// first prompt: afterwards the model's list of tools must not change.
    DefineAgents(serde_json::Value),
    /// Hooks that this front end carries out itself, in place of those it defined before.
    DefineHooks(Vec<HostHook>),
    /// Change the permissions.
    Permit(PermissionUpdate),
    /// Use another model from the next request on.
    SetModel(String),
    /// End the session; a running turn is interrupted.
    Close,
}

/// A plan that is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Implement {
    /// Where it stands.
    pub path: AbsPath,
    /// Its text.
    pub plan: String,
    /// More words for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
