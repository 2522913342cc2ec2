//! Why a session could not be had.

use std::path::PathBuf;

use forelook_disk::{DiskError, LockError};
use forelook_protocol::{FORMAT, SessionId};

/// A session was not made, opened or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("There is no session `{id}`\nSee `forelook sessions list` for those there are")]
    NotFound {
        /// What was looked for.
        id: SessionId,
    },
    /// Another process has it open, and one journal has one writer.
    #[error("Session `{id}` is in use by {}\nEnd that one first, or continue from a copy with --fork-session", who(*pid))]
    InUse {
        /// The session.
        id: SessionId,
        /// The process, where it is known.
        pid: Option<u32>,
    },
    /// Written by a later version of the program. Nothing was written to it.
    #[error(
        "`{}` has format {format}; this version knows formats up to {FORMAT}\nUpdate Forelook to continue it, or start a new session; the file was left as it is",
        path.display()
    )]
    Newer {
        /// The journal.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The first line does not say which session this is. Nothing was written to it.
    #[error(
        "`{}` does not begin with the line that every session begins with: {why}\nRestore its first line from a copy, or start a new session; the file was left as it is",
        path.display()
    )]
    NoHeader {
        /// The journal.
        path: PathBuf,
        /// What is there instead.
        why: String,
    },
    /// An entry that is no header was given where one begins a session.
    #[error("A session begins with an entry of kind `session`, not `{kind}`")]
    NotAHeader {
        /// The kind that was given.
        kind: String,
    },
    /// An entry that cannot be put into words.
    #[error("An entry could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file that could not be read.
    #[error("Could not read `{}`: {source}\nCheck its permissions and its folder's", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl SessionError {
    /// A lock that was not taken, in terms of the session that it guards.
    pub(crate) fn locking(id: SessionId, error: LockError) -> Self {
        match error {
            LockError::Held { pid, .. } => Self::InUse { id, pid },
            LockError::Disk(error) => Self::Disk(error),
        }
    }
}

fn who(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}
