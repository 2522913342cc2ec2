//! A new session with the history of an old one.

use forelook_disk::{Appender, Permissions};
use forelook_protocol::{Entry, SessionId};

use crate::journal::Journal;
use crate::lines::{self, LineIter};
use crate::load::{self, LoadedJournal};
use crate::reading::JournalText;
use crate::store::header_of;
use crate::{OpenedSession, SessionError, SessionStore};

impl SessionStore {
    /// Creates a new session with this header, followed by everything in the old session.
    ///
    /// The old lines are copied byte for byte, so that unknown kinds and fields survive; only of lines that cannot be
    /// entries the start is enough. For the same reason, no
    /// `parent` is rewritten: the new header takes the ID of the old one, which keeps the chain intact. The old session
    /// is not locked, because forking is the way out when another process has it open; a line that is being written at
    /// that moment is left out.
    ///
    /// The file appears complete or not at all. The todos are copied first, so a fork that exists has them.
    pub fn fork(&self, from: SessionId, header: &Entry) -> Result<OpenedSession, SessionError> {
        let new = header_of(header)?;
        let old_path = self.find(from)?;
        let text = JournalText::open(&old_path)?;
        let mut old = LineIter::new(&text.bytes);
        let (first, _) = load::header(&old_path, old.next().unwrap_or_default().bytes)?;
        let header = Entry { id: first.id, ..header.clone() };
        let history = whole_lines(old.rest());

        let path = self.path_of(&new.folder, new.session);
        let lock = self.lock_new(&path, new.session)?;
        let mut problems = self.copy_todos(from, new.session)?;
        let first = serde_json::to_vec(&header)?;
        forelook_disk::create_new(&path, &[&first, b"\n", history], Permissions::Private)?;

        // Read before the end is cut off: a torn line may have changed permissions.
        let written = JournalText::open(path.as_path())?;
        let loaded: LoadedJournal = load::load(path.as_path(), new.session, &written)?;
        let (appender, _) = Appender::open_completing(path.as_path(), |line| !lines::is_torn(line))?;
        problems.extend(loaded.problems);
        let journal = Journal { appender, path, lock };
        Ok(OpenedSession { journal, entries: loaded.entries, gaps: loaded.gaps, problems })
    }
}

/// Everything up to the last newline, plus the rest if it is not a line that is being written, or one that may be missed.
fn whole_lines(history: &[u8]) -> &[u8] {
    let end = history.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (whole, rest) = history.split_at(end);
    let missed = !lines::is_torn(rest) || lines::changes_permissions(rest);
    if missed { history } else { whole }
}
