//! Which files no program inside may read, and which may not be written even if their folder may be.
//!
//! The kernel needs a list of paths, so we search for them: at the known places, and in the working directories, breadth
//! first through all folders, however many names they have. A folder that did not change costs one look at its times
//! ([`FolderCache`]), and one in which a repository begins a look at its configuration. What cannot be searched is closed as a whole: a folder that we may not list, one whose path is too long
//! to be named, and all behind [`MAX_FOLDERS`]. Links are not followed, but a link with a special name counts: its target is
//! masked. Names are worth asking for by what they are, except in a folder that is special itself and stays open all the same:
//! a working folder (`~/.aws`, `.git/hooks`), or one that leads to it. There everything is asked for.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forelook_facts::git_config::{self, GIT_RUNS};
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::FileId;

use super::folder_cache::{AskedNames, FolderCache, FolderListing, GuardedName, ListingError};
use super::inputs::{FenceInputs, PathGuard};

/// How many folders are looked into. More than any project has; those of a million would take all memory.
const MAX_FOLDERS: usize = 300_000;
/// How many files are masked or held: each is a mount, and the kernel has a limit for them.
const MAX_MOUNTS: usize = 30_000;
/// How often something is searched for that was found before.
const MAX_TRIES: usize = 8;
/// How many folders are closed one by one.
const MAX_CLOSED: usize = 10_000;
/// The longest path of a folder that is looked into: a name in it must still fit into a path.
const MAX_PATH: usize = 3500;

/// Folders with what package managers installed and what version control keeps: no secrets of the person's own. They are
/// asked for themselves, and not looked into.
const FOREIGN: &[&str] = &[".git", ".svn", ".venv", "node_modules"];

/// Folders with what builds made, where nobody opens an editor or a shell: secrets are looked for in them, and nothing else.
const GENERATED: &[&str] =
    &[".gradle", ".mypy_cache", ".next", ".pytest_cache", ".tox", "__pycache__", "target", "venv"];

/// Folders of the machine that have nothing of the person's in them, where a rule is about all files of the machine.
const SYSTEM: &[&str] = &[
    "/bin",
    "/dev",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/lib",
];

/// What was found in some folders.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Guarded {
    /// By path.
    found: Vec<(PathBuf, PathGuard)>,
    /// Folders of the search that decide what runs later themselves, and with them all that is in them.
    held_roots: Vec<PathBuf>,
    /// What decides what git runs in the repositories that were found, and lies in none of their folders.
    git_files: BTreeSet<PathBuf>,
    /// A file of git's configuration that may lead to more such files than were found.
    unfollowed: Option<PathBuf>,
    /// Folders that could not be searched: closed.
    closed: Vec<(PathBuf, ClosedReason)>,
    /// Which files and folders these are, as far as they are there.
    ids: HashMap<PathBuf, FileId>,
}

/// Why a folder could not be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClosedReason {
    /// We may not list it.
    Unreadable,
    /// Its path is too long to be named.
    TooLong,
    /// There are too many folders.
    TooMany,
}

/// Says whether a folder that we may not list may be made readable for us.
pub(super) type MayOpen<'a> = &'a dyn Fn(&Path) -> bool;

/// What is special in the working folders: `folders` are where they really are.
pub(super) fn inside(
    folders: &[PathBuf],
    inputs: &FenceInputs,
    cache: &mut FolderCache,
) -> io::Result<Guarded> {
    let mut tries = 0;
    loop {
        let guarded = inside_opening(folders, inputs, cache, &|_| false)?;
        let found: HashSet<FileId> = guarded.ids.values().copied().collect();
        tries += 1;
        // What is gone may have been moved from where we had not looked yet to where we had. If it is never found again,
        // it was removed.
        if cache.has_found_again(folders, &found) || tries == MAX_TRIES {
            cache.note_found(folders, found);
            return Ok(guarded);
        }
    }
}

/// The same. A folder that a command closed is made readable again where `may_open` says so.
pub(super) fn inside_opening(
    folders: &[PathBuf],
    inputs: &FenceInputs,
    cache: &mut FolderCache,
    may_open: MayOpen<'_>,
) -> io::Result<Guarded> {
    let walk = Walk { inputs, cache, not: &[], may_open, guarded: Guarded::default(), limit: MAX_FOLDERS };
    walk.run(folders.to_vec())
}

/// What outside of the working folders nobody in such a fence may read.
pub(super) fn outside(
    folders: &[PathBuf],
    inputs: &FenceInputs,
    sandbox: Confinement,
    cache: &mut FolderCache,
) -> io::Result<Vec<PathBuf>> {
    let mut masked = Vec::new();
    let mut open: Vec<PathBuf> = Vec::new();
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
    // What lies in another one is found there.
    let mut outer: Vec<PathBuf> = Vec::new();
    open.sort();
    for path in open {
        if !outer.iter().any(|it| path.starts_with(it)) {
            outer.push(path);
        }
    }
    let (guarded, limit) = (Guarded::default(), MAX_FOLDERS);
    let walk = Walk { inputs, cache, not: folders, may_open: &|_| false, guarded, limit };
    masked.extend(walk.run(outer)?.masked(sandbox)?);
    Ok(masked)
}

impl Guarded {
    /// What nobody in such a fence may read, the outermost of it, sorted.
    pub(super) fn masked(&self, sandbox: Confinement) -> io::Result<Vec<PathBuf>> {
        let closed = self.closed.iter().map(|(path, _)| path).filter(|_| !sandbox.is_off());
        let found = self.found.iter().filter(|(_, guard)| guard.is_masked(sandbox));
        outermost(closed.chain(found.map(|(path, _)| path)), "hide")
    }

    /// What nobody inside may write, the outermost of it, sorted.
    pub(super) fn protected(&self) -> io::Result<Vec<PathBuf>> {
        // A file that nobody knows of cannot be held. Not an error of the search: a command could make such a configuration,
        // and would get all that it made through.
        if let Some(unfollowed) = &self.unfollowed {
            return Err(io::Error::other(format!(
                "`{}` is too long, or includes too many files, to check what git would run: make it shorter, or work in \
                 another folder",
                unfollowed.display()
            )));
        }
        let found = self.found.iter().filter(|(_, guard)| guard.is_protected());
        let closed = self.closed.iter().map(|(path, _)| path).chain(&self.held_roots).chain(&self.git_files);
        outermost(closed.chain(found.map(|(path, _)| path)), "protect")
    }

    /// What is protected by its name, the outermost of it.
    pub(super) fn named_protected(&self) -> Vec<PathBuf> {
        let found = self.found.iter().filter(|(_, guard)| guard.is_protected());
        without_inner(found.map(|(path, _)| path))
    }

    /// What decides what git runs in the repositories that were found, and lies in none of their folders. It need not be
    /// there.
    pub(super) fn git_files(&self) -> &BTreeSet<PathBuf> {
        &self.git_files
    }

    /// Whether this lies in a working folder that nobody inside can write to at all.
    pub(super) fn is_in_held_root(&self, path: &Path) -> bool {
        self.held_roots.iter().any(|root| path.starts_with(root))
    }

    /// Which file or folder was found here.
    pub(super) fn id(&self, path: &Path) -> Option<FileId> {
        self.ids.get(path).copied()
    }

    /// Folders that could not be searched.
    pub(super) fn closed(&self) -> &[(PathBuf, ClosedReason)] {
        &self.closed
    }
}

/// Without those that lie in another one, if they are not too many.
fn outermost<'a>(paths: impl Iterator<Item = &'a PathBuf>, verb: &str) -> io::Result<Vec<PathBuf>> {
    let outermost = without_inner(paths);
    match outermost.len() {
        ..=MAX_MOUNTS => Ok(outermost),
        count => Err(io::Error::other(format!(
            "there are {count} files to {verb} in the working directories, and the kernel can {verb} {MAX_MOUNTS} at most: \
             move those that are no secrets and no settings elsewhere, or work in a smaller folder"
        ))),
    }
}

fn without_inner<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let sorted: BTreeSet<&PathBuf> = paths.collect();
    let mut outermost: Vec<PathBuf> = Vec::new();
    for path in sorted {
        // Paths are compared name by name, so what lies in a folder follows it at once.
        if !outermost.last().is_some_and(|last| path.starts_with(last)) {
            outermost.push(path.clone());
        }
    }
    outermost
}

/// A search through folders.
struct Walk<'a> {
    inputs: &'a FenceInputs,
    cache: &'a mut FolderCache,
    /// Folders that are not looked into.
    not: &'a [PathBuf],
    may_open: MayOpen<'a>,
    guarded: Guarded,
    limit: usize,
}

/// A folder to look into.
struct WalkFolder {
    path: PathBuf,
    /// Whether it lies in one of [`GENERATED`].
    generated: bool,
    asked: AskedNames,
}

impl Walk<'_> {
    /// Looks into these folders and those in them, level by level.
    fn run(mut self, roots: Vec<PathBuf>) -> io::Result<Guarded> {
        self.cache.begin(self.inputs);
        let mut folders: VecDeque<WalkFolder> = roots.iter().map(|root| self.root(root)).collect();
        let mut left = self.limit;
        while let Some(folder) = folders.pop_front() {
            if left == 0 {
                folders.push_front(folder);
                self.close_rest(&roots, &folders)?;
                break;
            }
            left -= 1;
            self.visit(&folder, &roots, &mut folders)?;
        }
        self.add_files(&roots);
        self.guarded.closed.sort();
        Ok(self.guarded)
    }

    fn root(&mut self, path: &Path) -> WalkFolder {
        let guard = self.guard(path);
        if guard.is_protected() || runs_for_git(path) {
            self.guarded.held_roots.push(path.to_owned());
        }
        WalkFolder { path: path.to_owned(), generated: false, asked: names_in_open(guard) }
    }

    /// A folder that leads to a working folder: it stays open, whatever is special about it.
    fn open_folder(&self, path: PathBuf, generated: bool) -> WalkFolder {
        let asked = names_in_open(self.guard(&path));
        WalkFolder { path, generated, asked }
    }

    fn guard(&self, path: &Path) -> PathGuard {
        AbsPath::new(path).map_or(PathGuard::Unguarded, |path| (self.inputs.guards)(&path))
    }

    fn visit(
        &mut self,
        folder: &WalkFolder,
        roots: &[PathBuf],
        folders: &mut VecDeque<WalkFolder>,
    ) -> io::Result<()> {
        let WalkFolder { path, generated, asked } = folder;
        let listing = match self.list(path, *asked) {
            Ok(listing) => listing,
            Err(ListingError::Gone) => return Ok(()),
            Err(ListingError::Closed) if is_above(path, self.not) => {
                // It leads to a working folder, so it stays open; what lies beside the way is not known by name to anybody.
                let next = self.not.iter().filter_map(|not| next_on_the_way(path, not));
                folders.extend(next.map(|path| self.open_folder(path, *generated)));
                return Ok(());
            }
            Err(ListingError::Closed) => return self.close(path.clone(), ClosedReason::Unreadable, roots),
        };
        if listing.has_repository && !*generated {
            self.add_repository(path, roots);
        }
        for GuardedName { name, guard, id } in &listing.guarded {
            let path = path.join(name);
            let guard = if *generated { guard.without_protection() } else { *guard };
            // A mask must not hide a working folder.
            if guard != PathGuard::Unguarded && !self.not.contains(&path) && !is_above(&path, self.not) {
                let id = id.or_else(|| FileId::at(&path));
                self.guarded.ids.extend(id.map(|id| (path.clone(), id)));
                self.guarded.found.push((path, guard));
            }
        }
        for name in &listing.folders {
            let path = path.join(name);
            let is_foreign = FOREIGN.iter().any(|it| name == *it);
            if !self.enters(&path, is_foreign, listing.guard(name)) {
                continue;
            }
            if path.as_os_str().len() > MAX_PATH {
                self.close(path, ClosedReason::TooLong, roots)?;
                continue;
            }
            let generated = *generated || is_foreign || GENERATED.iter().any(|made| name == *made);
            folders.push_back(match is_above(&path, self.not) {
                true => self.open_folder(path, generated),
                // What lies in one that is special is hidden or held with it.
                false => WalkFolder { path, generated, asked: AskedNames::Special },
            });
        }
        Ok(())
    }

    /// Adds what decides what git runs in the repositories that begin in this folder, if it lies in one that is searched.
    fn add_repository(&mut self, folder: &Path, roots: &[PathBuf]) {
        let home = self.inputs.home.as_ref().map(|home| home.as_path().as_os_str());
        let governing = git_config::governing_files(folder, home);
        self.guarded.unfollowed = self.guarded.unfollowed.take().or(governing.more);
        let files = governing.files.into_iter().map(|file| file.as_path().to_owned());
        // What lies in the folder of a repository is known by its name.
        let is_elsewhere = |file: &PathBuf| !file.parent().is_some_and(git_config::is_git_folder);
        let is_here = |file: &PathBuf| roots.iter().any(|root| file.starts_with(root));
        for file in files.filter(is_here).filter(is_elsewhere) {
            self.guarded.ids.extend(FileId::at(&file).map(|id| (file.clone(), id)));
            self.guarded.git_files.insert(file);
        }
    }

    /// Adds the files that are special wherever they lie.
    fn add_files(&mut self, roots: &[PathBuf]) {
        for file in self.inputs.search.files.iter() {
            let path = file.as_path();
            let guard = (self.inputs.guards)(file);
            if guard != PathGuard::Unguarded && roots.iter().any(|root| path.starts_with(root)) {
                let Some(id) = FileId::at(path) else { continue };
                self.guarded.ids.insert(path.to_owned(), id);
                self.guarded.found.push((path.to_owned(), guard));
            }
        }
        self.guarded.found.sort_by(|first, second| first.0.cmp(&second.0));
        self.guarded.found.dedup();
    }

    fn list(&mut self, path: &Path, asked: AskedNames) -> Result<Arc<FolderListing>, ListingError> {
        match self.cache.list(path, asked, self.inputs) {
            Err(ListingError::Closed) if (self.may_open)(path) && forelook_disk::open_up(path).is_ok() => {
                self.cache.list(path, asked, self.inputs)
            }
            listed => listed,
        }
    }

    fn enters(&self, path: &Path, is_foreign: bool, guard: PathGuard) -> bool {
        let is_system = SYSTEM.iter().any(|system| path == Path::new(system));
        let is_hidden = guard == PathGuard::Denied && !is_above(path, self.not);
        // One that had another name before got this one so that nobody looks.
        let is_left_out = is_foreign && !self.cache.was_searched(path);
        !(is_system || is_hidden || is_left_out || self.not.iter().any(|not| path == not))
    }

    /// Nobody inside gets into this.
    fn close(&mut self, path: PathBuf, reason: ClosedReason, roots: &[PathBuf]) -> io::Result<()> {
        if roots.contains(&path) || is_above(&path, self.not) {
            return Err(io::Error::other(format!(
                "`{}` cannot be searched for secrets: make it readable for yourself, or work in another folder",
                path.display()
            )));
        }
        self.guarded.ids.extend(FileId::at(&path).map(|id| (path.clone(), id)));
        self.guarded.closed.push((path, reason));
        Ok(())
    }

    /// There are too many folders: all that is left is closed, each folder itself, or those that they lie in if they are too
    /// many to be mounted on.
    fn close_rest(&mut self, roots: &[PathBuf], rest: &VecDeque<WalkFolder>) -> io::Result<()> {
        let mut closed: BTreeSet<PathBuf> = rest.iter().map(|folder| folder.path.clone()).collect();
        while closed.len() > MAX_CLOSED {
            let outer: BTreeSet<PathBuf> = closed.iter().map(|path| self.outer(path, roots)).collect();
            if outer == closed {
                break;
            }
            closed = outer;
        }
        closed.into_iter().try_for_each(|path| match is_above(&path, self.not) {
            // It leads to a working folder, so it stays open, as one that cannot be listed does.
            true => Ok(()),
            false => self.close(path, ClosedReason::TooMany, roots),
        })
    }

    /// The folder that this one lies in, as long as that one may be closed.
    fn outer(&self, path: &Path, roots: &[PathBuf]) -> PathBuf {
        let outer = path.parent().filter(|outer| !roots.iter().any(|root| root == outer));
        outer.filter(|outer| !is_above(outer, self.not)).unwrap_or(path).to_owned()
    }
}

/// Whether a folder lies in a repository's own folder, in what makes git run something.
fn runs_for_git(path: &Path) -> bool {
    let below =
        git_config::git_folder_of(path, &git_config::exists).and_then(|git| path.strip_prefix(git).ok());
    below.is_some_and(|below| GIT_RUNS.iter().any(|name| below.starts_with(name)))
}

/// Which names are asked for in a folder that stays open although this is special about it.
fn names_in_open(guard: PathGuard) -> AskedNames {
    if guard == PathGuard::Unguarded { AskedNames::Special } else { AskedNames::All }
}

/// Whether one of the folders lies in this: a mask over it would hide that one too.
fn is_above(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.starts_with(path))
}

/// The folder in `path` that leads to this one.
fn next_on_the_way(path: &Path, folder: &Path) -> Option<PathBuf> {
    let next = folder.strip_prefix(path).ok()?.components().next()?;
    Some(path.join(next)).filter(|next| next != folder)
}

#[cfg(test)]
mod tests;
