//! The commands that front ends send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, EntryId, HostAnswer, HostHook, Mode, PermissionUpdate, PlanCommand, Prompt, RequestId,
    ReviewDraft, TaskId,
};

/// A command from a front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Send a prompt to the model.
    Prompt(Prompt),
    /// Answer an open request. The first answer counts.
    Answer {
        /// The request.
        request: RequestId,
        /// The answer.
        answer: HostAnswer,
    },
    /// Record what the reviewer has written in an open review and not sent yet, so that a killed program does not lose
    /// it. It replaces what was recorded before. Send it after each comment, and a moment after the last key.
    SaveReviewDraft {
        /// The review.
        request: RequestId,
        /// What is written so far.
        draft: ReviewDraft,
    },
    /// This front end can no longer answer requests. Requests that no other front end can answer are closed without an
    /// answer, and so are later ones.
    Unattended,
    /// Run the user's own shell command, as typed and without a permission check. The model gets the result with the
    /// next prompt.
    UserShell(String),
    /// Stop the running turn and the user's running shell commands, and take back all queued prompts. The entry
    /// `prompts_withdrawn` names them.
    Interrupt,
    /// Take back a queued prompt, to edit it.
    TakeBack {
        /// The entry that queued it.
        prompt: EntryId,
    },
    /// End a background shell or a subagent. The model is told that the user did.
    EndTask(TaskId),
    /// Change the permission mode.
    SetMode(Mode),
    /// Replace the conversation by a summary of it. During a turn, before its next request.
    Compact {
        /// What the summary must keep, in the user's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        focus: Option<String>,
    },
    /// Switch to the next permission mode in the cycle.
    CycleMode,
    /// An action of `/plan`. Its queries are [`crate::Query::Plan`].
    Plan(PlanCommand),
    /// Implement a saved plan in a new session; the command is the approval.
    ImplementPlan(ImplementPlan),
    /// Define agents by name, each with `description`, `prompt`, and other optional fields. Only before the first
    /// prompt: after that, the model's list of tools must not change.
    DefineAgents(serde_json::Value),
    /// Define hooks that this front end runs itself; they replace those it defined before.
    DefineHooks(Vec<HostHook>),
    /// Change the permissions.
    UpdatePermissions(PermissionUpdate),
    /// Bring back what was moved out of the project. A notice says what came of it.
    RestoreSetAside {
        /// Its ID, from [`crate::Query::SetAside`].
        id: String,
    },
    /// Use another model, starting with the next request.
    SetModel(String),
    /// End the session and interrupt a running turn.
    Close,
}

/// A plan to implement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImplementPlan {
    /// The path of the plan file.
    pub path: AbsPath,
    /// The text of the plan.
    pub plan: String,
    /// Additional instructions for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
