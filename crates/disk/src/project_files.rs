//! The one way to read a project's files whose words are obeyed or sent to a model.
//!
//! A project is a stranger's. Bounds of size and time are not enough (`bounded.rs`): its files may lead out of it, stand for
//! a secret, or be planted by another user in a folder that many can write to. [`ProjectFiles`] reads a file only if
//! - it is a regular file inside the project, by its real path: neither `..` nor a link leads out
//! - it, every folder between the project's folder and it, and every link on the way belong to somebody who is believed:
//!   root, the user, and whoever else the user accepted; and nobody else can write to it
//! - the guard has nothing against it, by the name that was asked for and by its real one; a guarded file has one name
//!   only, since a hard link may stand for a file that the guard would know
//!
//! Like git's `safe.directory` and ssh's `StrictModes`. A file that a group may write to is fine: that is how teams, and
//! systems with a group for each user, set up their files.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use forelook_protocol::AbsPath;

use crate::bounded::{self, FileStart, ReadError};

/// Says why a file is not for a model's eyes; nothing if it may be read.
pub type ReadGuard = Arc<dyn Fn(&AbsPath) -> Option<String> + Send + Sync>;

/// Says why what was read from a file, by its real path, is not used; nothing if it is.
pub type ContentsCheck = Arc<dyn Fn(&AbsPath, &[u8]) -> Option<String> + Send + Sync>;

/// File systems that know no rights of their own: each file shows the same, and nobody can change it. FAT, exFAT, NTFS,
/// what Windows and virtual machines share.
const WITHOUT_RIGHTS: &[i128] = &[0x4d44, 0x2011_bab0, 0x5346_544e, 0x0102_1997, 0x786f_4256, 0x53464846];

/// Whose files are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owners {
    /// Everybody's: the person names the files themselves.
    Anyone,
    /// Those of these users.
    Only(Vec<u32>),
}

impl Owners {
    /// Root, the user of this process, and the one who became root through `sudo`.
    pub fn of_process(sudo: Option<u32>) -> Self {
        let user = rustix::process::geteuid().as_raw();
        Self::Only([0, user].into_iter().chain(sudo.filter(|_| user == 0)).collect())
    }

    /// The same, and this user's.
    pub fn with(&self, owner: u32) -> Self {
        match self {
            Self::Anyone => Self::Anyone,
            Self::Only(owners) => Self::Only(owners.iter().copied().chain([owner]).collect()),
        }
    }

    /// Whether files of this user are believed.
    pub fn believe(&self, owner: u32) -> bool {
        match self {
            Self::Anyone => true,
            Self::Only(owners) => owners.contains(&owner),
        }
    }
}

/// Who owns what is at this path, a link itself if it is one; nothing if nothing is there.
pub fn owner_of(path: impl AsRef<Path>) -> Option<u32> {
    std::fs::symlink_metadata(path).ok().map(|found| found.uid())
}

/// How far a path may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reach {
    /// Anywhere: only tests and the person's own folders.
    Anywhere,
    /// Into this folder, whose real path is the second.
    Inside(AbsPath, AbsPath),
}

/// The files of one folder, and what is asked of them before they are read.
#[derive(Clone)]
pub struct ProjectFiles {
    reach: Reach,
    owners: Owners,
    guard: Option<ReadGuard>,
    check: Option<ContentsCheck>,
}

impl fmt::Debug for ProjectFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectFiles")
            .field("reach", &self.reach)
            .field("owners", &self.owners)
            .finish_non_exhaustive()
    }
}

impl ProjectFiles {
    /// The files of this folder, if they are of these owners.
    pub fn new(root: &AbsPath, owners: Owners) -> Self {
        let real = real(root.as_path()).unwrap_or_else(|_| root.clone());
        Self { reach: Reach::Inside(root.clone(), real), owners, guard: None, check: None }
    }

    /// The same, and the guard is asked about each.
    pub fn guarded(self, guard: ReadGuard) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// The same, and what was read is checked once more: a look before the read says nothing about what is read.
    pub fn checked(self, check: ContentsCheck) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Whatever a path leads to, whoever owns it: for files that the person names. The guard is still asked.
    pub fn anywhere(self) -> Self {
        Self { reach: Reach::Anywhere, owners: Owners::Anyone, ..self }
    }

    /// Whose files are believed.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// All bytes of a file, if there are no more than `limit`.
    pub fn bytes(&self, path: &AbsPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        let (file, real) = self.open(path)?;
        let bytes = bounded::whole(file, limit)?;
        self.check_contents(&real, &bytes)?;
        Ok(bytes)
    }

    /// The same as text.
    pub fn text(&self, path: &AbsPath, limit: u64) -> Result<String, ReadError> {
        String::from_utf8(self.bytes(path, limit)?).map_err(|_| ReadError::NotText)
    }

    /// The first bytes of a file, and whether there are more.
    pub fn start(&self, path: &AbsPath, limit: u64) -> Result<FileStart, ReadError> {
        let (file, real) = self.open(path)?;
        let start = bounded::start(file, limit)?;
        self.check_contents(&real, &start.bytes)?;
        Ok(start)
    }

    /// A file to be read piece by piece ([`crate::read_pieces`]), and where it really is.
    pub fn open_file(&self, path: &AbsPath) -> Result<(File, AbsPath), ReadError> {
        self.open(path)
    }

    /// Whether a folder may be looked into: it is inside, and of somebody who is believed.
    pub fn check_folder(&self, path: &AbsPath) -> Result<(), ReadError> {
        let real = self.real_inside(path)?;
        self.check_way(path, &real)?;
        match std::fs::symlink_metadata(&real)?.is_dir() {
            true => Ok(()),
            false => Err(ReadError::Io(io::ErrorKind::NotADirectory.into())),
        }
    }

    fn open(&self, path: &AbsPath) -> Result<(File, AbsPath), ReadError> {
        self.ask_guard(path)?;
        let real = self.real_inside(path)?;
        self.ask_guard(&real)?;
        self.check_way(path, &real)?;
        let file = bounded::open_real(&real)?;
        let found = file.metadata()?;
        // Once more, of exactly what is read: nobody can swap it now.
        self.check_owner(found.uid())?;
        if self.owners != Owners::Anyone && found.mode() & 0o002 != 0 && others_reach(&real) {
            return Err(ReadError::Writable);
        }
        if self.guard.is_some() && found.nlink() > 1 {
            return Err(ReadError::HardLinks);
        }
        Ok((file, real))
    }

    fn check_contents(&self, real: &AbsPath, bytes: &[u8]) -> Result<(), ReadError> {
        match self.check.as_ref().and_then(|check| check(real, bytes)) {
            Some(reason) => Err(ReadError::Withheld(reason)),
            None => Ok(()),
        }
    }

    fn ask_guard(&self, path: &AbsPath) -> Result<(), ReadError> {
        match self.guard.as_ref().and_then(|guard| guard(path)) {
            Some(reason) => Err(ReadError::Withheld(reason)),
            None => Ok(()),
        }
    }

    /// Where a path really leads, if it stays inside.
    fn real_inside(&self, path: &AbsPath) -> Result<AbsPath, ReadError> {
        let real = real(path.as_path())?;
        match &self.reach {
            Reach::Inside(root, inside) if !real.is_inside(inside) => Err(ReadError::Outside(root.clone())),
            Reach::Inside(..) | Reach::Anywhere => Ok(real),
        }
    }

    /// Everything on the way belongs to somebody who is believed: by the names that were asked for, which may be links,
    /// and by the real ones.
    fn check_way(&self, path: &AbsPath, real: &AbsPath) -> Result<(), ReadError> {
        let Reach::Inside(root, inside) = &self.reach else { return Ok(()) };
        if self.owners == Owners::Anyone {
            return Ok(());
        }
        for (path, root) in [(path, root), (real, inside)] {
            let below = |above: &&Path| above.starts_with(root.as_path()) && *above != root.as_path();
            for above in path.as_path().ancestors().take_while(below) {
                self.check_owner(std::fs::symlink_metadata(above)?.uid())?;
            }
        }
        Ok(())
    }

    fn check_owner(&self, owner: u32) -> Result<(), ReadError> {
        match self.owners.believe(owner) {
            true => Ok(()),
            false => Err(ReadError::Owner(owner)),
        }
    }
}

fn real(path: &Path) -> Result<AbsPath, ReadError> {
    let real = std::fs::canonicalize(path).map_err(|error| match error.raw_os_error() {
        Some(number) => rustix::io::Errno::from_raw_os_error(number).into(),
        None => ReadError::Io(error),
    })?;
    AbsPath::new(real).map_err(|error| ReadError::Io(io::Error::other(error)))
}

/// Whether users who are in no group of ours come as far as this file: a closed folder above protects all that is in it.
fn others_reach(real: &AbsPath) -> bool {
    let open = |above: &Path| std::fs::metadata(above).is_ok_and(|found| found.mode() & 0o001 != 0);
    let has_rights = rustix::fs::statfs(real.as_path())
        .map_or(true, |found| !WITHOUT_RIGHTS.contains(&i128::from(found.f_type)));
    has_rights && real.as_path().ancestors().skip(1).all(open)
}

#[cfg(test)]
#[path = "project_files/tests.rs"]
mod tests;
