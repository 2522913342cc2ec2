//! The events that front ends receive.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, AgentId, AnswerEvent, AnsweredBy, CallId, EndReason, Entry, EntryId, HostRequest, RequestId,
    TurnId,
};

/// An event.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An entry that was written to the journal. Never dropped.
    Recorded(Arc<Entry>),
    /// Work in progress. If a front end is slow, adjacent events may be merged. The recorded entry replaces them.
    Live(LiveEvent),
}

/// Work in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveEvent {
    /// A part of a model's response.
    Answer {
        /// The agent; absent for the main agent.
        agent: Option<AgentId>,
        /// The part.
        event: AnswerEvent,
    },
    /// Output of a running call.
    Output {
        /// The call.
        call: CallId,
        /// A part of the output.
        text: String,
    },
    /// A call has been running for more than a second. A newer event for the same call replaces it.
    Progress {
        /// The agent that made the call; absent for the main agent. Call IDs are unique only within one conversation.
        agent: Option<AgentId>,
        /// The call.
        call: CallId,
        /// How long it has been running.
        elapsed_ms: u64,
        /// The tool's progress as text, such as `12,000 files searched`.
        note: Option<String>,
    },
    /// A notice for the user.
    Notice(Notice),
    /// The journal was removed or moved while it was written. Sent once. The session goes on, but what follows is not
    /// saved, or not where it will be found, so a run without a screen must not count as a success.
    JournalLost(Notice),
    /// The state of the plan in the user's editor.
    PlanEditor(PlanEditor),
    /// A request that this front end can answer and that is not in the journal.
    Request(Box<HostRequest>),
    /// Such a request was closed.
    RequestClosed {
        /// The request.
        request: RequestId,
        /// Who closed it.
        by: AnsweredBy,
    },
    /// A turn ended, but its end could not be written to the journal.
    Unrecorded {
        /// The turn.
        turn: TurnId,
        /// Why it ended.
        reason: EndReason,
    },
    /// A queued prompt was not started, because the journal cannot be written. It stays in the journal, and starts when the
    /// session is resumed.
    NotStarted {
        /// The entry that queued it.
        prompt: EntryId,
        /// Why it was not started.
        message: String,
    },
    /// The session failed inside Forelook: nothing that was begun will end, and `Closed` follows. A run without a screen must
    /// not count as a success.
    Failed(Notice),
    /// The session has ended; nothing follows.
    Closed,
}

/// The state of the plan in the user's editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanEditor {
    /// The file.
    pub path: AbsPath,
    /// The editor.
    pub editor: String,
    /// The state.
    pub state: EditorState,
}

/// The state of an editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditorState {
    /// It is about to open.
    Opening {
        /// Whether it uses the front end's terminal until it exits.
        in_terminal: bool,
    },
    /// It has opened the file; if it used the terminal, it has exited.
    Opened,
    /// It did not open, or failed.
    Failed {
        /// The reason.
        why: String,
    },
}

/// A notice for the user that is not part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// How serious it is.
    pub level: NoticeLevel,
    /// What happened, and what to do about it.
    pub text: String,
}

/// How serious a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Information.
    Info,
    /// Something is wrong, but work continues.
    Warning,
    /// Something failed.
    Error,
}
