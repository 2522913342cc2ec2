//! What the program wants done outside of it, and what comes back.

use std::sync::Arc;

use forelook_protocol::{
    AbsPath, Command, CommandError, Entry, EntryId, PastPrompt, PlanReply, Query, Reply, SessionId,
    SessionInfo, UserBlock,
};
use serde_json::Value;

use crate::menu::{Match, MatchRequest};

/// What the program should do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UiEffect {
    /// Send this to the session, behind what was sent before.
    Send(Command),
    /// See to this beside everything else; what it brings comes back.
    Spawn(UiTask),
    /// Keep what the person said for sessions to come.
    Remember(PastPrompt),
    /// Write this to the terminal: a title, a bell.
    Escape(String),
    /// Leave.
    Leave(ExitReason),
    /// Stop until the person comes back.
    Suspend,
}

/// How the program was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// For good.
    Done,
    /// For another session.
    Resume(SessionId),
    /// For a new session.
    NewSession,
    /// To be asked about trust, and to go on with this session.
    AskTrust,
    /// The terminal is gone, or a signal came.
    Lost,
    /// The session broke off.
    Failed,
}

/// Something that takes a while.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UiTask {
    Ask(Query),
    /// What stood in the journal when this front end attached.
    Journal(Option<EntryId>),
    Edit(String),
    Sessions,
    History,
    Picture(String),
    ClipboardPicture,
    Branch,
    StatusLine(Value),
    Write {
        name: String,
        text: String,
    },
    SaveTheme(&'static str),
    /// Which files fit to what is typed.
    Match(MatchRequest),
}

/// What an errand brought.
#[derive(Debug)]
pub(crate) enum TaskResult {
    /// What came of a command, and what is to be shown of it.
    Sent(Result<Option<PlanReply>, CommandError>),
    Reply(Reply),
    /// This was asked, and not answered.
    Refused(Query, CommandError),
    Journal(Vec<Arc<Entry>>),
    Edited(Result<String, String>),
    Sessions(Result<Vec<SessionInfo>, String>),
    History(Vec<PastPrompt>),
    /// A picture, and the path that was asked for, if it was one.
    Picture(Option<String>, Option<UserBlock>),
    Branch(Option<String>),
    StatusLine(Result<Option<String>, String>),
    Written(Result<AbsPath, String>),
    ThemeSaved(Result<(), String>),
    /// Files that fit, and the number of the question.
    Matches(u64, Vec<Match>),
}
