//! What is special in a folder, remembered for as long as the folder does not change: then one look at its times is enough.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use forelook_facts::git_config::{self, GIT_RUNS};
use forelook_protocol::AbsPath;
use forelook_sandbox::FileId;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat};
use rustix::io::Errno;

use super::inputs::{FenceInputs, PathGuard};

/// Bytes of names that the kernel gives at once.
const LISTING_BUFFER: usize = 64 * 1024;
/// How old the last change of a folder must be before its times tell that nothing has changed: file systems count in steps
/// of up to two seconds, and a second change in one step would not be seen.
const SETTLED_SECONDS: i64 = 3;
/// Folders that are remembered.
const MAX_REMEMBERED: usize = 400_000;

/// What is special in a folder itself, not in those below.
#[derive(Debug, Default)]
pub(super) struct FolderListing {
    /// Sorted by name.
    pub(super) guarded: Vec<GuardedName>,
    /// Whether a repository begins here, for all that names tell.
    pub(super) has_repository: bool,
    pub(super) folders: Vec<OsString>,
}

/// A special name in a folder.
#[derive(Debug)]
pub(super) struct GuardedName {
    pub(super) name: OsString,
    pub(super) guard: PathGuard,
    /// Which file it is; none of a link, which can lead to another one at any time.
    pub(super) id: Option<FileId>,
}

impl FolderListing {
    /// What is special about this name.
    pub(super) fn guard(&self, name: &OsStr) -> PathGuard {
        let found = self.guarded.binary_search_by(|known| known.name.as_os_str().cmp(name)).ok();
        found.and_then(|at| self.guarded.get(at)).map_or(PathGuard::Unguarded, |known| known.guard)
    }
}

/// Why a folder could not be looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingError {
    /// There is no such folder any more.
    Gone,
    /// It is there, and what is in it is not known.
    Closed,
}

/// Which names in a folder are worth asking for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedNames {
    /// Those that may be special whatever folder they are in.
    Special,
    /// All: the folder is special itself, and with it what is in it.
    All,
}

/// Which folder it was, and when it changed last. Nobody but root can set the time of the last change of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderIdentity {
    id: (u64, u64),
    modified: (i64, u64),
    changed: (i64, u64),
}

#[derive(Debug)]
struct CachedFolder {
    identity: FolderIdentity,
    asked: AskedNames,
    listing: Arc<FolderListing>,
}

/// Listings that still hold.
#[derive(Debug, Default)]
pub(super) struct FolderCache {
    /// Which rules they were made by.
    rules: u64,
    folders: HashMap<PathBuf, CachedFolder>,
    /// Folders that were ever looked into.
    searched: HashSet<(u64, u64)>,
    /// What the last search of these folders found.
    found: HashMap<Vec<PathBuf>, HashSet<FileId>>,
}

impl FolderCache {
    /// Forgets what was found by other rules.
    pub(super) fn begin(&mut self, inputs: &FenceInputs) {
        if self.rules != inputs.search.rules {
            self.found.clear();
        }
        if self.rules != inputs.search.rules || self.folders.len() > MAX_REMEMBERED {
            self.folders.clear();
        }
        self.rules = inputs.search.rules;
    }

    /// Whether a search of these folders found all that the one before it found.
    pub(super) fn has_found_again(&self, roots: &[PathBuf], found: &HashSet<FileId>) -> bool {
        self.found.get(roots).is_none_or(|before| before.is_subset(found))
    }

    /// What the next search of these folders must find again.
    pub(super) fn note_found(&mut self, roots: &[PathBuf], found: HashSet<FileId>) {
        self.found.insert(roots.to_vec(), found);
    }

    /// Looks into every folder again.
    pub(super) fn forget_folders(&mut self) {
        self.folders.clear();
    }

    /// What is special in this folder.
    pub(super) fn list(
        &mut self,
        folder: &Path,
        asked: AskedNames,
        inputs: &FenceInputs,
    ) -> Result<Arc<FolderListing>, ListingError> {
        if let Some(known) = self.folders.get(folder).filter(|known| known.asked == asked) {
            let now = rustix::fs::statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW);
            if now.is_ok_and(|stat| FolderIdentity::of(&stat) == known.identity) {
                return Ok(Arc::clone(&known.listing));
            }
        }
        let opened = open(folder).map_err(ListingError::of)?;
        // Before the look: what changes during it counts as a change after it.
        let stat = rustix::fs::fstat(&opened).map_err(ListingError::of)?;
        let listing = Arc::new(read(opened, folder, asked, inputs).map_err(ListingError::of)?);
        let identity = FolderIdentity::of(&stat);
        self.searched.insert(identity.id);
        match identity.is_settled() {
            true => {
                let cached = CachedFolder { identity, asked, listing: Arc::clone(&listing) };
                self.folders.insert(folder.to_owned(), cached);
            }
            false => drop(self.folders.remove(folder)),
        }
        Ok(listing)
    }

    /// Whether this folder was looked into before, perhaps by another name.
    pub(super) fn was_searched(&self, folder: &Path) -> bool {
        let stat = rustix::fs::statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| self.searched.contains(&FolderIdentity::of(&stat).id))
    }
}

impl FolderIdentity {
    fn of(stat: &Stat) -> Self {
        Self {
            id: (stat.st_dev, stat.st_ino),
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "compared with the times that the disk gives, which no test can fix"
    )]
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let last = self.modified.0.max(self.changed.0);
        i64::try_from(now).is_ok_and(|now| last.saturating_add(SETTLED_SECONDS) < now)
    }
}

impl ListingError {
    fn of(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Self::Gone,
            // Who may not list a folder may still open what is in it by name.
            _ => Self::Closed,
        }
    }
}

fn open(folder: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    rustix::fs::openat(CWD, folder, flags, Mode::empty())
}

fn read(
    opened: OwnedFd,
    folder: &Path,
    asked: AskedNames,
    inputs: &FenceInputs,
) -> Result<FolderListing, Errno> {
    let (mut listing, mut git_names) = (FolderListing::default(), GitNames::default());
    let mut buffer = Vec::with_capacity(LISTING_BUFFER);
    let mut entries = RawDir::new(&opened, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        // A name that is no text is asked for.
        let may_be_special = || name.to_str().is_none_or(|name| (inputs.search.names)(name));
        let is_asked = asked == AskedNames::All || may_be_special();
        let file_type = match entry.file_type() {
            FileType::Unknown => file_type(&opened, name),
            known => known,
        };
        if is_asked {
            let guard = match guard(&folder.join(name), inputs) {
                PathGuard::Unguarded if file_type == FileType::Symlink => link_guard(name, inputs),
                guard => guard,
            };
            if guard != PathGuard::Unguarded {
                listing.guarded.push(guarded_name(&opened, name, guard));
            }
        }
        git_names.note(name);
        listing.has_repository |= name == ".git";
        if file_type == FileType::Directory {
            listing.folders.push(name.to_owned());
        }
    }
    if git_names.is_repository() {
        listing.has_repository = true;
        let running = git_names.running.into_iter();
        let guarded = running.map(|name| guarded_name(&opened, OsStr::new(name), PathGuard::Protected));
        listing.guarded.extend(guarded);
    }
    listing.guarded.sort_by(|first, second| first.name.cmp(&second.name));
    Ok(listing)
}

/// Looked up in the folder that is held: its path may lead to another one by now.
fn guarded_name(parent: &OwnedFd, name: &OsStr, guard: PathGuard) -> GuardedName {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let is_link = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    let id = stat.filter(|stat| !is_link(stat));
    let id = id.map(|stat| FileId { device: stat.st_dev, inode: stat.st_ino });
    GuardedName { name: name.to_owned(), guard, id }
}

/// Names in a folder by which git takes it for a repository without files of its own, whatever the folder is called.
#[derive(Default)]
struct GitNames {
    /// Those that it knows a repository by.
    known_by: Vec<&'static str>,
    /// Those that make git run something.
    running: Vec<&'static str>,
}

impl GitNames {
    fn note(&mut self, name: &OsStr) {
        self.known_by.extend(["HEAD", "objects", "refs", "commondir"].iter().filter(|it| name == **it));
        self.running.extend(GIT_RUNS.iter().filter(|it| name == **it));
    }

    fn is_repository(&self) -> bool {
        git_config::are_names_of_git_folder(|name| self.known_by.contains(&name))
    }
}

fn file_type(parent: &OwnedFd, name: &OsStr) -> FileType {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}

/// The folder that a link leads to is not looked for under the link's name, so the link stands for what is in it.
fn link_guard(name: &OsStr, inputs: &FenceInputs) -> PathGuard {
    match name.to_str().is_some_and(|name| (inputs.search.link_names)(name)) {
        true => PathGuard::Protected,
        false => PathGuard::Unguarded,
    }
}

/// What is special about this path.
fn guard(path: &Path, inputs: &FenceInputs) -> PathGuard {
    AbsPath::new(path).map_or(PathGuard::Unguarded, |path| (inputs.guards)(&path))
}
