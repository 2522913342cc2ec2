//! Transcripts: the journals of sessions, and their todos.
//!
//! ```text
//! {home}/projects/{project}/{session}.jsonl    one line per entry, append-only
//! {home}/projects/{project}/{session}.lock     while a process has it open
//! {home}/todos/{session}-agent-{agent}.json    todo list
//! ```
//!
//! A problem with a file is a [`SessionProblem`], returned together with everything that could be read: one bad line
//! never affects the others. A [`SessionError`] is only for files that must not be written to or are not journals.

mod error;
mod fork;
mod journal;
mod leftovers;
mod lines;
mod list;
mod load;
mod problem;
mod project;
mod reading;
mod store;
mod todos;

pub use error::SessionError;
/// Where the file of a journal is now.
pub use forelook_disk::FileLocation;
pub use journal::{Journal, JournalReader};
pub use list::{SessionList, SessionSummary};
pub use problem::SessionProblem;
pub use store::{NewestSession, OpenedSession, SessionStore, Transcript};
