//! Staying inside a folder.
//!
//! [`confine`] looks and tells, for decisions and messages; what it saw can change before the file is
//! opened. [`Root`] opens and writes in a way that the kernel itself keeps inside, whatever is swapped
//! for a link meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use forelook_protocol::AbsPath;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::place::{Existing, Permissions, Place};
use crate::{DiskError, resolve};

/// Links at the end of a path that are followed before giving up, as the kernel does.
const MAX_LINKS: usize = 40;
/// How often the kernel may ask to try again because something was being renamed meanwhile.
const MAX_TRIES: usize = 1000;
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

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
pub enum Open {
    /// To read a file that is there.
    Read,
    /// To write a file that is not there yet (0644, less what the umask takes).
    CreateNew,
}

/// A folder that is held open, and below which files are opened without ever leaving it.
///
/// Paths are relative to it. Links below it are followed as long as they are relative and stay inside;
/// [`confine`] turns any other path that ends inside into one without links.
#[derive(Debug)]
pub struct Root {
    folder: OwnedFd,
    path: AbsPath,
    way: Way,
}

/// How the kernel is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `openat2`, which resolves beneath a folder by itself.
    Beneath,
    /// Name by name without following any link, for kernels before 5.6 and filters that refuse it.
    Walk,
}

impl Root {
    /// Holds this folder open.
    pub fn open(root: &AbsPath) -> Result<Self, DiskError> {
        let folder = rustix::fs::openat(CWD, root.as_path(), FOLDER, Mode::empty())
            .map_err(DiskError::of("open", root.as_path()))?;
        let way = match open_beneath(&folder, Path::new("."), FOLDER, Mode::empty()) {
            // Old container runtimes refuse calls they do not know with EPERM.
            Err(Errno::NOSYS | Errno::PERM) => Way::Walk,
            _ => Way::Beneath,
        };
        Ok(Self { folder, path: root.clone(), way })
    }

    /// Opens a regular file.
    pub fn open_beneath(&self, path: impl AsRef<Path>, open: Open) -> Result<File, DiskError> {
        let path = path.as_ref();
        // Without O_NONBLOCK a pipe would keep us waiting before we can see that it is one.
        let flags = match open {
            Open::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            Open::CreateNew => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        };
        let mode = if open == Open::CreateNew { Mode::from_raw_mode(0o644) } else { Mode::empty() };
        let file = self.raw(path, flags | OFlags::CLOEXEC, mode).map_err(|errno| self.error(path, errno))?;
        let kind = rustix::fs::fstat(&file).map_err(|errno| self.error(path, errno))?.st_mode;
        match FileType::from_raw_mode(kind) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(DiskError::NotAFile { path: self.shown(path) }),
        }
    }

    /// Replaces a file, or makes it, as [`crate::replace`] does.
    pub fn replace_beneath(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        permissions: Permissions,
    ) -> Result<(), DiskError> {
        self.place(path.as_ref())?.fill(&[bytes], permissions, Existing::Replace)
    }

    /// Makes this folder and those above it that are missing (0755, less what the umask takes).
    pub fn make_folders_beneath(&self, path: impl AsRef<Path>) -> Result<(), DiskError> {
        let path = path.as_ref();
        let mut before = PathBuf::new();
        for part in path.components() {
            let after = before.join(part);
            if let Err(Errno::NOENT) = self.raw(&after, FOLDER, Mode::empty()) {
                self.make_folder(&before, part.as_os_str())?;
            }
            self.raw(&after, FOLDER, Mode::empty()).map_err(|errno| self.error(path, errno))?;
            before = after;
        }
        Ok(())
    }

    fn make_folder(&self, parent: &Path, name: &OsStr) -> Result<(), DiskError> {
        let shown = parent.join(name);
        let folder = self.raw(parent, FOLDER, Mode::empty()).map_err(|errno| self.error(parent, errno))?;
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o755)) {
            // Another was faster, or there is a dead link, which the caller's next look shows.
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(DiskError::new("make the folder", &self.shown(&shown), errno)),
        }
    }

    /// The place of a file, links at its end followed. A link put there after the look is not written
    /// through: renaming replaces the link itself, which lies inside.
    fn place(&self, path: &Path) -> Result<Place, DiskError> {
        let mut at = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let (Some(name), parent) = (at.file_name(), at.parent().unwrap_or(Path::new(""))) else {
                return Err(DiskError::NotAFile { path: self.shown(path) });
            };
            let folder = self.raw(parent, FOLDER, Mode::empty()).map_err(|errno| match errno {
                Errno::NOENT => DiskError::NoFolder { path: self.shown(parent) },
                errno => self.error(path, errno),
            })?;
            match rustix::fs::readlinkat(&folder, name, Vec::new()) {
                Ok(target) => at = parent.join(OsString::from_vec(target.into_bytes())),
                // EINVAL: there is something, but no link.
                Err(Errno::INVAL | Errno::NOENT) => {
                    let name = name.to_os_string();
                    return Ok(Place { folder, name, shown: self.shown(path) });
                }
                Err(errno) => return Err(self.error(path, errno)),
            }
        }
        Err(DiskError::Links { path: self.shown(path) })
    }

    fn raw(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match self.way {
            Way::Beneath => open_beneath(&self.folder, path, flags, mode),
            Way::Walk => walk(&self.folder, path, flags, mode),
        }
    }

    fn error(&self, path: &Path, errno: Errno) -> DiskError {
        match errno {
            Errno::XDEV => {
                DiskError::Outside { path: path.to_path_buf(), root: self.path.as_path().to_path_buf() }
            }
            errno => DiskError::new("open", &self.shown(path), errno),
        }
    }

    fn shown(&self, path: &Path) -> PathBuf {
        self.path.as_path().join(path)
    }
}

fn open_beneath(folder: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..MAX_TRIES {
        match rustix::fs::openat2(folder, path, flags, mode, resolve) {
            // The kernel saw a rename while it went up a `..`, and cannot vouch for the result.
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens name by name. No link is followed, so `..` can be taken out by words.
fn walk(folder: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let names = names(path)?;
    let Some((last, before)) = names.split_last() else {
        return rustix::fs::openat(folder, ".", flags, mode);
    };
    let mut at: Option<OwnedFd> = None;
    for name in before {
        at = Some(rustix::fs::openat(at.as_ref().unwrap_or(folder), *name, FOLDER | OFlags::NOFOLLOW, mode)?);
    }
    rustix::fs::openat(at.as_ref().unwrap_or(folder), *last, flags | OFlags::NOFOLLOW, mode)
}

/// The names of a relative path, `..` taken out; EXDEV, as the kernel says it, if it leads out.
fn names(path: &Path) -> Result<Vec<&OsStr>, Errno> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop().ok_or(Errno::XDEV)?;
            }
            Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests;
