//! What a session asks of its front ends, and what they answer.
//!
//! One pair of types, joined by an id. Some requests are for a person (a permission, a question, a plan): they are
//! entries in the journal when they open and when they close, so that a killed session knows what it was waiting for.
//! The others are for a program (a hook of the host's, a file in an editor's buffer): they die with the connection and
//! are told as [`crate::Live::Request`]. Nothing but a person's own answer reads as consent.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AbsPath, AgentId, CallId, FrontEndId, PermissionUpdate, PlanAnswer, Reason, RequestId, Review,
    RunningShell,
};

/// Something that waits for an answer of a front end's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostRequest {
    /// Its id; the answer must name it.
    pub id: RequestId,
    /// The call that waits, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Whose call it is; nothing for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What is asked.
    pub ask: HostAsk,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostAsk {
    /// May this call run?
    Permission {
        /// The tool.
        tool: String,
        /// Exactly the input that will be used.
        input: Value,
        /// Why it is asked.
        reason: Reason,
    },
    /// The model wants to plan before it does anything. May it?
    EnterPlan {
        /// Where the plan would be.
        path: AbsPath,
    },
    /// Is this plan good?
    Review(Box<Review>),
    /// Planning has begun, and these run since before, outside of what planning can hold. May they go on? Anything but a
    /// yes ends them.
    Running {
        /// What runs.
        shells: Vec<RunningShell>,
    },
    /// The model's own questions.
    Choose {
        /// One to four questions.
        questions: Vec<PersonQuestion>,
    },
    /// Read a file as the editor has it, unsaved changes included.
    ReadFile {
        /// The file.
        path: AbsPath,
    },
    /// Write a file through the editor.
    WriteFile {
        /// The file.
        path: AbsPath,
        /// Its whole text.
        text: String,
    },
    /// Run a command in the editor's terminal.
    RunCommand {
        /// The line, as for `bash -c`.
        command: String,
        /// Where.
        folder: AbsPath,
    },
    /// A message for an MCP server that lives in the host.
    Mcp {
        /// The server.
        server: String,
        /// A JSON-RPC message.
        message: Value,
    },
    /// Carry out a hook that this front end defined.
    Hook {
        /// The id that it gave the callback.
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
    /// Those that a person answers.
    pub const PERSONS: [RequestKind; 5] = [
        RequestKind::Permission,
        RequestKind::EnterPlan,
        RequestKind::Review,
        RequestKind::Running,
        RequestKind::Choose,
    ];

    /// Whether a person answers it: then it is in the journal, and its answer can be consent.
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

/// One question of the model's, with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonQuestion {
    /// The question, in full.
    pub question: String,
    /// A word or two to head it, at most 12 characters.
    pub header: String,
    /// What to choose from; free text is always possible beside them.
    pub options: Vec<PersonOption>,
    /// Whether several may be chosen.
    #[serde(rename = "multiSelect", default)]
    pub multi_select: bool,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonOption {
    /// A few words.
    pub label: String,
    /// What choosing it means.
    #[serde(default)]
    pub description: String,
    /// Something to look at while choosing, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// How a request was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostAnswer {
    /// Yes, to exactly this call; and what is to hold from now on, if anything.
    Allow {
        /// Rules to add, for this session or saved.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        updates: Vec<PermissionUpdate>,
        /// The input to use instead of the one that was shown. It is checked and decided anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// No, with what the person said, if anything.
    Deny {
        /// The person's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// Answers to the model's questions, in order.
    Chosen {
        /// One for each question.
        choices: Vec<Choice>,
    },
    /// What a reviewer says of a plan.
    Plan(PlanAnswer),
    /// What was asked about has changed meanwhile, so that no answer to it counts.
    Outdated,
    /// The person put the question away without an answer.
    Dismissed,
    /// The turn was interrupted while the request was open.
    Interrupted,
    /// Nobody is there who could answer.
    Nobody,
    /// The text of a file.
    File {
        /// All of it.
        text: String,
    },
    /// The file was written.
    Written,
    /// The command has ended.
    CommandEnded {
        /// Its exit code; nothing if a signal ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// What it wrote.
        output: String,
    },
    /// The MCP server's answer.
    Mcp {
        /// A JSON-RPC message.
        message: Value,
    },
    /// What the hook said, in the form that a command hook prints.
    Hook {
        /// The answer.
        output: Value,
    },
    /// The front end could not do it.
    Failed {
        /// Why not.
        message: String,
    },
}

impl HostAnswer {
    /// Yes, this once.
    pub fn yes() -> Self {
        HostAnswer::Allow { updates: Vec::new(), input: None }
    }
}

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Options, by label.
    Options(Vec<String>),
    /// Words of the person's own.
    Words(String),
    /// The person left this one out.
    Skipped,
}

/// Who closed a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnsweredBy {
    /// The session itself: nobody was there, or there was nothing left to answer.
    #[default]
    Session,
    /// A front end.
    FrontEnd {
        /// Which.
        id: FrontEndId,
        /// What it calls itself.
        name: String,
    },
    /// What was said beforehand.
    Policy,
}

impl AnsweredBy {
    /// Whether it is not worth writing down.
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

/// How a request stands that was answered too late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RequestState {
    /// It was closed.
    Closed {
        /// Who closed it.
        by: AnsweredBy,
        /// How.
        answer: Box<HostAnswer>,
    },
    /// This session does not know it, or closed it long ago.
    Unknown,
}

impl fmt::Display for RequestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestState::Closed { by: AnsweredBy::Session, .. } => f.write_str("it was closed unanswered"),
            RequestState::Closed { by, .. } => write!(f, "it was answered before, by {by}"),
            RequestState::Unknown => f.write_str("it was answered before, or belongs to another session"),
        }
    }
}
