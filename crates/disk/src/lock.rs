//! One process at a time.
//!
//! The lock is the kernel's `flock` on a small file, so it ends with the process that holds it, however
//! that dies; a file left behind by a killed one is simply locked by the next. The text inside only says
//! who holds it. A file with a process's number as the lock itself was no choice: numbers are used
//! again, and two processes can find the same one stale.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::DiskError;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// The lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody has it.
    #[error("`{}` is held by {}\nEnd that one first, or wait for it", path.display(), Who(*pid))]
    Held {
        /// The lock's file.
        path: PathBuf,
        /// The process, where it is known: not in the instant before it wrote its number down, nor
        /// from another container.
        pid: Option<u32>,
    },
    /// The file could not be made or opened.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

struct Who(Option<u32>);

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(pid) => write!(f, "process {pid}"),
            None => f.write_str("another process"),
        }
    }
}

impl Lock {
    /// Takes the lock now, or tells who has it. Does not wait.
    pub fn take(path: impl Into<PathBuf>) -> Result<Self, LockError> {
        let path = path.into();
        loop {
            let file = open(&path)?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(LockError::Held { pid: holder(&file), path }),
                Err(errno) => return Err(DiskError::new("lock", &path, errno).into()),
            }
            // Between opening and locking, the one before us may have removed this file, and another
            // process may have locked a new one of the same name: then ours guards nothing.
            if stands_at(&file, &path).map_err(DiskError::of("look at", &path))? {
                let lock = Self { file, path };
                lock.sign().map_err(DiskError::of("write", &lock.path))?;
                return Ok(lock);
            }
        }
    }

    /// Writes down who we are.
    fn sign(&self) -> io::Result<()> {
        let pid = std::process::id();
        let text = format!("{pid} {}\n", started(pid).unwrap_or_default());
        self.file.set_len(0)?;
        self.file.write_all_at(text.as_bytes(), 0)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while still held, so no other process can hold this file; see `take` for one that has
        // it open. If it fails, the file is taken over later.
        if stands_at(&self.file, &self.path).unwrap_or(false) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> Result<File, DiskError> {
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(nofollow)
        .open(path)
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => DiskError::NoFolder { path: path.parent().unwrap_or(path).to_path_buf() },
            _ => DiskError::new("lock", path, error),
        })
}

/// Whether this open file is the one that has the name now.
fn stands_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The process that the file names, if it really is the one that wrote it and not a later one with the
/// same number.
fn holder(file: &File) -> Option<u32> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let (pid, start) = text.strip_suffix('\n')?.split_once(' ')?;
    let pid = pid.parse().ok()?;
    (started(pid)? == start).then_some(pid)
}

/// When a process began, in the kernel's own count.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in brackets, may hold spaces and brackets; field 22 is the 20th after it.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_second_hears_who_is_first() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let first = Lock::take(&path).unwrap();
        let error = Lock::take(&path).unwrap_err();
        assert!(matches!(&error, LockError::Held { pid: Some(pid), .. } if *pid == std::process::id()));
        assert!(error.to_string().contains(&format!("process {}", std::process::id())));
        drop(first);
        assert!(!path.exists());
        Lock::take(&path).unwrap();
    }

    #[test]
    fn a_leftover_is_taken_over_whatever_it_says() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        for text in ["", "1 1\n", "nonsense", "\0\0"] {
            std::fs::write(&path, text).unwrap();
            Lock::take(&path).unwrap();
        }
        assert!(matches!(
            Lock::take(home.path().join("no/lock")),
            Err(LockError::Disk(DiskError::NoFolder { .. }))
        ));
        assert!(matches!(Lock::take(home.path()), Err(LockError::Disk(DiskError::NotAFile { .. }))));
    }

    #[test]
    fn removing_the_file_never_lets_two_in() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let (inside, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while turns.load(Ordering::SeqCst) < 2000 {
                        if let Ok(_lock) = Lock::take(&path) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            turns.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }
}
