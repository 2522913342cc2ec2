//! The transcript: journals of sessions, and the todos beside them.
//!
//! ```text
//! {home}/projects/{project}/{session}.jsonl    one line an entry, only ever added to
//! {home}/projects/{project}/{session}.lock     while a process has it open
//! {home}/todos/{session}-agent-{agent}.json    what is to be done
//! ```
//!
//! What is wrong with a file is a [`Problem`] that is handed back beside what could be read: one bad line
//! never takes the others with it. Only what must not be written to, or is no journal, is a
//! [`SessionError`].

mod error;
mod fork;
mod journal;
mod lines;
mod list;
mod load;
mod problem;
mod project;
mod store;
mod todos;

pub use error::SessionError;
pub use journal::Journal;
pub use list::{Listing, Summary};
pub use problem::Problem;
pub use store::{Opened, Store, Transcript};
