//! Reminders: texts for the model that come from neither the user nor a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, CallId};

/// Text for the model, in addition to prompts and tool results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reminder {
    /// What it is about.
    #[serde(flatten)]
    pub kind: ReminderKind,
    /// The text.
    pub text: String,
}

/// What a reminder is about, and the facts it was built from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReminderKind {
    /// Context from one of the user's hooks.
    Hook,
    /// Plan mode is on.
    PlanMode {
        /// Whether the text explains the whole workflow or is just one line.
        full: bool,
        /// Whether it is for a subagent, which gets a shorter text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        subagent: bool,
        /// The plan file.
        path: AbsPath,
        /// Whether the plan file exists.
        exists: bool,
        /// Why the plan file cannot be read, if it is there and cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
        /// Whether rehearsals are possible here.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        rehearsals: bool,
        /// Whether the reader has no tool to write the plan file with.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        only_reads: bool,
    },
    /// Plan mode is on again, and there is an earlier plan.
    PlanModeReentry {
        /// The plan file.
        path: AbsPath,
    },
    /// Plan mode is off.
    PlanModeExit {
        /// The plan file.
        path: AbsPath,
        /// Whether the plan file exists.
        exists: bool,
    },
    /// The plan itself, for a conversation that lost it.
    PlanFileReference {
        /// The plan file.
        path: AbsPath,
        /// The text of the plan.
        contents: String,
    },
    /// The todo list, for a conversation that lost it.
    Todos {
        /// How many todos there are.
        count: usize,
    },
    /// What runs in the background and what the user allowed or denied in the session, for a conversation that lost it.
    SessionState,
    /// Auto mode is off.
    AutoModeExit,
    /// The agent is read-only.
    ReadOnlyAgent,
    /// The model's last answer had no words and no calls.
    EmptyAnswer,
    /// A background shell ended.
    ShellEnded {
        /// The shell.
        shell: String,
    },
    /// Commands that started before plan mode are still running.
    PrePlanProcesses,
    /// The user ran a shell command.
    UserShell {
        /// The ID that its output was reported under.
        call: CallId,
    },
    /// External tools were added or removed. The start of the request stays as it was sent; this reminder tells the
    /// model about the change.
    ToolsChanged {
        /// The tools that can be called from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        added: Vec<AddedTool>,
        /// The tools that can no longer be called. A tool whose definition changed is in both lists.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<String>,
    },
}

/// A tool that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddedTool {
    /// Its name.
    pub name: String,
    /// Changes whenever the tool's definition changes.
    pub fingerprint: String,
}
