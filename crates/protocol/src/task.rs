//! What runs beside the conversation: background shells and subagents.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentId, Confinement};

/// A background shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundShell {
    /// Its ID, such as `shell_1`.
    pub id: String,
    /// Its command, shortened to one line.
    pub command: String,
    /// How the kernel has confined it since it started.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub sandbox: Confinement,
}

/// A background shell that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShellEnded {
    /// Its ID.
    pub shell: String,
    /// How it ended, in a few words.
    pub how: String,
}

/// A background shell or a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Which one.
    pub id: TaskId,
    /// The command of a shell, or the kind and task of a subagent.
    pub about: String,
    /// The subagent whose shell it is; absent for the main agent's, and for subagents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// How the kernel confines a shell.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub sandbox: Confinement,
    /// Whether it is running.
    pub state: TaskState,
    /// How long it has been running, or ran, in milliseconds.
    pub ran_ms: u64,
}

/// A background shell or a subagent, by its ID.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskId {
    /// A background shell, such as `shell_1`.
    Shell(String),
    /// A subagent.
    Agent(AgentId),
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskId::Shell(shell) => f.write_str(shell),
            TaskId::Agent(agent) => agent.fmt(f),
        }
    }
}

/// Whether a task is running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It is running.
    Running,
    /// It ended.
    Ended {
        /// How, in a few words.
        how: String,
    },
}
