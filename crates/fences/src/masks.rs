//! Which files nobody inside may read, and which may not be written even where their folder may be.
//!
//! The kernel takes a list of paths, so they are looked for: at the known places, and in the working folders, breadth first
//! through at most [`MOST`] folders and [`MOST_NAMES`] names. The limits are counts and not a time, so that the same tree has the same masks every
//! time. What lies deeper than that is not found; nor is what comes to be after the fence was raised. Links are not
//! followed, but one with a special name counts: what it leads to is masked.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Confinement};

use super::ground::{Ground, Guarded};

/// How many folders are looked into.
const MOST: usize = 1000;
/// How many names are looked at; the folder in which this is reached is the last.
const MOST_NAMES: usize = 10_000;

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

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// In such a fence.
    Masked(Confinement),
    Held,
}

/// What in the working folders nobody in such a fence may read: `folders` are where they really are.
pub(super) fn inside(folders: &[PathBuf], ground: &Ground, within: Confinement) -> Vec<PathBuf> {
    look(folders.to_vec(), Wanted::Masked(within), ground, &[])
}

/// What in the working folders nobody inside may write.
pub(super) fn held(folders: &[PathBuf], ground: &Ground) -> Vec<PathBuf> {
    look(folders.to_vec(), Wanted::Held, ground, &[])
}

/// What outside of the working folders nobody in such a fence may read.
pub(super) fn outside(folders: &[PathBuf], ground: &Ground, within: Confinement) -> Vec<PathBuf> {
    let mut masked = Vec::new();
    let mut open = Vec::new();
    for place in (ground.looking.places)() {
        let path = place.as_path();
        // What is inside is found there.
        if folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        // Also one that is not there: the fence tells when it comes to be.
        if (ground.guards)(&place).is_masked(within) && !is_above(path, folders) {
            masked.push(path.to_owned());
        } else if path.is_dir() {
            open.push(path.to_owned());
        }
    }
    masked.extend(look(open, Wanted::Masked(within), ground, folders));
    masked
}

/// Looks into these folders and those in them, level by level, but not into the folders of `not`. A folder is looked at
/// whole or not at all, so the limits cut off the same ones every time. Threads that share a level out were tried: with
/// limits that keep a fence ready in a blink they are not worth it.
fn look(folders: Vec<PathBuf>, wanted: Wanted, ground: &Ground, not: &[PathBuf]) -> Vec<PathBuf> {
    let search = Search { wanted, ground, not };
    let mut looked = Looked { found: Vec::new(), folders: folders.into() };
    let (mut left, mut names) = (MOST, MOST_NAMES);
    while let Some(folder) = looked.folders.pop_front().filter(|_| left > 0 && names > 0) {
        left -= 1;
        // What cannot be listed cannot be read inside either: nobody there may do more than we.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            names = names.saturating_sub(1);
            search.one(&folder, &entry, &mut looked);
        }
    }
    looked.found
}

#[derive(Clone, Copy)]
struct Search<'a> {
    wanted: Wanted,
    ground: &'a Ground,
    not: &'a [PathBuf],
}

/// What was found so far.
struct Looked {
    found: Vec<PathBuf>,
    /// Folders to look into next.
    folders: VecDeque<PathBuf>,
}

impl Search<'_> {
    fn one(&self, folder: &Path, entry: &fs::DirEntry, looked: &mut Looked) {
        let (name, wanted) = (entry.file_name(), self.wanted);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A name that is no text is asked for.
        let asked = name.to_str().is_none_or(|name| (self.ground.looking.names)(name));
        if !is_folder && !asked {
            return;
        }
        let path = folder.join(&name);
        if self.not.contains(&path) {
            return;
        }
        let guarded = if asked { guarded(&path, self.ground) } else { Guarded::No };
        let found = match wanted {
            Wanted::Masked(within) => guarded.is_masked(within) && !is_above(&path, self.not),
            Wanted::Held => guarded.is_held(),
        };
        if found {
            looked.found.push(path);
        } else if is_folder && !MADE.iter().any(|made| name == *made) {
            looked.folders.push_back(path);
        }
    }
}

/// Whether one of the folders lies in this: a mask over it would hide that one too.
fn is_above(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.starts_with(path))
}

fn guarded(path: &Path, ground: &Ground) -> Guarded {
    AbsPath::new(path).map_or(Guarded::No, |path| (ground.guards)(&path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Looking;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn ground(
        folder: &Path,
        names: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> (Ground, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let guards = move |path: &AbsPath| {
            count.fetch_add(1, Ordering::Relaxed);
            match path.as_path().file_name().and_then(|name| name.to_str()) {
                Some(".env" | ".ssh") => Guarded::Masked,
                Some(".git" | ".vscode") => Guarded::Held,
                _ => Guarded::No,
            }
        };
        let looking = Looking { names: Arc::new(names), ..Looking::default() };
        let folders = vec![AbsPath::new(folder).unwrap()];
        (Ground { folders, home: None, guards: Arc::new(guards), looking }, asked)
    }

    #[expect(clippy::disallowed_methods, reason = "tests make their own files")]
    fn lay(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
    }

    fn names(root: &Path, mut found: Vec<PathBuf>) -> Vec<String> {
        found.sort();
        found.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn what_is_masked_and_what_is_held() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let files = [".env", "a/b/.env", ".vscode/.env", "node_modules/x/.env", "src/main.rs", ".git/config"];
        lay(root, &files);
        lay(root, &[".git/hooks/x", ".git/objects/.env"]);
        let (ground, _) = ground(root, |_| true);
        let folders = [root.to_owned()];
        assert_eq!(
            names(root, inside(&folders, &ground, Confinement::ReadOnly)),
            [".env", ".vscode/.env", "a/b/.env"]
        );
        assert_eq!(names(root, held(&folders, &ground)), [".git", ".vscode"]);
    }

    /// The limit cuts off the same every time, whoever looked first; names alone decide whether guards are asked.
    #[test]
    fn a_large_tree_is_cut_off_the_same_every_time() {
        let place = tempfile::tempdir().unwrap();
        for folder in 0..MOST + 200 {
            lay(place.path(), &[&format!("d{folder}/.env"), &format!("d{folder}/plain")]);
        }
        let (ground, asked) = ground(place.path(), |name| name.starts_with('.'));
        let folders = [place.path().to_owned()];
        let first = inside(&folders, &ground, Confinement::ReadOnly);
        assert_eq!(first.len(), MOST - 1, "the top is one of them");
        assert_eq!(asked.load(Ordering::Relaxed), MOST - 1, "no other name is asked for");
        assert_eq!(inside(&folders, &ground, Confinement::ReadOnly), first);
    }

    #[test]
    fn a_folder_full_of_names_is_the_last() {
        let place = tempfile::tempdir().unwrap();
        lay(place.path(), &["a/.env", "b/.env", "a/deep/.env"]);
        for name in 0..MOST_NAMES {
            fs::write(place.path().join(format!("file{name}")), "").unwrap();
        }
        let (ground, _) = ground(place.path(), |name| name.starts_with('.'));
        assert!(inside(&[place.path().to_owned()], &ground, Confinement::ReadOnly).is_empty());
        lay(place.path(), &[".env"]);
        assert_eq!(
            names(place.path(), inside(&[place.path().to_owned()], &ground, Confinement::ReadOnly)),
            [".env"]
        );
    }

    /// A mask must not hide the working folder itself.
    #[test]
    fn places_are_masked_around_a_working_folder() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        lay(root, &["home/.ssh/key", "home/.ssh/project/a", "home/other/.env", "home/not/yet"]);
        let (mut ground, _) = ground(&root.join("home/.ssh/project"), |_| true);
        let places =
            ["home/.ssh", "home/other", "home/gone/.env"].map(|it| AbsPath::new(root.join(it)).unwrap());
        ground.looking.places = Arc::new(move || places.to_vec());
        let found = names(root, outside(&[root.join("home/.ssh/project")], &ground, Confinement::ReadOnly));
        assert_eq!(found, ["home/gone/.env", "home/other/.env"]);
        let found = names(root, outside(&[root.join("home/not")], &ground, Confinement::ReadOnly));
        assert_eq!(found, ["home/.ssh", "home/gone/.env", "home/other/.env"]);
    }
}
