//! A session's journal, open for writing.

use std::path::Path;
use std::sync::Arc;

use forelook_disk::{Appender, FileLock, Syncer};
use forelook_protocol::{AbsPath, Entry};

use crate::SessionError;

/// The only writer of a journal. Dropping it releases the session for other processes.
#[derive(Debug)]
pub struct Journal {
    pub(crate) appender: Appender,
    pub(crate) path: AbsPath,
    /// Held, never read. The lock is a file next to the journal, not the journal itself: it names its holder, and it
    /// can be taken before the journal exists.
    pub(crate) _lock: FileLock,
}

impl Journal {
    /// Appends an entry with a single write: either the whole entry is in the file, or the file is unchanged.
    pub fn append(&mut self, entry: &Entry) -> Result<(), SessionError> {
        self.append_all(std::slice::from_ref(entry))
    }

    /// Adds entries that belong together, with one write: all of them are in the file, or none.
    pub fn append_all(&mut self, entries: &[Entry]) -> Result<(), SessionError> {
        let lines = entries.iter().map(serde_json::to_vec).collect::<Result<Vec<_>, _>>()?;
        Ok(self.appender.append_lines(&lines)?)
    }

    /// A handle that lets another thread sync the lines to disk.
    pub fn syncer(&self) -> Arc<Syncer> {
        self.appender.syncer()
    }

    /// The file.
    pub fn path(&self) -> &AbsPath {
        &self.path
    }
}

/// The path of the lock for the journal at this path.
pub(crate) fn lock_path(journal: &Path) -> std::path::PathBuf {
    journal.with_extension("lock")
}
