//! A new session with the history of an old one.

use forelook_disk::{Appender, Permissions};
use forelook_protocol::{Entry, SessionId};

use crate::journal::Journal;
use crate::lines::{self, Lines};
use crate::load::{self, Loaded};
use crate::store::{header_of, read};
use crate::{Opened, SessionError, Store};

impl Store {
    /// Makes a new session that begins with this header and goes on with all that the old one holds.
    ///
    /// The old lines are copied byte for byte, so that kinds and fields that we do not know survive. For
    /// the same reason nobody's `parent` is rewritten: the new header takes the id of the old one, which
    /// keeps the chain whole. The old session is not locked, since this is the way out when another process has
    /// it; a line that is being written there at this moment is left out.
    ///
    /// The file appears whole or not at all; the todos are copied before it, so a fork that exists has
    /// them.
    pub fn fork(&self, from: SessionId, header: &Entry) -> Result<Opened, SessionError> {
        let new = header_of(header)?;
        let old_path = self.find(from)?;
        let bytes = read(&old_path)?;
        let mut old = Lines::new(&bytes);
        let (first, _) = load::header(&old_path, old.next().unwrap_or_default())?;
        let header = Entry { id: first.id, ..header.clone() };
        let history = whole_lines(old.rest());

        let path = self.path_of(&new.folder, new.session);
        let lock = self.lock_new(&path, new.session)?;
        let mut problems = self.copy_todos(from, new.session)?;
        let first = serde_json::to_vec(&header)?;
        forelook_disk::create_new(&path, &[&first, b"\n", history], Permissions::Private)?;

        let (appender, _) = Appender::open_unless(path.as_path(), |line| lines::parse(line).is_ok())?;
        let written = read(path.as_path())?;
        let loaded: Loaded = load::load(path.as_path(), new.session, &written)?;
        problems.extend(loaded.problems);
        let journal = Journal { appender, path, _lock: lock };
        Ok(Opened { journal, entries: loaded.entries, problems })
    }
}

/// Everything up to the last newline, and after it what is a whole entry without one.
fn whole_lines(history: &[u8]) -> &[u8] {
    let end = history.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (whole, rest) = history.split_at(end);
    if lines::parse(rest).is_ok() { history } else { whole }
}
