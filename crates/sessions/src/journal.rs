//! A session's journal, open for writing.

use std::path::Path;
use std::sync::Arc;

use forelook_disk::{Appender, FileLocation, FileLock, LineReader, Syncer};
use forelook_protocol::{AbsPath, Entry, SessionId};

use crate::load::{self, LoadedJournal};
use crate::reading::{JournalText, MAX_LINE};
use crate::{SessionError, Transcript};

/// The only writer of a journal. Dropping it releases the session for other processes.
#[derive(Debug)]
pub struct Journal {
    pub(crate) appender: Appender,
    pub(crate) path: AbsPath,
    /// Held. The lock is a file next to the journal, not the journal itself: it names its holder, and it
    /// can be taken before the journal exists.
    pub(crate) lock: FileLock,
}

impl Journal {
    /// Appends an entry with a single write: either the whole entry is in the file, or the file is unchanged.
    pub fn append(&mut self, entry: &Entry) -> Result<(), SessionError> {
        self.append_all(std::slice::from_ref(entry))
    }

    /// Adds entries that belong together, with one write: all of them are in the file, or none.
    pub fn append_all(&mut self, entries: &[Entry]) -> Result<(), SessionError> {
        let lines = entries.iter().map(serde_json::to_vec).collect::<Result<Vec<_>, _>>()?;
        if let Some(length) = lines.iter().map(Vec::len).find(|length| *length > MAX_LINE) {
            return Err(SessionError::TooLong { length, limit: MAX_LINE });
        }
        Ok(self.appender.append_lines(&lines)?)
    }

    /// A handle that lets another thread sync the lines to disk.
    pub fn syncer(&self) -> Arc<Syncer> {
        self.appender.syncer()
    }

    /// Whether the process that wrote this session before was killed.
    pub fn is_after_kill(&self) -> bool {
        self.lock.after_kill()
    }

    /// Whether the file is still where it was opened: somebody may have removed or moved the home folder.
    pub fn location(&self) -> FileLocation {
        self.appender.location()
    }

    /// A handle that lets another thread read the entries, even if the file has lost its name.
    pub fn reader(&self, id: SessionId) -> JournalReader {
        JournalReader { lines: self.appender.reader(), path: self.path.clone(), id }
    }

    /// The file.
    pub fn path(&self) -> &AbsPath {
        &self.path
    }
}

/// Reads an open journal, from any thread.
#[derive(Debug)]
pub struct JournalReader {
    lines: LineReader,
    path: AbsPath,
    id: SessionId,
}

impl JournalReader {
    /// All entries up to now.
    pub fn read(&self) -> Result<Transcript, SessionError> {
        let text =
            JournalText::read(self.lines.stream()).map_err(SessionError::unreadable(self.path.as_path()))?;
        let LoadedJournal { entries, problems, .. } = load::load(self.path.as_path(), self.id, &text)?;
        Ok(Transcript { path: self.path.clone(), entries, problems })
    }
}

/// The path of the lock for the journal at this path.
pub(crate) fn lock_path(journal: &Path) -> std::path::PathBuf {
    journal.with_extension("lock")
}
