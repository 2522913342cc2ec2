//! What front ends hear.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, AgentId, AnswerEvent, AnsweredBy, CallId, EndReason, Entry, HostRequest, RequestId, TurnId,
};

/// Something happened.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An entry that now stands in the journal. Never dropped.
    Recorded(Arc<Entry>),
    /// Something on its way. Neighbours may be merged when a front end is slow; the record supersedes it.
    Live(Live),
}

/// Something on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Live {
    /// A piece of a model's answer.
    Answer {
        /// Whose; nothing for the main agent.
        agent: Option<AgentId>,
        /// The piece.
        event: AnswerEvent,
    },
    /// Output of a running call.
    Output {
        /// The call.
        call: CallId,
        /// The piece.
        text: String,
    },
    /// A call has been running for over a second. A newer one of the same call supersedes it.
    Progress {
        /// Whose call; nothing for the main agent. Ids of calls are unique within one conversation only.
        agent: Option<AgentId>,
        /// The call.
        call: CallId,
        /// How long it has been running.
        elapsed_ms: u64,
        /// How far it is, in its tool's words, such as `12,000 files searched`.
        note: Option<String>,
    },
    /// Something a person should know.
    Notice(Notice),
    /// The plan is open in the person's editor, or no longer.
    PlanEditor(PlanEditor),
    /// Something this front end can answer that is not in the journal.
    Request(Box<HostRequest>),
    /// Such a request was closed.
    RequestClosed {
        /// Which.
        request: RequestId,
        /// By whom.
        by: AnsweredBy,
    },
    /// A turn ended, and its end could not be written to the journal.
    Unrecorded {
        /// Which turn.
        turn: TurnId,
        /// How it ended.
        reason: EndReason,
    },
    /// The session has ended; nothing follows.
    Closed,
}

/// The plan in the person's editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanEditor {
    /// The file.
    pub path: AbsPath,
    /// The editor.
    pub editor: String,
    /// How far it is.
    pub state: EditorState,
}

/// How far an editor is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditorState {
    /// It is about to open.
    Opening {
        /// Whether it takes the terminal that a front end draws on, until it ends.
        in_terminal: bool,
    },
    /// It has the file; if it took the terminal, it has ended.
    Opened,
    /// It did not open, or failed.
    Failed {
        /// Why.
        why: String,
    },
}

/// Something a person should know that is not part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// How serious.
    pub level: NoticeLevel,
    /// What happened, and what to do about it.
    pub text: String,
}

/// How serious a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something was not as it should be, and work goes on.
    Warning,
    /// Something failed.
    Error,
}
