//! What front ends send.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, Answer, Entry, FenceReport, HookListed, Mode, ModelListed, PermissionUpdate, QuestionId,
    RuleOrigin, RunningShell, SessionId, Spent, Todo, UserBlock,
};

/// Something a front end wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// The person says something.
    Prompt(Prompt),
    /// The answer to an open question.
    Answer {
        /// Which question.
        question: QuestionId,
        /// What the person said.
        answer: Answer,
    },
    /// Nobody is there to answer any more: open questions and all that follow are closed unanswered.
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
    /// `/plan`, with what stood behind it. What there is to see comes as [`crate::Live::Plan`]; words for the model
    /// become a prompt.
    Plan(String),
    /// Carry out a plan from before, in a new session: the command is the approval.
    Implement(Implement),
    /// Agents that a host defines, by name, each with `description`, `prompt` and what else it has. Only before the
    /// first prompt: afterwards the model's list of tools must not change.
    DefineAgents(serde_json::Value),
    /// Change the permissions.
    Permit(PermissionUpdate),
    /// Use another model from the next request on.
    SetModel(String),
    /// End the session; a running turn is interrupted.
    Close,
}

/// A plan that is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implement {
    /// Where it stands.
    pub path: AbsPath,
    /// Its text.
    pub plan: String,
    /// More words for the model.
    pub note: Option<String>,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Words and pictures.
    pub content: Vec<UserBlock>,
    /// When it reaches the model, if a turn is running.
    pub delivery: Delivery,
}

/// When a prompt reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As soon as the running step is over: the person steers.
    Steer,
    /// After the running turn, in a turn of its own.
    NextTurn,
}

/// Something a front end wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// How things stand.
    Status,
    /// Which models there are.
    Models,
    /// Which files the project has: paths from the working folder, without what is ignored.
    Files,
    /// All that stands in the journal.
    Transcript,
    /// Which rules are in force.
    Rules,
    /// Which hooks there are.
    Hooks,
    /// What the kernel holds. Apart from the status: finding out takes a moment, the first time.
    Fence,
}

/// The answer to a query.
#[derive(Debug, Clone)]
pub enum Reply {
    /// How things stand.
    Status(Status),
    /// Which models there are.
    Models(Vec<ModelListed>),
    /// Which files there are, in no order.
    Files(Arc<[String]>),
    /// The entries, oldest first.
    Transcript(Vec<Arc<Entry>>),
    /// The rules, those of later sources first.
    Rules(Vec<RuleOrigin>),
    /// Which hooks there are, in the order of the settings.
    Hooks(Vec<HookListed>),
    /// What the kernel holds.
    Fence {
        /// Layers and policies.
        report: FenceReport,
        /// What runs since before planning began, outside of what is held; nothing outside of plan mode.
        outside: Vec<RunningShell>,
    },
}

impl PartialEq for Reply {
    /// Entries have no equality; they are the same if they are the same entry.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Reply::Status(a), Reply::Status(b)) => a == b,
            (Reply::Models(a), Reply::Models(b)) => a == b,
            (Reply::Files(a), Reply::Files(b)) => a == b,
            (Reply::Rules(a), Reply::Rules(b)) => a == b,
            (Reply::Hooks(a), Reply::Hooks(b)) => a == b,
            (Reply::Fence { report, outside }, Reply::Fence { report: other, outside: others }) => {
                report == other && outside == others
            }
            (Reply::Transcript(a), Reply::Transcript(b)) => {
                a.iter().map(|it| it.id).eq(b.iter().map(|it| it.id))
            }
            _ => false,
        }
    }
}

/// How things stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The session.
    pub session: SessionId,
    /// The working folder.
    pub folder: AbsPath,
    /// The permission mode.
    pub mode: Mode,
    /// The model that will be asked next.
    pub model: String,
    /// How many tokens it can read, if that is known.
    pub window: Option<u64>,
    /// Names of the tools that are offered.
    pub tools: Vec<String>,
    /// What the session has used, model by model, with its agents.
    pub spent: BTreeMap<String, Spent>,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// The plan file, once there is a name for it.
    pub plan: Option<AbsPath>,
    /// Names of the agents that can be started.
    pub agents: Vec<String>,
    /// Turns that are running or wait to.
    pub turns_due: usize,
}

/// A command that was not carried out, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no such question, or it has been answered.
    #[error("Question `{0}` is not open; it was answered before, or belongs to another session")]
    NotOpen(QuestionId),
    /// Nothing was said.
    #[error("The prompt is empty; say what to do")]
    EmptyPrompt,
    /// There is nothing to run.
    #[error("There is no command to run; type one after `!`")]
    EmptyLine,
    /// The answer does not fit the question.
    #[error("This answer does not fit question `{0}`; it is still open")]
    DoesNotFit(QuestionId),
    /// The plan was changed while it was being reviewed.
    #[error(
        "The plan has changed since it was shown, so nothing was approved; it is shown again as it is now"
    )]
    PlanChanged,
    /// Something about the plan could not be done.
    #[error("{0}")]
    Plan(String),
    /// The mode was not changed.
    #[error("{0}")]
    Mode(String),
    /// Agents could not be defined.
    #[error("The agents were not taken: {0}")]
    Agents(String),
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
