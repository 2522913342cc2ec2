//! Staying inside a folder.
//!
//! [`confine`] looks and tells, for decisions and messages; what it saw can change before the file is
//! opened. [`ConfinedDir`] opens and writes in a way that the kernel itself keeps inside, whatever is swapped
//! for a link meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use self::kernel::{FOLDER, is_unsupported_syscall, open_nofollow, openat2_confined, walk};
use crate::file_target::{FileTarget, IfExists, Permissions, PreparedWrite};
use crate::{DiskError, resolve};

/// Links at the end of a path that are followed before giving up, as the kernel does.
const MAX_LINKS: usize = 40;

/// Where `path` (relative to `root`, or absolute) really leads, if that is inside of `root`.
pub fn confine(root: &AbsPath, path: impl AsRef<Path>) -> Result<AbsPath, DiskError> {
    let path = path.as_ref();
    let real_root = resolve(root)?;
    let real = resolve(root.as_path().join(path))?;
    match real.is_inside(&real_root) {
        true => Ok(real),
        false => Err(DiskError::Outside { path: path.to_path_buf(), root: root.as_path().to_path_buf() }),
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// To read a file that is there.
    Read,
    /// To write a file that is not there yet (0644, less what the umask takes).
    CreateNew,
}

/// A folder that is held open, and below which files are opened without ever leaving it.
///
/// Paths are relative to it. Links below it are followed as long as they are relative and stay inside;
/// [`confine`] turns any other path that ends inside into one without links. [`ConfinedDir::open_without_links`] makes
/// one that follows none at all.
#[derive(Debug)]
pub struct ConfinedDir {
    folder: OwnedFd,
    path: AbsPath,
    strategy: ResolveStrategy,
    links: SymlinkPolicy,
}

/// What becomes of links below the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SymlinkPolicy {
    /// Followed as long as they stay inside.
    Inside,
    /// Refused, wherever they lead.
    Refused,
}

impl SymlinkPolicy {
    fn flags(self) -> ResolveFlags {
        match self {
            SymlinkPolicy::Inside => ResolveFlags::NO_MAGICLINKS,
            SymlinkPolicy::Refused => ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS,
        }
    }
}

/// How the kernel is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResolveStrategy {
    /// `openat2`, which resolves beneath a folder by itself.
    Openat2,
    /// Name by name without following any link, for kernels before 5.6 and filters that refuse it.
    Walk,
}

impl ConfinedDir {
    /// Holds this folder open.
    pub fn open(root: &AbsPath) -> Result<Self, DiskError> {
        let folder = rustix::fs::openat(CWD, root.as_path(), FOLDER, Mode::empty())
            .map_err(DiskError::of("open", root.as_path()))?;
        let links = SymlinkPolicy::Inside;
        let beneath = links.flags() | ResolveFlags::BENEATH;
        let strategy = match openat2_confined(&folder, Path::new("."), FOLDER, Mode::empty(), beneath) {
            Err(errno) if is_unsupported_syscall(errno) => ResolveStrategy::Walk,
            _ => ResolveStrategy::Openat2,
        };
        Ok(Self { folder, path: root.clone(), strategy, links })
    }

    /// Holds this folder open, and follows no link: neither on the way to it nor below it.
    ///
    /// For a path that was resolved earlier: where a link stands now, somebody has put it there since.
    pub fn open_without_links(root: &AbsPath) -> Result<Self, DiskError> {
        let links = SymlinkPolicy::Refused;
        let (folder, strategy) =
            match openat2_confined(CWD, root.as_path(), FOLDER, Mode::empty(), links.flags()) {
                Err(errno) if is_unsupported_syscall(errno) => (open_nofollow(root), ResolveStrategy::Walk),
                asked => (asked, ResolveStrategy::Openat2),
            };
        let folder = folder.map_err(DiskError::of("open", root.as_path()))?;
        Ok(Self { folder, path: root.clone(), strategy, links })
    }

    /// Opens a regular file.
    pub fn open_beneath(&self, path: impl AsRef<Path>, open: OpenMode) -> Result<File, DiskError> {
        let path = path.as_ref();
        // Without O_NONBLOCK a pipe would keep us waiting before we can see that it is one.
        let flags = match open {
            OpenMode::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            OpenMode::CreateNew => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        };
        let mode = if open == OpenMode::CreateNew { Mode::from_raw_mode(0o644) } else { Mode::empty() };
        let file = self.raw(path, flags | OFlags::CLOEXEC, mode).map_err(|errno| self.error(path, errno))?;
        self.regular(path, file)
    }

    fn regular(&self, path: &Path, file: OwnedFd) -> Result<File, DiskError> {
        let kind = rustix::fs::fstat(&file).map_err(|errno| self.error(path, errno))?.st_mode;
        match FileType::from_raw_mode(kind) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(DiskError::NotAFile { path: self.display_path(path) }),
        }
    }

    /// Replaces a file, or makes it, as [`crate::replace`] does.
    pub fn replace_beneath(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        permissions: Permissions,
    ) -> Result<(), DiskError> {
        self.prepare_beneath(path, &[bytes], permissions)?.commit()
    }

    /// The same in two steps, as [`crate::prepare`] does.
    pub fn prepare_beneath(
        &self,
        path: impl AsRef<Path>,
        pieces: &[&[u8]],
        permissions: Permissions,
    ) -> Result<PreparedWrite, DiskError> {
        self.file_target(path.as_ref())?.prepare(pieces, permissions, IfExists::Replace)
    }

    /// Makes a file; refuses if something has the name already, be it a link.
    pub fn create_new_beneath(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        permissions: Permissions,
    ) -> Result<(), DiskError> {
        let path = path.as_ref();
        self.file_target_nofollow(path, path)?.write_atomically(&[bytes], permissions, IfExists::Refuse)
    }

    /// Adds a line to a file, or makes the file, with one write and without waiting for the disk; the newline is
    /// added here. Several may do so at once. What must survive a power cut wants a [`crate::Appender`].
    pub fn append_beneath(
        &self,
        path: impl AsRef<Path>,
        line: &str,
        permissions: Permissions,
    ) -> Result<(), DiskError> {
        let path = path.as_ref();
        if line.contains('\n') {
            return Err(DiskError::InnerNewline { path: self.display_path(path) });
        }
        let mode = match permissions {
            Permissions::Keep => 0o644,
            Permissions::Private => 0o600,
            Permissions::Bits(bits) => bits & 0o777,
        };
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.raw(path, flags, Mode::from_raw_mode(mode));
        let mut file = self.regular(path, file.map_err(|errno| self.error(path, errno))?)?;
        file.write_all(format!("{line}\n").as_bytes())
            .map_err(DiskError::of("write", &self.display_path(path)))
    }

    /// Makes this folder and those above it that are missing (0755, less what the umask takes).
    pub fn make_folders_beneath(&self, path: impl AsRef<Path>) -> Result<(), DiskError> {
        self.make_all(path.as_ref(), Mode::from_raw_mode(0o755))
    }

    /// Makes this folder and those above it that are missing, each for its owner alone (0700).
    pub fn make_private_beneath(&self, path: impl AsRef<Path>) -> Result<(), DiskError> {
        self.make_all(path.as_ref(), Mode::from_raw_mode(0o700))
    }

    fn make_all(&self, path: &Path, mode: Mode) -> Result<(), DiskError> {
        let mut before = PathBuf::new();
        for part in path.components() {
            let after = before.join(part);
            if let Err(Errno::NOENT) = self.raw(&after, FOLDER, Mode::empty()) {
                self.make_folder(&before, part.as_os_str(), mode)?;
            }
            self.raw(&after, FOLDER, Mode::empty()).map_err(|errno| self.error(path, errno))?;
            before = after;
        }
        Ok(())
    }

    fn make_folder(&self, parent: &Path, name: &OsStr, mode: Mode) -> Result<(), DiskError> {
        let display_path = self.display_path(&parent.join(name));
        let folder = self.raw(parent, FOLDER, Mode::empty()).map_err(|errno| self.error(parent, errno))?;
        match rustix::fs::mkdirat(&folder, name, mode) {
            // Its name must be on the disk before a file in it can be called durable.
            Ok(()) => FileTarget { folder, name: name.to_os_string(), display_path }.sync_folder(),
            // Another was faster, or there is a dead link, which the caller's next look shows.
            Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(DiskError::new("create the folder", &display_path, errno)),
        }
    }

    /// The place of a file, links at its end followed. A link put there after the look is not written
    /// through: renaming replaces the link itself, which lies inside.
    fn file_target(&self, path: &Path) -> Result<FileTarget, DiskError> {
        let mut at = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let file_target = self.file_target_nofollow(&at, path)?;
            match rustix::fs::readlinkat(&file_target.folder, &file_target.name, Vec::new()) {
                Ok(_) if self.links == SymlinkPolicy::Refused => break,
                Ok(target) => {
                    let parent = at.parent().unwrap_or(Path::new(""));
                    at = parent.join(OsString::from_vec(target.into_bytes()));
                }
                // EINVAL: there is something, but no link.
                Err(Errno::INVAL | Errno::NOENT) => return Ok(file_target),
                Err(errno) => return Err(self.error(path, errno)),
            }
        }
        Err(DiskError::Links { path: self.display_path(path) })
    }

    /// The place that `at` names, its last name not looked at. Messages speak of `path`.
    fn file_target_nofollow(&self, at: &Path, path: &Path) -> Result<FileTarget, DiskError> {
        let (Some(name), parent) = (at.file_name(), at.parent().unwrap_or(Path::new(""))) else {
            return Err(DiskError::NotAFile { path: self.display_path(path) });
        };
        let folder = self.raw(parent, FOLDER, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => DiskError::NoFolder { path: self.display_path(parent) },
            errno => self.error(path, errno),
        })?;
        Ok(FileTarget { folder, name: name.to_os_string(), display_path: self.display_path(path) })
    }

    fn raw(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match self.strategy {
            ResolveStrategy::Openat2 => {
                openat2_confined(&self.folder, path, flags, mode, self.links.flags() | ResolveFlags::BENEATH)
            }
            ResolveStrategy::Walk => walk(&self.folder, path, flags, mode),
        }
    }

    fn error(&self, path: &Path, errno: Errno) -> DiskError {
        match errno {
            Errno::XDEV => {
                DiskError::Outside { path: path.to_path_buf(), root: self.path.as_path().to_path_buf() }
            }
            errno => DiskError::new("open", &self.display_path(path), errno),
        }
    }

    fn display_path(&self, path: &Path) -> PathBuf {
        self.path.as_path().join(path)
    }
}

mod kernel;
mod names;
#[cfg(test)]
mod tests;
