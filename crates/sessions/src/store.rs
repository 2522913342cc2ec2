//! The session store: creates, finds, opens, and reads sessions.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_disk::{Appender, FileLock};
use forelook_protocol::{AbsPath, Entry, EntryBody, SessionHeader, SessionId};

use crate::journal::{Journal, lock_path};
use crate::lines::{self, LineIter};
use crate::load::{self, LoadedJournal};
use crate::project::project_dir_name;
use crate::{SessionError, SessionProblem};

/// All sessions under one home folder.
#[derive(Debug, Clone)]
pub struct SessionStore {
    pub(crate) home: AbsPath,
}

/// A session, open for writing.
#[derive(Debug)]
pub struct OpenedSession {
    /// Where new entries are written.
    pub journal: Journal,
    /// The existing entries, starting with the header.
    pub entries: Vec<Entry>,
    /// Problems to report to the user.
    pub problems: Vec<SessionProblem>,
}

/// A snapshot of a session; another process may be writing to it.
#[derive(Debug)]
pub struct Transcript {
    /// The file.
    pub path: AbsPath,
    /// The entries, starting with the header.
    pub entries: Vec<Entry>,
    /// Problems to report to the user.
    pub problems: Vec<SessionProblem>,
}

/// A journal file that has not been read yet.
#[derive(Debug)]
pub(crate) struct JournalFile {
    pub(crate) id: SessionId,
    pub(crate) path: PathBuf,
    pub(crate) modified: SystemTime,
}

impl SessionStore {
    /// The sessions under this home folder, which does not have to exist yet.
    pub fn new(home: AbsPath) -> Self {
        Self { home }
    }

    /// The path of the journal for a session with this working directory.
    pub fn path_of(&self, folder: &AbsPath, id: SessionId) -> AbsPath {
        self.project_folder(folder).join(format!("{id}.jsonl"))
    }

    /// Creates a session with this header.
    pub fn create(&self, first: &Entry) -> Result<Journal, SessionError> {
        let header = header_of(first)?;
        let path = self.path_of(&header.folder, header.session);
        let lock = self.lock_new(&path, header.session)?;
        let appender = Appender::create(path.as_path())?;
        let mut journal = Journal { appender, path, lock };
        if let Err(error) = journal.append(first) {
            // An empty journal would only be in the way. Report the first error.
            let _ = forelook_disk::remove_file(journal.path());
            return Err(error);
        }
        Ok(journal)
    }

    /// Opens a session, whatever its folder, for this process alone.
    pub fn open(&self, id: SessionId) -> Result<OpenedSession, SessionError> {
        let path = self.find(id)?;
        let lock = FileLock::acquire(lock_path(&path)).map_err(|error| SessionError::from_lock(id, error))?;
        // Read before opening for writing: a journal that we cannot continue stays unchanged.
        let LoadedJournal { entries, problems } = load::load(&path, id, &read(&path)?)?;
        let (appender, _) = Appender::open_completing(&path, |line| lines::parse(line).is_ok())?;
        let journal = Journal { appender, path: absolute(&path)?, lock };
        Ok(OpenedSession { journal, entries, problems })
    }

    /// Reads a session without opening it: for lists and exports, or while another process has it open.
    pub fn read(&self, id: SessionId) -> Result<Transcript, SessionError> {
        let path = absolute(&self.find(id)?)?;
        let LoadedJournal { entries, problems } = load::load(path.as_path(), id, &read(path.as_path())?)?;
        Ok(Transcript { path, entries, problems })
    }

    /// Reads only the first line of a session, which names its folder.
    pub fn header(&self, id: SessionId) -> Result<SessionHeader, SessionError> {
        let path = self.find(id)?;
        let unreadable = |source| SessionError::Unreadable { path: path.clone(), source };
        let mut line = Vec::new();
        let file = File::open(&path).map_err(unreadable)?;
        BufReader::new(file).read_until(b'\n', &mut line).map_err(unreadable)?;
        let (_, header) = load::header(&path, LineIter::new(&line).next().unwrap_or_default())?;
        Ok(header)
    }

    /// The last written session of this folder. Reads only the first line of the newest journal.
    pub fn newest(&self, folder: &AbsPath) -> Result<Option<SessionId>, SessionError> {
        let mut found = journals_in(self.project_folder(folder).as_path())?;
        // Sessions written at the same instant are ordered by ID, and IDs sort by creation time.
        found.sort_by_key(|one| std::cmp::Reverse((one.modified, one.id)));
        Ok(found.into_iter().find(has_header).map(|one| one.id))
    }

    /// The sessions of all folders whose IDs start with this text, oldest first.
    pub fn starting_with(&self, prefix: &str) -> Result<Vec<SessionId>, SessionError> {
        let mut found = Vec::new();
        for folder in self.project_folders()? {
            // A folder that cannot be read must not hide sessions in the others.
            let journals = journals_in(&folder).unwrap_or_default();
            found.extend(journals.iter().map(|one| one.id).filter(|id| id.to_string().starts_with(prefix)));
        }
        // A session that was copied is one.
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The journal of a session, in any project's folder. If there are copies, the last written one.
    pub(crate) fn find(&self, id: SessionId) -> Result<PathBuf, SessionError> {
        let name = format!("{id}.jsonl");
        let mut found: Option<(SystemTime, PathBuf)> = None;
        // A folder that cannot be read must not hide sessions in the others.
        let mut failed = SessionError::NotFound { id };
        for folder in self.project_folders()? {
            let path = folder.join(&name);
            match std::fs::metadata(&path).and_then(|found| found.modified()) {
                Ok(modified) => found = found.max(Some((modified, path))),
                Err(error)
                    if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {}
                Err(source) => failed = SessionError::Unreadable { path, source },
            }
        }
        found.map(|(_, path)| path).ok_or(failed)
    }

    pub(crate) fn project_folder(&self, folder: &AbsPath) -> AbsPath {
        self.home.join("projects").join(project_dir_name(folder))
    }

    pub(crate) fn project_folders(&self) -> Result<Vec<PathBuf>, SessionError> {
        Ok(dir_entries(self.home.join("projects").as_path())?
            .into_iter()
            .filter(|path| path.is_dir())
            .collect())
    }

    /// Creates the folder for a new journal, and takes the lock before the journal exists.
    pub(crate) fn lock_new(&self, path: &AbsPath, id: SessionId) -> Result<FileLock, SessionError> {
        if let Some(folder) = path.parent() {
            forelook_disk::make_private(&folder)?;
        }
        FileLock::acquire(lock_path(path.as_path())).map_err(|error| SessionError::from_lock(id, error))
    }
}

/// The header in the first entry of a new session.
pub(crate) fn header_of(entry: &Entry) -> Result<&SessionHeader, SessionError> {
    match &entry.body {
        EntryBody::SessionHeader(header) => Ok(header),
        body => Err(SessionError::NotAHeader { kind: body.kind().to_owned() }),
    }
}

/// The journals in a project's folder; none if the folder does not exist. Ignores files with other names.
pub(crate) fn journals_in(folder: &Path) -> Result<Vec<JournalFile>, SessionError> {
    let mut found = Vec::new();
    for path in dir_entries(folder)? {
        let Some(id) = id_of(&path) else { continue };
        match std::fs::metadata(&path) {
            Ok(data) if data.is_file() => {
                let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push(JournalFile { id, path, modified });
            }
            // A folder with that name, or a file that was just removed.
            _ => {}
        }
    }
    Ok(found)
}

/// Whether the file has more than an early kill leaves behind: nothing, or a partial first line. Opening the session
/// reports all other problems.
fn has_header(one: &JournalFile) -> bool {
    let mut line = Vec::new();
    let read = File::open(&one.path).and_then(|file| BufReader::new(file).read_until(b'\n', &mut line));
    read.is_err() || line.ends_with(b"\n") || lines::parse(&line).is_ok()
}

fn id_of(path: &Path) -> Option<SessionId> {
    if path.extension() != Some(OsStr::new("jsonl")) {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    // Other spellings of an ID (uppercase, without hyphens) would not be found again.
    stem.parse().ok().filter(|id: &SessionId| id.to_string() == stem)
}

pub(crate) fn dir_entries(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let unreadable = |source| SessionError::Unreadable { path: folder.to_path_buf(), source };
    match std::fs::read_dir(folder) {
        Ok(names) => names.map(|name| name.map(|name| name.path()).map_err(unreadable)).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unreadable(error)),
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SessionError> {
    std::fs::read(path).map_err(|source| SessionError::Unreadable { path: path.to_path_buf(), source })
}

fn absolute(path: &Path) -> Result<AbsPath, SessionError> {
    let relative = |_| forelook_disk::DiskError::Relative { path: path.to_path_buf() };
    Ok(AbsPath::new(path).map_err(relative)?)
}
