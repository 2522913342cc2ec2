//! A session's journal, open for writing.

use std::path::Path;
use std::sync::Arc;

use forelook_disk::{Appender, Lock, Syncer};
use forelook_protocol::{AbsPath, Entry};

use crate::SessionError;

/// The one writer of a journal. The session is free for others when this is dropped.
#[derive(Debug)]
pub struct Journal {
    pub(crate) appender: Appender,
    pub(crate) path: AbsPath,
    /// Held, not used. A file beside the journal rather than the journal itself: it says who holds it,
    /// and it can be taken before a new journal exists.
    pub(crate) _lock: Lock,
}

impl Journal {
    /// Adds an entry, with one write: it is in the file, whole, or the file is as before.
    pub fn append(&mut self, entry: &Entry) -> Result<(), SessionError> {
        Ok(self.appender.append_line(&serde_json::to_vec(entry)?)?)
    }

    /// A handle with which another thread can bring the lines to the disk.
    pub fn syncer(&self) -> Arc<Syncer> {
        self.appender.syncer()
    }

    /// The file.
    pub fn path(&self) -> &AbsPath {
        &self.path
    }
}

/// The lock of the journal at this path.
pub(crate) fn lock_path(journal: &Path) -> std::path::PathBuf {
    journal.with_extension("lock")
}
