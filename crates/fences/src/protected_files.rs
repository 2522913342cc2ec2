//! Which protected files and folders belong in the working folders: those that came while no command ran in the workspace
//! fence, and those that our own tools wrote. All others were made by a command.
//!
//! This belongs to the session and not to one fence: a fence is replaced whenever something new is to be protected, and the
//! new one would take for granted what a command in the old one made. A file is known by its path and its identity: another
//! one in its place is new. What our tools wrote is known by its contents: a command that still runs could write there too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_protocol::{AbsPath, to_hex};
use sha2::{Digest as _, Sha256};

use super::inputs::FenceInputs;
use super::masks::Guarded;

/// Which file it is: its disk, its number there, and when it was made, since numbers are given again.
type FileIdentity = (u64, u64, Option<SystemTime>);

/// A larger file is not one that a tool of ours wrote.
const MAX_KEPT_BYTES: u64 = 64 * 1024 * 1024;

/// What belongs in the working folders.
#[derive(Default)]
pub(super) struct ProtectedFiles {
    /// Working folders that were looked through.
    roots: BTreeSet<PathBuf>,
    known: HashMap<PathBuf, FileIdentity>,
    /// What decides what git runs in repositories that belong here, and need not be there.
    git_files: BTreeSet<PathBuf>,
    /// Where protected links lead that belong here, by the link.
    targets: BTreeMap<PathBuf, Vec<AbsPath>>,
    /// Files that our own tools wrote, each with what was decided on.
    kept: BTreeMap<PathBuf, KeptFile>,
    /// Where things are that were moved out of the project.
    moved: HashMap<FileIdentity, AbsPath>,
    /// What the last fence was raised from.
    pub(super) inputs: Option<FenceInputs>,
}

impl std::fmt::Debug for ProtectedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Inputs are functions: there is nothing to print of them.
        f.debug_struct("ProtectedFiles").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl ProtectedFiles {
    /// Whether this working folder was looked through before. What is in a new one came with it.
    pub(super) fn has_root(&self, root: &Path) -> bool {
        self.roots.contains(root)
    }

    /// All of this belongs here.
    pub(super) fn learn(&mut self, root: &Path, guarded: &Guarded) {
        self.roots.insert(root.to_owned());
        let closed = guarded.closed().iter().map(|(path, _)| path.clone());
        for path in guarded.named_protected().into_iter().chain(closed) {
            let link = AbsPath::new(&path).ok();
            let targets = link.map(|link| forelook_disk::link_targets(&link)).unwrap_or_default();
            for path in targets.iter().map(|it| it.as_path().to_owned()).chain([path.clone()]) {
                self.known.extend(file_identity(&path).map(|id| (path, id)));
            }
            if !targets.is_empty() {
                self.targets.insert(path, targets);
            }
        }
        for path in guarded.git_files() {
            self.git_files.insert(path.clone());
            self.known.extend(file_identity(path).map(|id| (path.clone(), id)));
        }
    }

    /// What does not belong here, and stands where protected links lead that do, or where git looks for its configuration.
    pub(super) fn new_targets(&self, root: &Path) -> Vec<PathBuf> {
        let links = self.targets.iter().filter(|(link, _)| link.starts_with(root) && self.is_known(link));
        let targets = links.flat_map(|(_, targets)| targets).map(AbsPath::as_path);
        let targets = targets.chain(self.git_files.iter().map(PathBuf::as_path));
        let new = targets.filter(|path| path.symlink_metadata().is_ok() && !self.is_known(path));
        new.filter(|path| path.starts_with(root)).map(Path::to_owned).collect()
    }

    /// Whether this file or folder belongs here.
    pub(super) fn is_known(&self, path: &Path) -> bool {
        let Some(id) = file_identity(path) else { return false };
        self.known.get(path) == Some(&id) || self.is_brought_back(id)
    }

    /// Whether the user brought this back. A command could give it its name again too, if it held the file open; but then it
    /// would still be where we moved it.
    fn is_brought_back(&self, id: FileIdentity) -> bool {
        self.moved.get(&id).is_some_and(|place| place.as_path().symlink_metadata().is_err())
    }

    /// This was moved out of the project, to there.
    pub(super) fn note_moved(&mut self, to: &AbsPath) {
        if let Some(id) = file_identity(to.as_path()) {
            self.moved.insert(id, to.clone());
        }
    }

    /// A tool of ours is about to write this file, which was decided on.
    pub(super) fn keep(&mut self, file: &Path) {
        self.kept.entry(file.to_owned()).or_default().is_being_written = true;
    }

    /// It wrote this, by its hash, or nothing. Whatever else stands there later is not what was decided on.
    pub(super) fn keep_contents(&mut self, file: &Path, hash: Option<String>) {
        let Some(kept) = self.kept.get_mut(file) else { return };
        kept.is_being_written = false;
        kept.hash = hash.or_else(|| kept.hash.take());
        if kept.hash.is_none() {
            self.kept.remove(file);
        }
    }

    /// What of a new file or folder does not belong here: all of it, or all but what our tools wrote.
    pub(super) fn foreign_parts(&self, path: &Path) -> Vec<PathBuf> {
        let (mut parts, mut waiting) = (Vec::new(), vec![path.to_owned()]);
        while let Some(path) = waiting.pop() {
            match self.kept_below(&path) {
                KeptBelow::Itself => {}
                KeptBelow::Nothing => parts.push(path),
                KeptBelow::Something => match std::fs::read_dir(&path) {
                    Ok(entries) => waiting.extend(entries.flatten().map(|entry| entry.path())),
                    Err(_) => parts.push(path),
                },
            }
        }
        parts.sort();
        parts
    }

    fn kept_below(&self, path: &Path) -> KeptBelow {
        // Paths are compared name by name, so what lies in a folder follows it at once.
        match self.kept.range(path.to_owned()..).next() {
            Some((file, kept)) if file == path && kept.is_still(path) => KeptBelow::Itself,
            Some((file, _)) if file != path && file.starts_with(path) => KeptBelow::Something,
            _ => KeptBelow::Nothing,
        }
    }
}

/// What a tool of ours wrote.
#[derive(Debug, Default)]
struct KeptFile {
    /// What it will be is not known yet.
    is_being_written: bool,
    /// What it was when it was written.
    hash: Option<String>,
}

impl KeptFile {
    fn is_still(&self, path: &Path) -> bool {
        let is_file = || path.symlink_metadata().is_ok_and(|about| about.is_file());
        let bytes = || forelook_disk::read_bounded(path, MAX_KEPT_BYTES).ok();
        let hash = || bytes().map(hash_of);
        self.is_being_written || self.hash.is_some() && is_file() && hash() == self.hash
    }
}

/// As versions of files are recorded.
pub(super) fn hash_of(bytes: impl AsRef<[u8]>) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// What our tools wrote at a path or below it.
enum KeptBelow {
    Itself,
    Something,
    Nothing,
}

fn file_identity(path: &Path) -> Option<FileIdentity> {
    path.symlink_metadata().ok().map(|about| (about.dev(), about.ino(), about.created().ok()))
}
