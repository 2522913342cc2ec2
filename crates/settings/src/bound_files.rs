//! The files that a trusted command runs, as they were when it was trusted.
//!
//! Hooks and the status line run outside of every fence. So the model must not write these files unasked (`permissions`
//! protects their paths), and they are compared once more right before each run: whatever else may have changed them, what
//! runs is what somebody trusted.

use std::collections::{BTreeMap, BTreeSet};

use forelook_disk::{Owners, ProjectFiles, ReadError};
use forelook_protocol::AbsPath;

use crate::command_files::{CommandFiles, CommandPlace, command_files};
use crate::file_hasher::{FileHasher, HashError, hash_of};
use crate::load::SettingsPaths;
use crate::sanitize::sanitized_path;

/// Folders of the system: what is in them is no project's, and changes with updates.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/run", "/sbin",
    "/snap", "/sys", "/usr",
];

/// What a file was.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FileState {
    Missing,
    Hash(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct BoundFile {
    /// As the command names it.
    path: AbsPath,
    /// Where it really was.
    real: AbsPath,
    state: FileState,
}

/// What is found at a path that a command names.
pub(crate) enum Looked {
    /// A file, with its hash.
    File { hash: String, real: AbsPath },
    /// Nothing, or something of the system.
    Nothing,
    /// No regular file: a folder, perhaps.
    NotRegular,
    /// A file that cannot be checked, and why.
    Unreadable(ReadError),
    /// The budget is used up.
    TooMuch,
}

/// How the files of commands are read: those of the project, and those that its commands name elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct CommandReader {
    files: ProjectFiles,
}

impl CommandReader {
    pub(crate) fn new(project: &AbsPath, owners: Owners) -> Self {
        Self { files: ProjectFiles::new(project, owners) }
    }

    pub(crate) fn look(&self, path: &AbsPath, hasher: &mut FileHasher) -> Looked {
        let hashed = match hasher.hash(&self.files, path) {
            Err(HashError::Read(ReadError::Outside(_))) => self.look_outside(path, hasher),
            hashed => hashed,
        };
        match hashed {
            Ok((hash, real)) => Looked::File { hash, real },
            Err(HashError::TooMuch) => Looked::TooMuch,
            Err(HashError::Read(ReadError::Missing)) => Looked::Nothing,
            Err(HashError::Read(ReadError::NotRegular)) => Looked::NotRegular,
            Err(HashError::Read(ReadError::Io(error))) if names_nothing(&error) => Looked::Nothing,
            Err(HashError::Read(error)) => Looked::Unreadable(error),
        }
    }

    fn look_outside(&self, path: &AbsPath, hasher: &mut FileHasher) -> Result<(String, AbsPath), HashError> {
        let real = forelook_disk::resolve(path)
            .map_err(|error| HashError::Read(ReadError::Io(std::io::Error::other(error))))?;
        if SYSTEM.iter().any(|folder| real.as_path().starts_with(folder)) {
            return Err(HashError::Read(ReadError::Missing));
        }
        let folder = real.parent().unwrap_or_else(|| real.clone());
        hasher.hash(&ProjectFiles::new(&folder, self.files.owners().clone()), &real)
    }
}

/// A word that is no path at all: too long for a name.
fn names_nothing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::InvalidFilename | std::io::ErrorKind::InvalidInput)
}

/// The files of one command.
#[derive(Debug, Clone)]
pub struct BoundFiles {
    reader: CommandReader,
    files: Vec<BoundFile>,
    /// Files and folders that it takes code from, but that cannot be compared.
    loaded: Vec<AbsPath>,
}

impl BoundFiles {
    pub(crate) fn new(reader: CommandReader, loaded: Vec<AbsPath>) -> Self {
        Self { reader, files: Vec::new(), loaded }
    }

    pub(crate) fn add_file(&mut self, path: AbsPath, real: AbsPath, hash: String) {
        self.files.push(BoundFile { path, real, state: FileState::Hash(hash) });
    }

    pub(crate) fn add_missing(&mut self, path: AbsPath) {
        let real = forelook_disk::resolve(&path).unwrap_or_else(|_| path.clone());
        self.files.push(BoundFile { path, real, state: FileState::Missing });
    }

    /// Their paths, as they are named and where they really are, and the folders that the command takes code from.
    pub fn paths(&self) -> impl Iterator<Item = &AbsPath> {
        self.files.iter().flat_map(|file| [&file.path, &file.real]).chain(&self.loaded)
    }

    /// Whether all of them are what they were; else which one is not. Reads files.
    pub fn verify(&self) -> Result<(), String> {
        let mut hasher = FileHasher::new();
        for file in &self.files {
            let same = match (self.reader.look(&file.path, &mut hasher), &file.state) {
                (Looked::File { hash, .. }, FileState::Hash(was)) => hash == *was,
                (Looked::Nothing, FileState::Missing) => true,
                _ => false,
            };
            if !same {
                return Err(format!(
                    "`{}` changed since you trusted this folder",
                    sanitized_path(&file.path)
                ));
            }
        }
        Ok(())
    }
}

/// What a command of the person's own hooks or status line runs. For those of a trusted project see
/// [`BoundProject::command`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCommand {
    /// Its files, and the folders that it takes code from: as they are named and where they really are. The person may
    /// change their own scripts at any time, so these have no hashes.
    pub files: Vec<AbsPath>,
    /// What in it runs files that nobody can tell.
    pub unchecked: Vec<String>,
}

/// What a command of the person's own runs.
pub fn own_command(command: &str, settings_paths: &SettingsPaths) -> OwnCommand {
    let SettingsPaths { working, user_home, .. } = settings_paths;
    let found = command_files(command, &CommandPlace { folder: working, home: user_home.as_ref() });
    let is_file = |path: &&AbsPath| found.started.contains(*path) || path.as_path().is_file();
    let mut files: Vec<AbsPath> = found.named.iter().filter(is_file).flat_map(named_and_real).collect();
    files.extend(loaded_in_project(&found, settings_paths));
    let missing = found.if_files.iter().filter(|(script, _)| !script.as_path().is_file());
    let unchecked = found.unchecked.iter().chain(missing.map(|(_, text)| text)).cloned();
    OwnCommand { files, unchecked: unchecked.collect() }
}

/// What unchecked parts take code from, without what would be the whole project.
pub(crate) fn loaded_in_project(found: &CommandFiles, settings_paths: &SettingsPaths) -> Vec<AbsPath> {
    let SettingsPaths { project, working, .. } = settings_paths;
    let is_below = |path: &&AbsPath| path.is_inside(project) && !working.is_inside(path);
    found.loaded.iter().filter(is_below).flat_map(named_and_real).collect()
}

fn named_and_real(path: &AbsPath) -> [AbsPath; 2] {
    [path.clone(), forelook_disk::resolve(path).unwrap_or_else(|_| path.clone())]
}

/// What trust in a folder is bound to, for as long as a session lasts.
#[derive(Debug, Clone, Default)]
pub struct BoundProject {
    pub(crate) commands: BTreeMap<String, BoundFiles>,
    /// Files that are read later, by their real paths, with their hashes.
    pub(crate) read_later: BTreeMap<AbsPath, String>,
    /// The folders that such files are in.
    pub(crate) folders: BTreeSet<AbsPath>,
}

impl BoundProject {
    /// The files that this command of a hook or the status line runs.
    pub fn command(&self, command: &str) -> Option<&BoundFiles> {
        self.commands.get(command)
    }

    /// Why the contents of a file, by its real path, are not what somebody trusted; nothing if they are, or if the file is
    /// none that trust is about.
    pub fn refuses(&self, real: &AbsPath, bytes: &[u8]) -> Option<String> {
        let reason = match self.read_later.get(real) {
            Some(hash) if *hash == hash_of(bytes) => return None,
            Some(_) => "it changed since you trusted this folder",
            None if self.folders.iter().any(|folder| real.is_inside(folder)) => {
                "it is new since you trusted this folder"
            }
            None => return None,
        };
        Some(reason.to_owned())
    }
}
