//! Which protected files and folders belong in the working folders: those that came while no command ran in the workspace
//! fence, and those that our own tools wrote. All others were made by a command.
//!
//! This belongs to the session and not to one fence: a fence is replaced whenever something new is to be protected, and the
//! new one would take for granted what a command in the old one made. A file is known by its path and its identity: another
//! one in its place is new.

use std::collections::{BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_protocol::AbsPath;

use super::inputs::FenceInputs;
use super::masks::Guarded;

/// Which file it is: its disk, its number there, and when it was made, since numbers are given again.
type FileIdentity = (u64, u64, Option<SystemTime>);

/// What belongs in the working folders.
#[derive(Default)]
pub(super) struct ProtectedFiles {
    /// Working folders that were looked through.
    roots: BTreeSet<PathBuf>,
    known: HashMap<PathBuf, FileIdentity>,
    /// Files that our own tools wrote: each was decided on.
    kept: BTreeSet<PathBuf>,
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
            if let Some(id) = file_identity(&path) {
                self.known.insert(path, id);
            }
        }
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
        self.kept.insert(file.to_owned());
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
            Some(kept) if kept == path => KeptBelow::Itself,
            Some(kept) if kept.starts_with(path) => KeptBelow::Something,
            _ => KeptBelow::Nothing,
        }
    }
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
