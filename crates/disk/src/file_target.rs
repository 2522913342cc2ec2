//! A name in a folder that is held open, and how a whole file gets there: the one way in which files are written.
//!
//! Holding the folder, not its path, means that nobody can move the file's place away between the look and the write. The
//! folder is reached through no link, so the place is where the path says.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;
use rustix::fs::{Access, AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::kernel::{self, READ, open_name};
use crate::process_files::is_process_file;
use crate::{DiskError, HeldFile, resolve};

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

/// The place of a file: a name in a folder that is held open from now on.
#[derive(Debug)]
pub struct FileTarget {
    /// The folder, opened with `O_PATH`: that needs no right to read it.
    pub(crate) folder: OwnedFd,
    pub(crate) name: OsString,
    /// Where that was when it was opened; without links.
    pub(crate) path: PathBuf,
}

impl FileTarget {
    /// The place of a file by its real path, as [`resolve`] gave it and a decision was made on it. Where a link stands
    /// on the way now, somebody has put it there since: [`DiskError::Links`].
    pub fn at(real: &AbsPath) -> Result<Self, DiskError> {
        let (parent, name) = split(real)?;
        let folder = kernel::open_folder(parent).map_err(|errno| match errno {
            Errno::NOENT => DiskError::NoFolder { path: parent.to_path_buf() },
            errno => DiskError::new("open", parent, errno),
        })?;
        Ok(Self { folder, name, path: real.as_path().to_path_buf() })
    }

    /// The same, with the folders above it made that are missing (with the mode that the umask gives).
    pub fn with_folders(real: &AbsPath) -> Result<Self, DiskError> {
        let (parent, name) = split(real)?;
        let folder = make_folders(parent, Mode::from_raw_mode(0o777))?;
        Ok(Self { folder, name, path: real.as_path().to_path_buf() })
    }

    /// The place that any path names: links above it are followed now, its last name is not looked at.
    pub(crate) fn named(path: &Path) -> Result<Self, DiskError> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Self::at(&resolve(parent)?.join(name)),
            _ => Err(DiskError::NotAFile { path: path.to_path_buf() }),
        }
    }

    /// The same place, held once more.
    pub fn try_clone(&self) -> Result<Self, DiskError> {
        let folder = self.folder.try_clone().map_err(DiskError::of("open the folder of", &self.path))?;
        Ok(Self { folder, name: self.name.clone(), path: self.path.clone() })
    }

    /// What stands here now, if anything.
    pub fn file_type(&self) -> Result<Option<FileType>, DiskError> {
        Ok(self.stat()?.map(|found| FileType::from_raw_mode(found.st_mode)))
    }

    /// Where the link that stands here leads, as its bytes say it.
    pub fn read_link(&self) -> Result<Vec<u8>, DiskError> {
        rustix::fs::readlinkat(&self.folder, &self.name, Vec::new())
            .map(std::ffi::CString::into_bytes)
            .map_err(DiskError::of("read the link", &self.path))
    }

    /// Opens the file to read it; only a regular one, and without waiting.
    pub fn open(&self) -> Result<File, DiskError> {
        self.open_with(READ, 0)
    }

    /// Opens or makes a regular file; nothing is waited for, no link followed.
    pub(crate) fn open_with(&self, flags: OFlags, mode: u32) -> Result<File, DiskError> {
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = open_name(&self.folder, &self.name, flags, Mode::from_raw_mode(mode));
        regular(file.map_err(DiskError::of("open", &self.path))?, &self.path)
    }

    /// Removes the file, or a link (never what it points to), and tells whether there was one.
    pub(crate) fn remove(&self) -> Result<bool, DiskError> {
        match rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(DiskError::new("remove", &self.path, errno)),
        }
    }

    /// Writes a whole file of these pieces under another name; it comes into its place with [`PreparedWrite::commit`].
    pub fn prepare(
        &self,
        pieces: &[&[u8]],
        permissions: Permissions,
    ) -> Result<PreparedWrite<'static>, DiskError> {
        self.try_clone()?.put(pieces, permissions, IfExists::Replace)
    }

    /// The same for a file that was read with [`FileTarget::hold`]. It comes into its place only if the file is still the
    /// one that was read, or still not there; else it is [`DiskError::Changed`].
    pub fn prepare_over<'a>(
        &self,
        held: &'a HeldFile,
        pieces: &[&[u8]],
        permissions: Permissions,
    ) -> Result<PreparedWrite<'a>, DiskError> {
        let existing = if held.file().is_some() { IfExists::Replace } else { IfExists::Refuse };
        let prepared = self.try_clone()?.put(pieces, permissions, existing)?;
        Ok(PreparedWrite { held: Some(held), ..prepared })
    }

    /// The same, with what happens to a file that is there.
    ///
    /// Writing in place would keep hard links together, but a kill in the middle would leave half a
    /// file; the other names of a file keep the old content instead.
    pub(crate) fn put(
        self,
        pieces: &[&[u8]],
        permissions: Permissions,
        existing: IfExists,
    ) -> Result<PreparedWrite<'static>, DiskError> {
        let old = self.stat_existing()?;
        if old.is_some() && existing == IfExists::Refuse {
            return Err(DiskError::Exists { path: self.path.clone() });
        }
        let mut temporary = TempFile::new(self, permissions, old.is_some())?;
        for piece in pieces {
            temporary.file.write_all(piece).map_err(DiskError::of("write", &temporary.file_target.path))?;
        }
        match (old, permissions) {
            (Some(old), Permissions::Keep) => temporary.copy_owner_and_mode(&old, old.st_mode)?,
            (Some(old), Permissions::Bits(bits)) => temporary.copy_owner_and_mode(&old, bits & 0o777)?,
            (None, Permissions::Bits(bits)) => temporary.set_mode(bits & 0o777)?,
            (None, Permissions::Keep) | (_, Permissions::Private) => {}
        }
        Ok(PreparedWrite { temporary, existing, held: None })
    }

    /// What is known of what stands here, if anything.
    pub(crate) fn stat(&self) -> Result<Option<Stat>, DiskError> {
        match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(DiskError::new("inspect", &self.path, errno)),
        }
    }

    /// What stands here now: nothing, or a regular file that we may change.
    fn stat_existing(&self) -> Result<Option<Stat>, DiskError> {
        let Some(found) = self.stat()? else { return Ok(None) };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(DiskError::Links { path: self.path.clone() }),
            _ => return Err(DiskError::NotAFile { path: self.path.clone() }),
        }
        // Renaming over it would need no right to write the file itself; but whoever made it read-only
        // meant it.
        rustix::fs::accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::empty())
            .map_err(DiskError::of("write", &self.path))?;
        Ok(Some(found))
    }

    /// Whether the folder that is held still is the one at its path. If not, a file written here would be safe, but not
    /// where everybody expects it.
    fn must_be_in_place(&self) -> Result<(), DiskError> {
        let failed = |errno: Errno| match errno {
            Errno::NOENT => DiskError::Moved { path: self.path.clone() },
            errno => DiskError::new("write", &self.path, errno),
        };
        let identity = |folder: &OwnedFd| rustix::fs::fstat(folder).map(|found| (found.st_dev, found.st_ino));
        let now = kernel::open_folder(self.path.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        match identity(&now).map_err(failed)? == identity(&self.folder).map_err(failed)? {
            true => Ok(()),
            false => Err(DiskError::Moved { path: self.path.clone() }),
        }
    }

    /// Brings the folder's list of names to the disk, so that a power cut does not undo a rename.
    pub(crate) fn sync_folder(&self) -> Result<(), DiskError> {
        kernel::sync_folder(&self.folder).map_err(DiskError::of("sync the folder of", &self.path))
    }
}

/// The folder at an absolute path, made with those above it that are missing.
pub(crate) fn make_folders(path: &Path, mode: Mode) -> Result<OwnedFd, DiskError> {
    let failed = |errno: Errno| DiskError::new("create the folder", path, errno);
    let root = kernel::open_folder(Path::new("/")).map_err(failed)?;
    kernel::make_folders(&root, path.strip_prefix("/").unwrap_or(path), mode).map_err(failed)
}

/// Lets only a regular file through.
pub(crate) fn regular(file: OwnedFd, path: &Path) -> Result<File, DiskError> {
    let found = rustix::fs::fstat(file.as_fd()).map_err(DiskError::of("inspect", path))?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile if is_process_file(&file, found.st_dev as _) => {
            Err(DiskError::Process { path: path.to_path_buf() })
        }
        FileType::RegularFile => Ok(file.into()),
        _ => Err(DiskError::NotAFile { path: path.to_path_buf() }),
    }
}

fn split(real: &AbsPath) -> Result<(&Path, OsString), DiskError> {
    match (real.as_path().parent(), real.as_path().file_name()) {
        (Some(parent), Some(name)) => Ok((parent, name.to_os_string())),
        _ => Err(DiskError::NotAFile { path: real.as_path().to_path_buf() }),
    }
}

/// A whole file that is written, but not in its place. If it is dropped, it is gone and everything is as before.
#[derive(Debug)]
pub struct PreparedWrite<'a> {
    temporary: TempFile,
    existing: IfExists,
    /// What it must still be that it replaces.
    held: Option<&'a HeldFile>,
}

impl PreparedWrite<'_> {
    /// Brings it to the disk, and then into its place.
    pub fn commit(mut self) -> Result<(), DiskError> {
        let file_target = &self.temporary.file_target;
        self.temporary.file.sync_all().map_err(DiskError::of("write", &file_target.path))?;
        file_target.must_be_in_place()?;
        match self.held {
            Some(held) => {
                held.must_be_current(file_target)?;
                self.temporary.replace_held(held, self.existing)?;
            }
            None => self.temporary.rename(self.existing)?,
        }
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
        loop {
            let name = random_name().map_err(DiskError::of("write", &file_target.path))?;
            let file = create(&file_target, &name, Mode::from_raw_mode(mode))
                .map_err(DiskError::of("write a file in the folder of", &file_target.path))?;
            if claim(&file) {
                return Ok(Self { file_target, name, file, renamed: false });
            }
        }
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
            .map_err(DiskError::of("set the mode of", &self.file_target.path))
    }

    fn rename(&mut self, existing: IfExists) -> Result<(), DiskError> {
        let (folder, name) = (&self.file_target.folder, self.file_target.name.as_os_str());
        let done = match existing {
            IfExists::Replace => rustix::fs::renameat(folder, &self.name, folder, name),
            IfExists::Refuse => self.rename_to_free(name),
        };
        done.map_err(DiskError::of("write", &self.file_target.path))?;
        self.renamed = true;
        // It has its name, and others may lock it now.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
        Ok(())
    }

    /// Comes into the place of a held file. The two swap their names, so that what is swapped out can be looked at: if somebody
    /// changed or replaced the file up to this instant, they are swapped back. A look before a rename would leave a gap.
    fn replace_held(&mut self, held: &HeldFile, existing: IfExists) -> Result<(), DiskError> {
        if held.file().is_none() {
            return self.rename(existing);
        }
        match self.swap() {
            // Not every file system knows it; then the look before is what there is.
            Err(Errno::INVAL | Errno::NOSYS) => return self.rename(existing),
            // It is gone.
            Err(Errno::NOENT) => return Err(held.changed()),
            swapped => swapped.map_err(DiskError::of("write", &self.file_target.path))?,
        }
        if !self.stat().is_some_and(|found| held.has_same_content(&found)) {
            let _ = self.swap();
            let own = rustix::fs::fstat(&self.file).ok();
            // If it is not ours that came back, somebody was here again: then it stays under this name.
            self.renamed = own.zip(self.stat()).is_none_or(|(own, found)| own.st_ino != found.st_ino);
            return Err(held.changed());
        }
        // The old file has the temporary name now, and goes with this.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
        Ok(())
    }

    fn swap(&self) -> Result<(), Errno> {
        let (folder, name) = (&self.file_target.folder, self.file_target.name.as_os_str());
        rustix::fs::renameat_with(folder, &self.name, folder, name, RenameFlags::EXCHANGE)
    }

    /// What has the temporary name.
    fn stat(&self) -> Option<Stat> {
        rustix::fs::statat(&self.file_target.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()
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

/// Locks a temporary file that was just made, so that nobody takes it for one whose writer was killed (`leftovers.rs`). False
/// if somebody has done so in between: then it is gone, or will be at once. Where there are no locks nothing is removed.
fn claim(file: &File) -> bool {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => rustix::fs::fstat(file).is_ok_and(|found| found.st_nlink > 0),
        Err(errno) => errno != Errno::WOULDBLOCK,
    }
}

const TEMPORARY: (&str, &str) = (".forelook-", ".tmp");

/// Whether [`random_name`] could have made this.
pub(crate) fn is_temporary_name(name: &OsStr) -> bool {
    let middle = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY.0)?.strip_suffix(TEMPORARY.1));
    middle
        .is_some_and(|it| it.len() == 16 && it.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// A name that nobody can guess and put something under beforehand.
pub(crate) fn random_name() -> Result<OsString, Errno> {
    Ok(format!("{}{:016x}{}", TEMPORARY.0, random_number()?, TEMPORARY.1).into())
}

/// The same for something that is not ours and only lost its name: it must never be taken for a file to be removed.
pub(crate) fn random_name_for_moved() -> Result<OsString, Errno> {
    Ok(format!(".forelook-moved-{:016x}", random_number()?).into())
}

fn random_number() -> Result<u64, Errno> {
    let mut bytes = [0u8; 8];
    // So few bytes are never delivered in part.
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(bytes))
}
