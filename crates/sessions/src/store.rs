//! The session store: creates, finds, opens, and reads sessions.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_disk::{Appender, FileLock};
use forelook_protocol::{AbsPath, Entry, EntryBody, SessionHeader, SessionId};

use crate::journal::{Journal, lock_path};
use crate::lines;
use crate::load::{self, LoadedJournal};
use crate::project::project_dir_name;
use crate::reading::{self, JournalText, LineEnd};
use crate::{SessionError, SessionProblem};

/// The longest header: its folder's path is as long as a path can be, with every byte escaped.
const MAX_HEADER: usize = 32 * 1024;

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
    /// Where entries are missing or of an unknown kind: before the entry with this index, or after the last one. What the
    /// session may do can have changed there.
    pub gaps: Vec<usize>,
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

/// The session of a folder that was written last.
#[derive(Debug, Default)]
pub struct NewestSession {
    /// The session; none if there is none.
    pub id: Option<SessionId>,
    /// Newer journals in which no session had begun, to report to the user: one may have been emptied.
    pub passed_over: Vec<SessionProblem>,
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
        let LoadedJournal { entries, gaps, problems } = load::load(&path, id, &JournalText::open(&path)?)?;
        // What is not just torn stays: it is the only trace of what was lost.
        let (appender, _) = Appender::open_completing(&path, |line| !lines::is_torn(line))?;
        let journal = Journal { appender, path: absolute(&path)?, lock };
        Ok(OpenedSession { journal, entries, gaps, problems })
    }

    /// Reads a session without opening it: for lists and exports, or while another process has it open.
    pub fn read(&self, id: SessionId) -> Result<Transcript, SessionError> {
        let path = absolute(&self.find(id)?)?;
        let text = JournalText::open(path.as_path())?;
        let LoadedJournal { entries, problems, .. } = load::load(path.as_path(), id, &text)?;
        Ok(Transcript { path, entries, problems })
    }

    /// Reads only the first line of a session, which names its folder.
    pub fn header(&self, id: SessionId) -> Result<SessionHeader, SessionError> {
        let path = self.find(id)?;
        let (line, _) = first_line(&path)?;
        Ok(load::header(&path, &line)?.1)
    }

    /// The last written session of this folder. Reads only the first line of the newest journal.
    ///
    /// A journal that is damaged is an error: an older session in its place would go unnoticed. Only one that an early
    /// kill left behind is passed over.
    pub fn newest(&self, folder: &AbsPath) -> Result<NewestSession, SessionError> {
        let mut newest = NewestSession::default();
        let mut found = journals_in(self.project_folder(folder).as_path())?;
        // Sessions written at the same instant are ordered by ID, and IDs sort by creation time.
        found.sort_by_key(|one| std::cmp::Reverse((one.modified, one.id)));
        for JournalFile { id, path, .. } in found {
            match has_begun(&path) {
                Ok(true) => {
                    newest.id = Some(id);
                    break;
                }
                Ok(false) => newest.passed_over.push(SessionProblem::NotBegun { path }),
                Err(error) => return Err(SessionError::Newest { error: Box::new(error) }),
            }
        }
        Ok(newest)
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

/// The journals in a project's folder; none if the folder does not exist. Ignores files with other names. Whether one
/// is a file is found out by whoever opens it.
pub(crate) fn journals_in(folder: &Path) -> Result<Vec<JournalFile>, SessionError> {
    let mut found = Vec::new();
    for path in dir_entries(folder)? {
        let Some(id) = id_of(&path) else { continue };
        // It may just have been removed.
        let Ok(data) = std::fs::metadata(&path) else { continue };
        let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        found.push(JournalFile { id, path, modified });
    }
    Ok(found)
}

/// Whether there is a session in the file. An early kill leaves nothing behind, or a part of the first line.
fn has_begun(path: &Path) -> Result<bool, SessionError> {
    let (line, end) = first_line(path)?;
    match load::header(path, &line) {
        // Opening the session says what there is to say.
        Ok(_) | Err(SessionError::NewerFormat { .. }) => Ok(true),
        Err(_) if !end.terminated && (line.is_empty() || is_torn_header(&line)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_torn_header(line: &[u8]) -> bool {
    line.len() <= MAX_HEADER && lines::is_torn(line)
}

/// The first line; empty if there is none.
fn first_line(path: &Path) -> Result<(Vec<u8>, LineEnd), SessionError> {
    let mut line = Vec::new();
    let end = reading::read_line(&mut reading::buffered(path)?, &mut line)
        .map_err(SessionError::unreadable(path))?;
    Ok((line, end.unwrap_or_default()))
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

fn absolute(path: &Path) -> Result<AbsPath, SessionError> {
    let relative = |_| forelook_disk::DiskError::Relative { path: path.to_path_buf() };
    Ok(AbsPath::new(path).map_err(relative)?)
}
