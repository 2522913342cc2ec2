//! Why a session could not be used.

use std::path::{Path, PathBuf};

use forelook_disk::{DiskError, LockError};
use forelook_protocol::{FORMAT, SessionId};

/// A session could not be created, opened, or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("No session with the ID `{id}`\nRun `forelook sessions list` to see your sessions")]
    NotFound {
        /// The ID that was looked up.
        id: SessionId,
    },
    /// Another process has it open. A journal has only one writer.
    #[error("Session `{id}` is in use by {}\nClose it there first, or continue in a copy with --fork-session", lock_holder(*pid))]
    InUse {
        /// The session.
        id: SessionId,
        /// The process, if known.
        pid: Option<u32>,
    },
    /// A later version of Forelook wrote it. The file was not changed.
    #[error(
        "`{}` has format {format}; this version supports formats up to {FORMAT}\nUpdate Forelook to continue it, or start a new session; the file was not changed",
        path.display()
    )]
    NewerFormat {
        /// The journal.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The first line does not identify the session. The file was not changed.
    #[error(
        "`{}` does not start with a session header: {why}\nRestore its first line from a backup, or start a new session; the file was not changed",
        path.display()
    )]
    NoHeader {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A folder, a pipe or a device is where the journal should be.
    #[error("`{}` is not a file\nMove it away, and restore the journal from a backup", path.display())]
    NotRegular {
        /// The path of the journal.
        path: PathBuf,
    },
    /// The newest session of a folder cannot be continued. An older one must be asked for.
    #[error("{error}\nTo continue an older session, choose it with `forelook -r`")]
    Newest {
        /// Why not.
        error: Box<SessionError>,
    },
    /// An entry that is longer than what is read back.
    #[error("An entry of {length} bytes is too long for the journal; the limit is {limit} bytes")]
    TooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A session was created with an entry that is not a header.
    #[error("A session must start with a `session_header` entry, not `{kind}`")]
    NotAHeader {
        /// The kind that was given.
        kind: String,
    },
    /// An entry that cannot be written as JSON.
    #[error("Cannot write an entry as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A disk error.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file or folder that could not be read.
    #[error("Cannot read `{}`: {source}\nCheck the permissions of the file and its folder", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error from the operating system.
        source: std::io::Error,
    },
}

impl SessionError {
    /// What turns a failure to read this file into an error.
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_path_buf(), source }
    }

    /// Turns a failure to take a lock into an error about its session.
    pub(crate) fn from_lock(id: SessionId, error: LockError) -> Self {
        match error {
            LockError::Held { pid, .. } => Self::InUse { id, pid },
            LockError::Disk(error) => Self::Disk(error),
        }
    }
}

fn lock_holder(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}
