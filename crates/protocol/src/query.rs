//! What front ends ask, and what they are told.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, Entry, EntryId, FenceReport, HookListed, Mode, ModelListed, PlanQuery, PlanShown, RuleOrigin,
    RunningShell, SessionId, Spent, Todo,
};

/// Something a front end wants to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// How things stand.
    Status,
    /// Which models there are.
    Models,
    /// Which files the project has: paths from the working folder, without what is ignored.
    Files,
    /// What stands in the journal.
    Transcript {
        /// Nothing after this entry, so that what a front end heard since it attached does not come twice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<EntryId>,
    },
    /// Which rules are in force.
    Rules,
    /// Which hooks there are.
    Hooks,
    /// What the kernel holds. Apart from the status: finding out takes a moment, the first time.
    Fence,
    /// Something about plans.
    Plan(PlanQuery),
}

/// The answer to a query.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
    /// What there is to see of plans.
    Plan(PlanShown),
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
            (Reply::Plan(a), Reply::Plan(b)) => a == b,
            _ => false,
        }
    }
}

/// How things stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
}
