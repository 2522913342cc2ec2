//! Queries from front ends, and the replies.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, Entry, EntryId, FenceReport, HookInfo, Mode, ModelInfo, ModelUsage, PlanQuery, PlanReply,
    RequestId, RuleOrigin, RunningShell, SessionChanges, SessionId, SettingInfo, SuggestedRule, Task, TaskId,
    Todo, TrustReport,
};

/// A query from a front end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// The session's status.
    Status,
    /// The available models.
    Models,
    /// The project's files, as paths relative to the working directory, without ignored ones.
    Files,
    /// The entries of the journal.
    Transcript {
        /// The last entry to return, so that a front end does not get an entry twice if it arrived after the snapshot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<EntryId>,
    },
    /// The active rules.
    Rules,
    /// What these allow rules would do for an open question, and what they would have matched before.
    CheckRules {
        /// The question.
        request: RequestId,
        /// The rules, as written.
        rules: Vec<String>,
    },
    /// The configured hooks.
    Hooks,
    /// The settings that are in effect, and where each comes from.
    Settings,
    /// What the user trusts in the folder.
    Trust,
    /// What tools changed in files during the session.
    Changes,
    /// What the kernel enforces. Separate from the status because the first check takes a moment.
    Fence,
    /// Background shells, also those that ended in this process, and the subagents at work.
    Tasks,
    /// What fills the model's context window.
    Context,
    /// The output of a background shell, or what a subagent said and did so far.
    TaskOutput(TaskId),
    /// What was moved out of the project because a command created it under a protected name.
    SetAside,
    /// A query about plans.
    Plan(PlanQuery),
}

/// A file or folder that was moved out of the project. [`crate::Command::RestoreSetAside`] brings it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAsideFile {
    /// Its ID.
    pub id: String,
    /// Where it was.
    pub from: AbsPath,
    /// Where it is.
    pub kept: AbsPath,
}

/// The answer to a query.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The session's status.
    Status(Status),
    /// The available models.
    Models(Vec<ModelInfo>),
    /// The project's files, in no particular order.
    Files(Arc<[String]>),
    /// The entries, oldest first.
    Transcript(Vec<Arc<Entry>>),
    /// The rules, with later sources first.
    Rules(Vec<RuleOrigin>),
    /// What the rules would do.
    CheckRules(RuleCheck),
    /// The configured hooks, in the order of the settings.
    Hooks(Vec<HookInfo>),
    /// Every setting, in the order of the documentation; those of a key in order, what counts first.
    Settings(Vec<SettingInfo>),
    /// What the user trusts in the folder; absent if nobody knows.
    Trust(Option<TrustReport>),
    /// What tools changed in files during the session.
    Changes(SessionChanges),
    /// What the kernel enforces.
    Fence {
        /// Layers and policies.
        report: FenceReport,
        /// Processes from before plan mode that run outside the fence; empty outside plan mode.
        outside: Vec<RunningShell>,
    },
    /// Background shells and subagents, oldest first.
    Tasks(Vec<Task>),
    /// What fills the model's context window.
    Context(ContextUsage),
    /// The end of a task's output.
    TaskOutput {
        /// The task.
        task: TaskId,
        /// Its output. If it is long, only the end.
        output: String,
    },
    /// What was moved out of the project, and not brought back.
    SetAside(Vec<SetAsideFile>),
    /// The reply to a query about plans.
    Plan(PlanReply),
}

impl PartialEq for Reply {
    /// Entries have no equality of their own, so their IDs are compared.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Reply::Status(a), Reply::Status(b)) => a == b,
            (Reply::Models(a), Reply::Models(b)) => a == b,
            (Reply::Files(a), Reply::Files(b)) => a == b,
            (Reply::Rules(a), Reply::Rules(b)) => a == b,
            (Reply::CheckRules(a), Reply::CheckRules(b)) => a == b,
            (Reply::Hooks(a), Reply::Hooks(b)) => a == b,
            (Reply::Settings(a), Reply::Settings(b)) => a == b,
            (Reply::Trust(a), Reply::Trust(b)) => a == b,
            (Reply::Changes(a), Reply::Changes(b)) => a == b,
            (Reply::Fence { report, outside }, Reply::Fence { report: other, outside: others }) => {
                report == other && outside == others
            }
            (Reply::Transcript(a), Reply::Transcript(b)) => {
                a.iter().map(|it| it.id).eq(b.iter().map(|it| it.id))
            }
            (Reply::Context(a), Reply::Context(b)) => a == b,
            (Reply::SetAside(a), Reply::SetAside(b)) => a == b,
            (Reply::Tasks(a), Reply::Tasks(b)) => a == b,
            (Reply::TaskOutput { task, output }, Reply::TaskOutput { task: other, output: others }) => {
                task == other && output == others
            }
            (Reply::Plan(a), Reply::Plan(b)) => a == b,
            _ => false,
        }
    }
}

/// What fills the model's context window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextUsage {
    /// The model.
    pub model: String,
    /// The size of its window in tokens, if known.
    pub window: Option<u64>,
    /// At how many tokens the conversation is compacted; absent if it is not, or if the window is not known.
    pub limit: Option<u64>,
    /// How many tokens are used.
    pub used: u64,
    /// What uses them, in the order of a request. The provider counts only the whole, so each is an estimate.
    pub parts: Vec<ContextPart>,
}

/// A part of what fills the context window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPart {
    /// What it is.
    pub kind: ContextPartKind,
    /// Which one, of a kind that comes more than once: the path of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// About how many tokens it has.
    pub tokens: u64,
}

/// A kind of text in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextPartKind {
    /// Forelook's own instructions and the environment.
    System,
    /// The definitions of tools.
    Tools,
    /// A file with instructions.
    Instructions,
    /// What the user said.
    Prompts,
    /// Files that prompts named, and results of calls.
    Results,
    /// What the model said and thought, with its calls.
    Answers,
    /// Reminders and summaries.
    Reminders,
}

/// What allow rules would do that nobody has added yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleCheck {
    /// The rules, as written in the query.
    pub rules: Vec<String>,
    /// The rules as they can be added, each with an example from the call that is asked about.
    pub suggested: Vec<SuggestedRule>,
    /// Why they cannot be added; absent if they can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether the call that is asked about would be allowed.
    pub covers: bool,
    /// Earlier calls of the session that one of the rules matches, the newest first; only some if there are many.
    pub matched: Vec<String>,
    /// How many earlier calls that is.
    pub total: usize,
}

/// The session's status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// The session.
    pub session: SessionId,
    /// The working directory.
    pub folder: AbsPath,
    /// The permission mode.
    pub mode: Mode,
    /// The model for the next request.
    pub model: String,
    /// Its context window in tokens, if known.
    pub window: Option<u64>,
    /// The names of the available tools.
    pub tools: Vec<String>,
    /// The usage of the session by model, including subagents.
    pub spent: BTreeMap<String, ModelUsage>,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// The plan file, once it has a name.
    pub plan: Option<AbsPath>,
    /// The available subagents.
    pub agents: Vec<AgentInfo>,
    /// The modes that the session cannot switch to now, each with the reason.
    #[serde(default)]
    pub unavailable_modes: BTreeMap<Mode, String>,
}

/// A kind of subagent that can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// What it is good for.
    pub description: String,
}
