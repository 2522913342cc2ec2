//! Where the sessions are: made, found, opened and read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_disk::{Appender, Lock};
use forelook_protocol::{AbsPath, Body, Entry, Header, SessionId};

use crate::journal::{Journal, lock_path};
use crate::lines::{self, Lines};
use crate::load::{self, Loaded};
use crate::project::project;
use crate::{Problem, SessionError};

/// All sessions under one home folder.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) home: AbsPath,
}

/// A session, open for writing.
#[derive(Debug)]
pub struct Opened {
    /// Where further entries go.
    pub journal: Journal,
    /// What was there, the header first.
    pub entries: Vec<Entry>,
    /// What a person should hear.
    pub problems: Vec<Problem>,
}

/// A session as it was when it was looked at; another process may be writing it.
#[derive(Debug)]
pub struct Transcript {
    /// The file.
    pub path: AbsPath,
    /// What was there, the header first.
    pub entries: Vec<Entry>,
    /// What a person should hear.
    pub problems: Vec<Problem>,
}

/// A journal's file, not yet read.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) id: SessionId,
    pub(crate) path: PathBuf,
    pub(crate) written: SystemTime,
}

impl Store {
    /// The sessions under this home folder, which need not exist yet.
    pub fn new(home: AbsPath) -> Self {
        Self { home }
    }

    /// Where the journal of a session that works in this folder lies.
    pub fn path_of(&self, folder: &AbsPath, id: SessionId) -> AbsPath {
        self.project_folder(folder).join(format!("{id}.jsonl"))
    }

    /// Begins a session with its header.
    pub fn create(&self, first: &Entry) -> Result<Journal, SessionError> {
        let header = header_of(first)?;
        let path = self.path_of(&header.folder, header.session);
        let lock = self.lock_new(&path, header.session)?;
        let appender = Appender::create(path.as_path())?;
        let mut journal = Journal { appender, path, _lock: lock };
        if let Err(error) = journal.append(first) {
            // An empty journal would be in everybody's way. The first error is the one to tell.
            let _ = forelook_disk::remove_file(journal.path());
            return Err(error);
        }
        Ok(journal)
    }

    /// Opens a session, wherever it lies, for this process alone.
    pub fn open(&self, id: SessionId) -> Result<Opened, SessionError> {
        let path = self.find(id)?;
        let lock = Lock::take(lock_path(&path)).map_err(|error| SessionError::locking(id, error))?;
        // Read before it is opened for writing: what is not ours to continue stays as it is.
        let Loaded { entries, problems } = load::load(&path, id, &read(&path)?)?;
        let (appender, _) = Appender::open_unless(&path, |line| lines::parse(line).is_ok())?;
        let journal = Journal { appender, path: absolute(&path)?, _lock: lock };
        Ok(Opened { journal, entries, problems })
    }

    /// Reads a session without opening it: for lists and exports, or while another process has it.
    pub fn read(&self, id: SessionId) -> Result<Transcript, SessionError> {
        Self::read_at(&absolute(&self.find(id)?)?, id)
    }

    /// The same, where it is known in which file it is.
    pub fn read_at(path: &AbsPath, id: SessionId) -> Result<Transcript, SessionError> {
        let Loaded { entries, problems } = load::load(path.as_path(), id, &read(path.as_path())?)?;
        Ok(Transcript { path: path.clone(), entries, problems })
    }

    /// The first line of a session: which folder it belongs to. Nothing else is read.
    pub fn header(&self, id: SessionId) -> Result<Header, SessionError> {
        let path = self.find(id)?;
        let unreadable = |source| SessionError::Unreadable { path: path.clone(), source };
        let mut line = Vec::new();
        let file = File::open(&path).map_err(unreadable)?;
        BufReader::new(file).read_until(b'\n', &mut line).map_err(unreadable)?;
        let (_, header) = load::header(&path, Lines::new(&line).next().unwrap_or_default())?;
        Ok(header)
    }

    /// The session of this folder that was written to last. Of journals only the first line of the
    /// newest is read.
    pub fn newest(&self, folder: &AbsPath) -> Result<Option<SessionId>, SessionError> {
        let mut found = journals_in(self.project_folder(folder).as_path())?;
        // Written in the same instant, they go by their ids, which sort by the time they were made.
        found.sort_by_key(|one| std::cmp::Reverse((one.written, one.id)));
        Ok(found.into_iter().find(has_begun).map(|one| one.id))
    }

    /// The journal of a session, in whichever project's folder. Of copies, the one written last.
    pub(crate) fn find(&self, id: SessionId) -> Result<PathBuf, SessionError> {
        let name = format!("{id}.jsonl");
        let mut found: Option<(SystemTime, PathBuf)> = None;
        // One folder that cannot be looked into must not hide what the others hold.
        let mut failed = SessionError::NotFound { id };
        for folder in self.project_folders()? {
            let path = folder.join(&name);
            match std::fs::metadata(&path).and_then(|found| found.modified()) {
                Ok(written) => found = found.max(Some((written, path))),
                Err(error)
                    if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {}
                Err(source) => failed = SessionError::Unreadable { path, source },
            }
        }
        found.map(|(_, path)| path).ok_or(failed)
    }

    pub(crate) fn project_folder(&self, folder: &AbsPath) -> AbsPath {
        self.home.join("projects").join(project(folder))
    }

    pub(crate) fn project_folders(&self) -> Result<Vec<PathBuf>, SessionError> {
        Ok(names_in(self.home.join("projects").as_path())?.into_iter().filter(|path| path.is_dir()).collect())
    }

    /// Makes the folder for a new journal, and takes its lock before it exists.
    pub(crate) fn lock_new(&self, path: &AbsPath, id: SessionId) -> Result<Lock, SessionError> {
        if let Some(folder) = path.parent() {
            forelook_disk::make_private(&folder)?;
        }
        Lock::take(lock_path(path.as_path())).map_err(|error| SessionError::locking(id, error))
    }
}

/// The header in an entry that is to begin a session.
pub(crate) fn header_of(entry: &Entry) -> Result<&Header, SessionError> {
    match &entry.body {
        Body::Session(header) => Ok(header),
        body => Err(SessionError::NotAHeader { kind: body.kind().to_owned() }),
    }
}

/// The journals in a project's folder; none if there is no such folder. Other names are not ours.
pub(crate) fn journals_in(folder: &Path) -> Result<Vec<Found>, SessionError> {
    let mut found = Vec::new();
    for path in names_in(folder)? {
        let Some(id) = id_of(&path) else { continue };
        match std::fs::metadata(&path) {
            Ok(data) if data.is_file() => {
                let written = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push(Found { id, path, written });
            }
            // A folder of that name, or one that has just been removed.
            _ => {}
        }
    }
    Ok(found)
}

/// Whether there is more than a kill in the first instant leaves: nothing, or a torn first line. Whatever
/// else may be wrong with it is for opening it to say.
fn has_begun(one: &Found) -> bool {
    let mut line = Vec::new();
    let read = File::open(&one.path).and_then(|file| BufReader::new(file).read_until(b'\n', &mut line));
    read.is_err() || line.ends_with(b"\n") || lines::parse(&line).is_ok()
}

fn id_of(path: &Path) -> Option<SessionId> {
    if path.extension() != Some(OsStr::new("jsonl")) {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    // Other spellings of an id (upper case, without hyphens) would not be found again.
    stem.parse().ok().filter(|id: &SessionId| id.to_string() == stem)
}

fn names_in(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
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
