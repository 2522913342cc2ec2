//! Staying inside a folder.
//!
//! [`confine`] looks and tells, for decisions and messages; what it saw can change before the file is
//! opened. [`ConfinedDir`] opens and writes in a way that the kernel itself keeps inside, whatever is swapped
//! for a link meanwhile.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::file_target::{FileTarget, IfExists, Permissions, PreparedWrite, regular};
use crate::kernel::{self, FOLDER, READ, Strategy};
use crate::{DiskError, resolve};

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
/// No link is followed: neither on the way to it nor below it. Paths are relative to it; [`confine`] turns any other path
/// that ends inside into one without links.
#[derive(Debug)]
pub struct ConfinedDir {
    folder: OwnedFd,
    path: AbsPath,
    strategy: Strategy,
}

impl ConfinedDir {
    /// Holds this folder open.
    ///
    /// Its path was resolved earlier: where a link stands now, somebody has put it there since.
    pub fn open_without_links(root: &AbsPath) -> Result<Self, DiskError> {
        let (folder, strategy) = kernel::open_absolute(root.as_path(), FOLDER, Mode::empty());
        let folder = folder.map_err(DiskError::of("open", root.as_path()))?;
        Ok(Self { folder, path: root.clone(), strategy })
    }

    /// Which folder it is, whatever it is called: its disk, and its number there.
    pub fn id(&self) -> Result<(u64, u64), DiskError> {
        let about = rustix::fs::fstat(&self.folder).map_err(DiskError::of("look at", self.path.as_path()))?;
        Ok((about.st_dev, about.st_ino))
    }

    /// Opens a regular file.
    pub fn open_beneath(&self, path: impl AsRef<Path>, open: OpenMode) -> Result<File, DiskError> {
        let path = path.as_ref();
        let (flags, mode) = match open {
            OpenMode::Read => (READ, Mode::empty()),
            OpenMode::CreateNew => {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                (flags, Mode::from_raw_mode(0o644))
            }
        };
        let file = self.raw(path, flags, mode).map_err(|errno| self.error(path, errno))?;
        regular(file, &self.display_path(path))
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

    /// The same in two steps, as [`FileTarget::prepare`] does.
    pub fn prepare_beneath(
        &self,
        path: impl AsRef<Path>,
        pieces: &[&[u8]],
        permissions: Permissions,
    ) -> Result<PreparedWrite<'static>, DiskError> {
        self.file_target(path.as_ref())?.put(pieces, permissions, IfExists::Replace)
    }

    /// Makes a file; refuses if something has the name already, be it a link.
    pub fn create_new_beneath(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        permissions: Permissions,
    ) -> Result<(), DiskError> {
        let path = path.as_ref();
        self.file_target(path)?.put(&[bytes], permissions, IfExists::Refuse)?.commit()
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
        let mut file = regular(file.map_err(|errno| self.error(path, errno))?, &self.display_path(path))?;
        file.write_all(format!("{line}\n").as_bytes())
            .map_err(DiskError::of("write", &self.display_path(path)))
    }

    /// Makes this folder and those above it that are missing, with the mode that the umask gives.
    pub fn make_folders_beneath(&self, path: impl AsRef<Path>) -> Result<(), DiskError> {
        self.make_all(path.as_ref(), Mode::from_raw_mode(0o777))
    }

    /// Makes this folder and those above it that are missing, each for its owner alone (0700).
    pub fn make_private_beneath(&self, path: impl AsRef<Path>) -> Result<(), DiskError> {
        self.make_all(path.as_ref(), Mode::from_raw_mode(0o700))
    }

    fn make_all(&self, path: &Path, mode: Mode) -> Result<(), DiskError> {
        kernel::make_folders(&self.folder, path, mode).map(drop).map_err(|errno| self.error(path, errno))
    }

    /// The place of a file, its last name not looked at, to read it and then to replace it ([`FileTarget::hold`]).
    pub fn file_target(&self, path: &Path) -> Result<FileTarget, DiskError> {
        let (Some(name), parent) = (path.file_name(), path.parent().unwrap_or(Path::new(""))) else {
            return Err(DiskError::NotAFile { path: self.display_path(path) });
        };
        let folder = self.raw(parent, FOLDER, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => DiskError::NoFolder { path: self.display_path(parent) },
            errno => self.error(path, errno),
        })?;
        Ok(FileTarget { folder, name: name.to_os_string(), path: self.display_path(path) })
    }

    fn raw(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        self.strategy.open_beneath(&self.folder, path, flags, mode)
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

mod names;
#[cfg(test)]
mod tests;
