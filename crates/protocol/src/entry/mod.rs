//! The journal, line by line.
//!
//! A line is `{"id", "parent", "time", "agent"?, "kind", "data"}`. `kind` comes before `data`, so that a loader knows
//! how to read the data. An unknown kind is kept as raw text and otherwise ignored.

mod body;
mod call;
mod compaction;
mod header;
mod line;
mod model;
mod permission;
mod prompt;
mod question;
mod reminder;
#[cfg(test)]
mod tests;
mod turn;
mod user_shell;

use jiff::Timestamp;

use crate::{AgentId, EntryId};

pub use body::EntryBody;
pub use call::{CallStatus, PermissionDecided, ToolFinished, ToolStarted};
pub use compaction::{ClearedResult, CompactTrigger, Compacted, KeptPrompt, ResultsCleared};
pub use header::{FORMAT, SessionHeader};
pub use line::EntryError;
pub use model::{ModelAnswered, ModelChanged, SmallModelAnswered};
pub use permission::{ModeChanged, PermissionsChanged};
pub use prompt::{PromptAccepted, PromptBlocked, PromptQueued, PromptsWithdrawn};
pub use question::{QuestionClosed, QuestionOpened};
pub use reminder::{AddedTool, Reminder, ReminderKind};
pub use turn::{EndReason, TurnEnded};
pub use user_shell::{UserShellEnded, UserShellStarted};

/// One line of a journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its ID.
    pub id: EntryId,
    /// The entry before it; `None` for the first.
    pub parent: Option<EntryId>,
    /// When it was written.
    pub time: Timestamp,
    /// The agent it belongs to; `None` for the main agent.
    pub agent: Option<AgentId>,
    /// What it records.
    pub body: EntryBody,
}
