//! Which files no program inside may read, and which may not be written even if their folder may be.
//!
//! The kernel needs a list of paths, so we search for them: at the known places, and in the working directories, breadth
//! first through at most [`MAX_FOLDERS`] folders and [`MAX_NAMES`] names. The limits are counts and not a time, so that the
//! same tree always has the same masks. What lies deeper is not found, and neither is what is created after the fence.
//! Links are not followed, but a link with a special name counts: its target is masked.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Confinement};

use super::inputs::{FenceInputs, PathGuard};

/// How many folders are looked into.
const MAX_FOLDERS: usize = 1000;
/// How many names are looked at; the folder in which this is reached is the last.
const MAX_NAMES: usize = 10_000;

/// Folders full of what others made: large, and no place for secrets of the person's own. They are asked for themselves,
/// and not looked into. `.git` has rules of its own.
const GENERATED: &[&str] = &[
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
enum MaskKind {
    /// In such a fence.
    Masked(Confinement),
    Protected,
}

/// What in the working folders nobody in such a fence may read: `folders` are where they really are.
pub(super) fn inside(folders: &[PathBuf], inputs: &FenceInputs, sandbox: Confinement) -> Vec<PathBuf> {
    search_folders(folders.to_vec(), MaskKind::Masked(sandbox), inputs, &[])
}

/// What in the working folders nobody inside may write.
pub(super) fn protected(folders: &[PathBuf], inputs: &FenceInputs) -> Vec<PathBuf> {
    search_folders(folders.to_vec(), MaskKind::Protected, inputs, &[])
}

/// What outside of the working folders nobody in such a fence may read.
pub(super) fn outside(folders: &[PathBuf], inputs: &FenceInputs, sandbox: Confinement) -> Vec<PathBuf> {
    let mut masked = Vec::new();
    let mut open = Vec::new();
    for place in (inputs.search.places)() {
        let path = place.as_path();
        // What is inside is found there.
        if folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        // Also one that is not there: the fence tells when it comes to be.
        if (inputs.guards)(&place).is_masked(sandbox) && !is_above(path, folders) {
            masked.push(path.to_owned());
        } else if path.is_dir() {
            open.push(path.to_owned());
        }
    }
    masked.extend(search_folders(open, MaskKind::Masked(sandbox), inputs, folders));
    masked
}

/// Looks into these folders and those in them, level by level, but not into the folders of `not`. A folder is looked at
/// whole or not at all, so the limits cut off the same ones every time. Threads that share a level out were tried: with
/// limits that keep a fence ready in a blink they are not worth it.
fn search_folders(
    folders: Vec<PathBuf>,
    kind: MaskKind,
    inputs: &FenceInputs,
    not: &[PathBuf],
) -> Vec<PathBuf> {
    let search = Search { kind, inputs, not };
    let mut state = SearchState { found: Vec::new(), folders: folders.into() };
    let (mut left, mut names) = (MAX_FOLDERS, MAX_NAMES);
    while let Some(folder) = state.folders.pop_front().filter(|_| left > 0 && names > 0) {
        left -= 1;
        // What cannot be listed cannot be read inside either: nobody there may do more than we.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            names = names.saturating_sub(1);
            search.visit(&folder, &entry, &mut state);
        }
    }
    state.found
}

#[derive(Clone, Copy)]
struct Search<'a> {
    kind: MaskKind,
    inputs: &'a FenceInputs,
    not: &'a [PathBuf],
}

/// What was found so far.
struct SearchState {
    found: Vec<PathBuf>,
    /// Folders to look into next.
    folders: VecDeque<PathBuf>,
}

impl Search<'_> {
    fn visit(&self, folder: &Path, entry: &fs::DirEntry, state: &mut SearchState) {
        let (name, kind) = (entry.file_name(), self.kind);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A name that is no text is asked for.
        let asked = name.to_str().is_none_or(|name| (self.inputs.search.names)(name));
        if !is_folder && !asked {
            return;
        }
        let path = folder.join(&name);
        if self.not.contains(&path) {
            return;
        }
        let guarded = if asked { guarded(&path, self.inputs) } else { PathGuard::Unguarded };
        let found = match kind {
            MaskKind::Masked(sandbox) => guarded.is_masked(sandbox) && !is_above(&path, self.not),
            MaskKind::Protected => guarded.is_protected(),
        };
        if found {
            state.found.push(path);
        } else if is_folder && !GENERATED.iter().any(|made| name == *made) {
            state.folders.push_back(path);
        }
    }
}

/// Whether one of the folders lies in this: a mask over it would hide that one too.
fn is_above(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.starts_with(path))
}

fn guarded(path: &Path, inputs: &FenceInputs) -> PathGuard {
    AbsPath::new(path).map_or(PathGuard::Unguarded, |path| (inputs.guards)(&path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GuardSearch;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn inputs(
        folder: &Path,
        names: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> (FenceInputs, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let guards = move |path: &AbsPath| {
            count.fetch_add(1, Ordering::Relaxed);
            match path.as_path().file_name().and_then(|name| name.to_str()) {
                Some(".env" | ".ssh") => PathGuard::Masked,
                Some(".git" | ".vscode") => PathGuard::Protected,
                _ => PathGuard::Unguarded,
            }
        };
        let search = GuardSearch { names: Arc::new(names), ..GuardSearch::default() };
        let folders = vec![AbsPath::new(folder).unwrap()];
        (FenceInputs { folders, home: None, guards: Arc::new(guards), search }, asked)
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
        let (inputs, _) = inputs(root, |_| true);
        let folders = [root.to_owned()];
        assert_eq!(
            names(root, inside(&folders, &inputs, Confinement::ReadOnly)),
            [".env", ".vscode/.env", "a/b/.env"]
        );
        assert_eq!(names(root, protected(&folders, &inputs)), [".git", ".vscode"]);
    }

    /// The limit cuts off the same every time, whoever looked first; names alone decide whether guards are asked.
    #[test]
    fn a_large_tree_is_cut_off_the_same_every_time() {
        let place = tempfile::tempdir().unwrap();
        for folder in 0..MAX_FOLDERS + 200 {
            lay(place.path(), &[&format!("d{folder}/.env"), &format!("d{folder}/plain")]);
        }
        let (inputs, asked) = inputs(place.path(), |name| name.starts_with('.'));
        let folders = [place.path().to_owned()];
        let first = inside(&folders, &inputs, Confinement::ReadOnly);
        assert_eq!(first.len(), MAX_FOLDERS - 1, "the top is one of them");
        assert_eq!(asked.load(Ordering::Relaxed), MAX_FOLDERS - 1, "no other name is asked for");
        assert_eq!(inside(&folders, &inputs, Confinement::ReadOnly), first);
    }

    #[test]
    fn a_folder_full_of_names_is_the_last() {
        let place = tempfile::tempdir().unwrap();
        lay(place.path(), &["a/.env", "b/.env", "a/deep/.env"]);
        for name in 0..MAX_NAMES {
            fs::write(place.path().join(format!("file{name}")), "").unwrap();
        }
        let (inputs, _) = inputs(place.path(), |name| name.starts_with('.'));
        assert!(inside(&[place.path().to_owned()], &inputs, Confinement::ReadOnly).is_empty());
        lay(place.path(), &[".env"]);
        assert_eq!(
            names(place.path(), inside(&[place.path().to_owned()], &inputs, Confinement::ReadOnly)),
            [".env"]
        );
    }

    /// A mask must not hide the working folder itself.
    #[test]
    fn places_are_masked_around_a_working_folder() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        lay(root, &["home/.ssh/key", "home/.ssh/project/a", "home/other/.env", "home/not/yet"]);
        let (mut inputs, _) = inputs(&root.join("home/.ssh/project"), |_| true);
        let places =
            ["home/.ssh", "home/other", "home/gone/.env"].map(|it| AbsPath::new(root.join(it)).unwrap());
        inputs.search.places = Arc::new(move || places.to_vec());
        let found = names(root, outside(&[root.join("home/.ssh/project")], &inputs, Confinement::ReadOnly));
        assert_eq!(found, ["home/gone/.env", "home/other/.env"]);
        let found = names(root, outside(&[root.join("home/not")], &inputs, Confinement::ReadOnly));
        assert_eq!(found, ["home/.ssh", "home/gone/.env", "home/other/.env"]);
    }
}
