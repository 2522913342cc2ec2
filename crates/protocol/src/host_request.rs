//! What a session asks its front ends, and how they answer.
//!
//! Requests and answers are matched by ID. Some requests are for the user (a permission, a question, a plan): their
//! start and end are journal entries, so that a killed session knows what it was waiting for. The others are for a
//! program (a hook of the host, a file in an editor's buffer): they end with the connection and arrive as
//! [`crate::LiveEvent::Request`]. Only an answer from the user counts as consent.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AbsPath, AgentId, CallId, ChangePreview, FrontEndId, PermissionUpdate, PlanAnswer, PlanReview, Reason,
    RequestId, RunningShell,
};

/// A request that a front end must answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostRequest {
    /// Its ID; the answer must repeat it.
    pub id: RequestId,
    /// The tool call that is waiting, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The agent that made the call; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The request itself.
    pub ask: HostAsk,
}

/// The content of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostAsk {
    /// Asks for permission to run a tool call.
    Permission {
        /// The tool.
        tool: String,
        /// Exactly the input that will be used.
        input: Value,
        /// Why approval is needed.
        reason: Reason,
        /// What it would change in a file, if it edits one. It was worked out from the file as it was when this was
        /// asked; if the file changes meanwhile, the call fails.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<Box<ChangePreview>>,
    },
    /// Asks whether the model may enter plan mode before it does anything.
    EnterPlan {
        /// The path of the plan file.
        path: AbsPath,
    },
    /// Asks for a review of the plan.
    Review(Box<PlanReview>),
    /// Asks whether commands that were already running when planning started may keep running outside the fence. Any
    /// answer other than yes stops them.
    Running {
        /// The commands.
        shells: Vec<RunningShell>,
    },
    /// Questions from the model.
    Choose {
        /// One to four questions.
        questions: Vec<PersonQuestion>,
    },
    /// Read a file from the editor, including unsaved changes.
    ReadFile {
        /// The file.
        path: AbsPath,
    },
    /// Write a file through the editor.
    WriteFile {
        /// The file.
        path: AbsPath,
        /// Its complete text.
        text: String,
    },
    /// Run a command in the editor's terminal.
    RunCommand {
        /// The command, as for `bash -c`.
        command: String,
        /// The working directory.
        folder: AbsPath,
    },
    /// A message for an MCP server that runs in the host.
    Mcp {
        /// The server.
        server: String,
        /// A JSON-RPC message.
        message: Value,
    },
    /// Run a hook that this front end defined.
    Hook {
        /// The ID of the callback.
        callback: String,
        /// What a command hook would read from its standard input.
        input: Value,
    },
}

/// The kinds of requests; a front end declares which it can answer when it attaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// [`HostAsk::Permission`].
    Permission,
    /// [`HostAsk::EnterPlan`].
    EnterPlan,
    /// [`HostAsk::Review`].
    Review,
    /// [`HostAsk::Running`].
    Running,
    /// [`HostAsk::Choose`].
    Choose,
    /// [`HostAsk::ReadFile`].
    ReadFile,
    /// [`HostAsk::WriteFile`].
    WriteFile,
    /// [`HostAsk::RunCommand`].
    RunCommand,
    /// [`HostAsk::Mcp`].
    Mcp,
    /// [`HostAsk::Hook`].
    Hook,
}

impl RequestKind {
    /// The kinds that the user answers.
    pub const PERSONS: [RequestKind; 5] = [
        RequestKind::Permission,
        RequestKind::EnterPlan,
        RequestKind::Review,
        RequestKind::Running,
        RequestKind::Choose,
    ];

    /// Whether the user answers it. If so, it is in the journal, and its answer can be consent.
    pub fn is_for_person(self) -> bool {
        RequestKind::PERSONS.contains(&self)
    }
}

impl HostAsk {
    /// Its kind.
    pub fn kind(&self) -> RequestKind {
        match self {
            HostAsk::Permission { .. } => RequestKind::Permission,
            HostAsk::EnterPlan { .. } => RequestKind::EnterPlan,
            HostAsk::Review(_) => RequestKind::Review,
            HostAsk::Running { .. } => RequestKind::Running,
            HostAsk::Choose { .. } => RequestKind::Choose,
            HostAsk::ReadFile { .. } => RequestKind::ReadFile,
            HostAsk::WriteFile { .. } => RequestKind::WriteFile,
            HostAsk::RunCommand { .. } => RequestKind::RunCommand,
            HostAsk::Mcp { .. } => RequestKind::Mcp,
            HostAsk::Hook { .. } => RequestKind::Hook,
        }
    }
}

/// A question from the model, with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonQuestion {
    /// The question, in full.
    pub question: String,
    /// A short header, at most 12 characters.
    pub header: String,
    /// The options; a free-text answer is always possible too.
    pub options: Vec<PersonOption>,
    /// Whether the user can choose several options.
    #[serde(rename = "multiSelect", default)]
    pub multi_select: bool,
}

/// An option for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonOption {
    /// A short label.
    pub label: String,
    /// What the option means.
    #[serde(default)]
    pub description: String,
    /// A preview, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// How a request was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostAnswer {
    /// Allows exactly this call, and optionally adds rules.
    Allow {
        /// Rules to add, for this session or saved.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        updates: Vec<PermissionUpdate>,
        /// A different input to use. It is validated and decided again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// Denies the call, optionally with feedback from the user.
    Deny {
        /// The user's feedback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// Answers to the model's questions, in order.
    Chosen {
        /// One for each question.
        choices: Vec<QuestionAnswer>,
    },
    /// The reviewer's answer to a plan.
    Plan(PlanAnswer),
    /// The subject of the request changed in the meantime, so no answer counts.
    Outdated,
    /// The user dismissed the question without an answer.
    Dismissed,
    /// The turn was interrupted while the request was open.
    Interrupted,
    /// No one is available to answer.
    Nobody,
    /// The text of a file.
    File {
        /// The complete text.
        text: String,
    },
    /// The file was written.
    Written,
    /// The command has exited.
    CommandEnded {
        /// Its exit code; absent if a signal ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// Its output.
        output: String,
    },
    /// The MCP server's answer.
    Mcp {
        /// A JSON-RPC message.
        message: Value,
    },
    /// The hook's answer, in the format that a command hook prints.
    Hook {
        /// The answer.
        output: Value,
    },
    /// The front end could not do it.
    Failed {
        /// The reason.
        message: String,
    },
}

impl HostAnswer {
    /// Allows this one call.
    pub fn yes() -> Self {
        HostAnswer::Allow { updates: Vec::new(), input: None }
    }
}

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionAnswer {
    /// Options, by label.
    Options(Vec<String>),
    /// Text from the user.
    FreeText(String),
    /// The user skipped this question.
    Skipped,
}

/// Who closed a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnsweredBy {
    /// The session itself: no one was available, or there was nothing left to answer.
    #[default]
    Session,
    /// A front end.
    FrontEnd {
        /// Its ID.
        id: FrontEndId,
        /// Its name.
        name: String,
    },
    /// A policy that was set in advance.
    Policy,
}

impl AnsweredBy {
    /// Whether it can be left out of the journal.
    pub(crate) fn is_session(&self) -> bool {
        *self == AnsweredBy::Session
    }
}

impl fmt::Display for AnsweredBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnsweredBy::Session => f.write_str("the session"),
            AnsweredBy::FrontEnd { name, .. } => f.write_str(name),
            AnsweredBy::Policy => f.write_str("a policy"),
        }
    }
}

/// The state of a request that was answered too late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RequestState {
    /// It was closed.
    Closed {
        /// Who closed it.
        by: AnsweredBy,
        /// The answer.
        answer: Box<HostAnswer>,
    },
    /// This session does not know it, or closed it long ago.
    Unknown,
}

impl fmt::Display for RequestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestState::Closed { by: AnsweredBy::Session, .. } => {
                f.write_str("it was closed without an answer")
            }
            RequestState::Closed { by, .. } => write!(f, "it was already answered by {by}"),
            RequestState::Unknown => f.write_str("it was already answered, or belongs to another session"),
        }
    }
}
