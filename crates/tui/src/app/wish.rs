//! What the program wants done outside of it, and what comes back.

use std::sync::Arc;

use forelook_protocol::{
    AbsPath, Command, Entry, EntryId, PlanShown, Query, Refused, Reply, SessionId, SessionListed, UserBlock,
};
use serde_json::Value;

use crate::menu::{Match, Matching};

/// What the program should do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wish {
    /// Send this to the session, behind what was sent before.
    Send(Command),
    /// See to this beside everything else; what it brings comes back.
    See(Errand),
    /// Keep what the person said for sessions to come.
    Remember(String),
    /// Write this to the terminal: a title, a bell.
    Escape(String),
    /// Leave.
    Leave(Left),
    /// Stop until the person comes back.
    Suspend,
}

/// How the program was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// For good.
    Done,
    /// For another session.
    For(SessionId),
    /// For a new session.
    ForNew,
    /// The terminal is gone, or a signal came.
    Lost,
}

/// Something that takes a while.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Errand {
    Ask(Query),
    /// What stood in the journal when this front end attached.
    Before(Option<EntryId>),
    Edit(String),
    Sessions,
    History,
    Picture(String),
    CopiedPicture,
    Branch,
    StatusLine(Value),
    Write {
        name: String,
        text: String,
    },
    KeepTheme(&'static str),
    /// Which files fit to what is typed.
    Match(Matching),
}

/// What an errand brought.
#[derive(Debug)]
pub(crate) enum Brought {
    /// What came of a command, and what is to be shown of it.
    Sent(Result<Option<PlanShown>, Refused>),
    Reply(Result<Reply, Refused>),
    Before(Vec<Arc<Entry>>),
    Edited(Result<String, String>),
    Sessions(Result<Vec<SessionListed>, String>),
    History(Vec<String>),
    /// A picture, and the path that was asked for, if it was one.
    Picture(Option<String>, Option<UserBlock>),
    Branch(Option<String>),
    StatusLine(Result<Option<String>, String>),
    Written(Result<AbsPath, String>),
    ThemeKept(Result<(), String>),
    /// Files that fit, and the number of the question.
    Matches(u64, Vec<Match>),
}
