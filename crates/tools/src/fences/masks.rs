//! Which files nobody inside may read, and which may not be written even where their folder may be.
//!
//! The kernel takes a list of paths, so they are looked for: at the known places, and in the working folders, breadth first
//! through at most [`MOST`] folders. The limit is a count and not a time, so that the same tree has the same masks every
//! time. What lies deeper than that is not found; nor is what comes to be after the fence was raised. Links are not
//! followed, but one with a special name counts: what it leads to is masked.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;

use super::ground::{Ground, Guarded};

/// How many folders are looked into.
const MOST: usize = 1000;

/// Folders full of what others made: large, and no place for secrets of the person's own. They are asked for themselves,
/// and not looked into. `.git` has rules of its own.
const MADE: &[&str] = &[
    ".git",
    ".gradle",
    ".hg",
    ".mypy_cache",
    ".next",
    ".pytest_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
];

/// What in `.git` decides what runs. All else in there must stay writable: `git commit` needs it.
const IN_GIT: &[&str] = &["config", "config.worktree", "hooks", "info/attributes"];

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Masked,
    Held,
}

/// What in the working folders nobody inside may read: `folders` are where they really are.
pub(super) fn inside(folders: &[PathBuf], ground: &Ground) -> Vec<PathBuf> {
    look(folders.iter().cloned().collect(), Wanted::Masked, ground, &[])
}

/// What in the working folders nobody inside may write.
pub(super) fn held(folders: &[PathBuf], ground: &Ground) -> Vec<PathBuf> {
    look(folders.iter().cloned().collect(), Wanted::Held, ground, &[])
}

/// What outside of the working folders nobody inside may read.
pub(super) fn outside(folders: &[PathBuf], ground: &Ground) -> Vec<PathBuf> {
    let mut masked = Vec::new();
    let mut open = VecDeque::new();
    for place in (ground.looking.places)() {
        let path = place.as_path();
        // What is inside is found there.
        if folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        match (ground.guards)(&place) {
            // Also one that is not there: the fence tells when it comes to be.
            Guarded::Masked if !is_above(path, folders) => masked.push(path.to_owned()),
            _ if path.is_dir() => open.push_back(path.to_owned()),
            _ => {}
        }
    }
    masked.extend(look(open, Wanted::Masked, ground, folders));
    masked
}

/// Looks into these folders and those in them, but not into the folders of `not`.
fn look(mut open: VecDeque<PathBuf>, wanted: Wanted, ground: &Ground, not: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for _ in 0..MOST {
        let Some(folder) = open.pop_front() else { break };
        // What cannot be listed cannot be read inside either: nobody there may do more than we.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // A name that is no text is asked for.
            let asked = name.to_str().is_none_or(|name| (ground.looking.names)(name));
            if !is_folder && !asked {
                continue;
            }
            let path = folder.join(&name);
            if not.contains(&path) {
                continue;
            }
            match if asked { guarded(&path, ground) } else { Guarded::No } {
                Guarded::Masked if wanted == Wanted::Masked && !is_above(&path, not) => found.push(path),
                Guarded::Held if wanted == Wanted::Held && is_folder && name == ".git" => {
                    found.extend(in_git(&path));
                }
                Guarded::Held if wanted == Wanted::Held => found.push(path),
                _ if is_folder && !MADE.iter().any(|made| name == *made) => open.push_back(path),
                _ => {}
            }
        }
    }
    found
}

/// Whether one of the folders lies in this: a mask over it would hide that one too.
fn is_above(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.starts_with(path))
}

fn guarded(path: &Path, ground: &Ground) -> Guarded {
    AbsPath::new(path).map_or(Guarded::No, |path| (ground.guards)(&path))
}

fn in_git(git: &Path) -> impl Iterator<Item = PathBuf> {
    IN_GIT.iter().map(|name| git.join(name)).filter(|path| path.exists())
}
