//! A name in a folder that is held open, and how a whole file gets there.
//!
//! Holding the folder, not its path, means that nobody can move the file's place away between the
//! look and the write.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::DiskError;

/// Who may read and write the new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permissions {
    /// As the file that is replaced, its owner too where that is possible; a new one gets 0644, less
    /// what the umask takes.
    Keep,
    /// Only its owner: 0600, whatever was there before.
    Private,
    /// These bits, whatever was there before; its owner as the file that is replaced, where that is possible.
    Bits(u32),
}

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfExists {
    Replace,
    Refuse,
}

/// A name in a folder that is held open.
#[derive(Debug)]
pub(crate) struct FileTarget {
    /// The folder, opened with `O_PATH`: that needs no right to read it.
    pub(crate) folder: OwnedFd,
    pub(crate) name: OsString,
    /// For messages only.
    pub(crate) display_path: PathBuf,
}

impl FileTarget {
    /// The place that a path names, its last name not looked at.
    pub(crate) fn at(path: PathBuf) -> Result<Self, DiskError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(DiskError::NotAFile { path });
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(CWD, parent, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => DiskError::NoFolder { path: parent.to_path_buf() },
            errno => DiskError::new("open", parent, errno),
        })?;
        Ok(Self { folder, name: name.to_os_string(), display_path: path })
    }

    /// Puts a whole file here: written under another name, brought to the disk, then renamed.
    ///
    /// Writing in place would keep hard links together, but a kill in the middle would leave half a
    /// file; the other names of a file keep the old content instead.
    pub(crate) fn write_atomically(
        self,
        parts: &[&[u8]],
        permissions: Permissions,
        existing: IfExists,
    ) -> Result<(), DiskError> {
        self.prepare(parts, permissions, existing)?.commit()
    }

    /// Writes a whole file under another name.
    pub(crate) fn prepare(
        self,
        parts: &[&[u8]],
        permissions: Permissions,
        existing: IfExists,
    ) -> Result<PreparedWrite, DiskError> {
        let old = self.stat_existing()?;
        if old.is_some() && existing == IfExists::Refuse {
            return Err(DiskError::Exists { path: self.display_path.clone() });
        }
        let mut temporary = TempFile::new(self, permissions, old.is_some())?;
        for part in parts {
            temporary
                .file
                .write_all(part)
                .map_err(DiskError::of("write", &temporary.file_target.display_path))?;
        }
        match (old, permissions) {
            (Some(old), Permissions::Keep) => temporary.copy_owner_and_mode(&old, old.st_mode)?,
            (Some(old), Permissions::Bits(bits)) => temporary.copy_owner_and_mode(&old, bits & 0o777)?,
            (None, Permissions::Bits(bits)) => temporary.set_mode(bits & 0o777)?,
            (None, Permissions::Keep) | (_, Permissions::Private) => {}
        }
        Ok(PreparedWrite { temporary, existing })
    }

    /// What stands here now: nothing, or a regular file that we may change.
    fn stat_existing(&self) -> Result<Option<Stat>, DiskError> {
        let found = match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(DiskError::new("inspect", &self.display_path, errno)),
        };
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(DiskError::NotAFile { path: self.display_path.clone() });
        }
        // Renaming over it would need no right to write the file itself; but whoever made it read-only
        // meant it.
        rustix::fs::accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::empty())
            .map_err(DiskError::of("write", &self.display_path))?;
        Ok(Some(found))
    }

    /// Brings the folder's list of names to the disk, so that a power cut does not undo a rename.
    pub(crate) fn sync_folder(&self) -> Result<(), DiskError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.folder, ".", flags, Mode::empty()) {
            Ok(folder) => {
                rustix::fs::fsync(&folder).map_err(DiskError::of("sync the folder of", &self.display_path))
            }
            // A folder that we may write but not read cannot be synced; the file itself was.
            Err(Errno::ACCESS) => Ok(()),
            Err(errno) => Err(DiskError::new("open the folder of", &self.display_path, errno)),
        }
    }
}

/// A whole file that is written, but not in its place. If it is dropped, it is gone and everything is as before.
#[derive(Debug)]
pub struct PreparedWrite {
    temporary: TempFile,
    existing: IfExists,
}

impl PreparedWrite {
    /// Brings it to the disk, and then into its place.
    pub fn commit(mut self) -> Result<(), DiskError> {
        let file_target = &self.temporary.file_target;
        self.temporary.file.sync_all().map_err(DiskError::of("write", &file_target.display_path))?;
        self.temporary.rename(self.existing)?;
        self.temporary.file_target.sync_folder()
    }
}

/// A file that is not there yet. Dropped before its rename, it is removed.
///
/// `O_TMPFILE` would vanish by itself even after a kill, but it can only be linked to a free name, not
/// renamed over a file.
#[derive(Debug)]
struct TempFile {
    file_target: FileTarget,
    name: OsString,
    file: File,
    renamed: bool,
}

impl TempFile {
    fn new(file_target: FileTarget, permissions: Permissions, replaces: bool) -> Result<Self, DiskError> {
        // What replaces a file stays private until it has the old one's mode: nobody reads it earlier.
        let mode = match permissions {
            Permissions::Keep if !replaces => 0o644,
            Permissions::Keep | Permissions::Private | Permissions::Bits(_) => 0o600,
        };
        let name = random_name().map_err(DiskError::of("write", &file_target.display_path))?;
        let file = create(&file_target, &name, Mode::from_raw_mode(mode))
            .map_err(DiskError::of("write a file in the folder of", &file_target.display_path))?;
        Ok(Self { file_target, name, file, renamed: false })
    }

    /// Takes over the owner of the file that will be replaced, and gets this mode.
    fn copy_owner_and_mode(&self, old: &Stat, mode: u32) -> Result<(), DiskError> {
        let same_owner = std::os::unix::fs::fchown(&self.file, Some(old.st_uid), Some(old.st_gid)).is_ok();
        // An executable that runs with its owner's rights must not become one with ours.
        let kept = if same_owner { 0o7777 } else { 0o777 };
        self.set_mode(mode & kept)
    }

    fn set_mode(&self, mode: u32) -> Result<(), DiskError> {
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(mode))
            .map_err(DiskError::of("set the mode of", &self.file_target.display_path))
    }

    fn rename(&mut self, existing: IfExists) -> Result<(), DiskError> {
        let (folder, name) = (&self.file_target.folder, self.file_target.name.as_os_str());
        let done = match existing {
            IfExists::Replace => rustix::fs::renameat(folder, &self.name, folder, name),
            IfExists::Refuse => self.rename_to_free(name),
        };
        done.map_err(DiskError::of("write", &self.file_target.display_path))?;
        self.renamed = true;
        Ok(())
    }

    fn rename_to_free(&self, name: &OsStr) -> Result<(), Errno> {
        let folder = &self.file_target.folder;
        match rustix::fs::renameat_with(folder, &self.name, folder, name, RenameFlags::NOREPLACE) {
            // Not every file system knows the flag; a link also fails if the name is taken.
            Err(Errno::INVAL | Errno::NOSYS) => {
                rustix::fs::linkat(folder, &self.name, folder, name, AtFlags::empty())?;
                rustix::fs::unlinkat(folder, &self.name, AtFlags::empty())
            }
            done => done,
        }
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing can be done about a failure here, and the first error is the one to tell.
            let _ = rustix::fs::unlinkat(&self.file_target.folder, &self.name, AtFlags::empty());
        }
    }
}

fn create(file_target: &FileTarget, name: &OsStr, mode: Mode) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(&file_target.folder, name, flags, mode).map(File::from)
}

/// A name that nobody can guess and put something under beforehand.
pub(crate) fn random_name() -> Result<OsString, Errno> {
    let mut bytes = [0u8; 8];
    // So few bytes are never delivered in part.
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!(".forelook-{:016x}.tmp", u64::from_ne_bytes(bytes)).into())
}
