//! One process at a time.
//!
//! The lock is the kernel's `flock` on a small file, so it ends with the process that holds it, however
//! that dies; a file left behind by a killed one is simply locked by the next. The text inside only says
//! who holds it. A file with a process's number as the lock itself was no choice: numbers are used
//! again, and two processes can find the same one stale.
//!
//! A process that is killed while it spawns a child leaves the lock to that child until the child closes the
//! descriptors it inherited. Such a lock names a dead process, so `acquire` waits for it briefly. `fcntl` locks are not
//! inherited, but they do not exclude threads of one process, and closing any descriptor of the file releases them.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use crate::DiskError;
use crate::file_target::FileTarget;

/// How long to wait for a lock whose process is dead. Closing takes microseconds, but the CPUs may be busy.
const INHERITED_LOCK_WAIT: Duration = Duration::from_secs(1);
const RETRY_DELAY: Duration = Duration::from_millis(2);
/// A lock that nobody signed for so long was left by a process that was killed before it could.
const UNSIGNED_AGE: Duration = Duration::from_secs(60);

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
    /// The process that had it before was killed: it could not remove the file.
    after_kill: bool,
}

/// The lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody has it.
    #[error("`{}` is locked by {}\nWait for it, or stop it first", path.display(), HolderPid(*pid))]
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

struct HolderPid(Option<u32>);

impl std::fmt::Display for HolderPid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(pid) => write!(f, "process {pid}"),
            None => f.write_str("another process"),
        }
    }
}

impl FileLock {
    /// Takes the lock now, or reports who holds it. Never waits for a running process.
    pub fn acquire(path: impl Into<PathBuf>) -> Result<Self, LockError> {
        let path = path.into();
        let began = Instant::now();
        loop {
            let file = open(&path)?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => match holder(&file) {
                    Holder::Dead if began.elapsed() < INHERITED_LOCK_WAIT => {
                        std::thread::sleep(RETRY_DELAY);
                        continue;
                    }
                    Holder::Process(pid) => return Err(LockError::Held { pid: Some(pid), path }),
                    Holder::Dead | Holder::Unknown => return Err(LockError::Held { pid: None, path }),
                },
                Err(errno) => return Err(DiskError::new("lock", &path, errno).into()),
            }
            // Between opening and locking, the one before us may have removed this file, and another
            // process may have locked a new one of the same name: then ours guards nothing.
            if is_file_at(&file, &path).map_err(DiskError::of("inspect", &path))? {
                let after_kill = matches!(holder(&file), Holder::Dead);
                let lock = Self { file, path, after_kill };
                lock.write_holder().map_err(DiskError::of("write", &lock.path))?;
                return Ok(lock);
            }
        }
    }

    /// Whether the process that had it before was killed.
    pub fn after_kill(&self) -> bool {
        self.after_kill
    }

    /// Whether this is the lock of a process that was killed.
    pub fn is_stale(path: &Path, now: SystemTime) -> bool {
        stale_file(path, now).is_some()
    }

    /// Removes the lock of a process that was killed. It is not signed by us meanwhile, so whoever wants it sees that its
    /// holder is dead, and waits a moment for it.
    pub fn remove_stale(path: &Path, now: SystemTime) {
        let lock = |file| Self { file, path: path.to_path_buf(), after_kill: true };
        drop(stale_file(path, now).map(lock));
    }

    /// Whether a process has this lock. One in another container counts: the kernel tells.
    pub fn is_held(path: &Path) -> bool {
        let Ok(file) = FileTarget::named(path).and_then(|target| target.open_with(OFlags::RDWR, 0o600))
        else {
            return false;
        };
        match holder(&file) {
            Holder::Process(_) => true,
            Holder::Dead => rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err(),
            // Perhaps it is about to be signed: an attempt to lock it could be in the way.
            Holder::Unknown => true,
        }
    }

    /// Writes down who we are.
    fn write_holder(&self) -> io::Result<()> {
        let pid = std::process::id();
        let text = format!("{pid} {}\n", started(pid).unwrap_or_default());
        self.file.set_len(0)?;
        self.file.write_all_at(text.as_bytes(), 0)
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removed while still held, so no other process can hold this file; see `take` for one that has
        // it open. If it fails, the file is taken over later.
        if is_file_at(&self.file, &self.path).unwrap_or(false) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> Result<File, DiskError> {
    FileTarget::named(path)?.open_with(OFlags::RDWR | OFlags::CREATE, 0o600)
}

/// The file of a lock whose process is gone, locked until it is closed.
fn stale_file(path: &Path, now: SystemTime) -> Option<File> {
    let file = FileTarget::named(path).ok()?.open_with(OFlags::RDWR, 0o600).ok()?;
    let is_dead = match holder(&file) {
        Holder::Process(_) => false,
        Holder::Dead => true,
        // Somebody may be about to sign it.
        Holder::Unknown => {
            let modified = file.metadata().and_then(|about| about.modified()).ok()?;
            now.duration_since(modified).is_ok_and(|age| age > UNSIGNED_AGE)
        }
    };
    (is_dead && lock_of_dead(&file) && is_file_at(&file, path).ok()?).then_some(file)
}

/// Locks the file of a dead process. A child that is being spawned may have inherited the lock from whoever held it last, even
/// from a thread of ours that only looked, so it waits briefly.
fn lock_of_dead(file: &File) -> bool {
    let began = Instant::now();
    while rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if began.elapsed() >= INHERITED_LOCK_WAIT {
            return false;
        }
        std::thread::sleep(RETRY_DELAY);
    }
    true
}

/// Whether this open file is the one that has the name now.
fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Who the file says has the lock.
enum Holder {
    /// This process, which is running.
    Process(u32),
    /// A process that has exited, or that runs in another container.
    Dead,
    /// The file is empty, or we did not write it.
    Unknown,
}

/// A later process with the same number is not the one that wrote the file: it began at another time.
fn holder(file: &File) -> Holder {
    match signature(file) {
        Some((pid, start)) if started(pid).is_some_and(|it| it == start) => Holder::Process(pid),
        Some(_) => Holder::Dead,
        None => Holder::Unknown,
    }
}

/// The number of the process that signed the file, and when it began.
fn signature(file: &File) -> Option<(u32, String)> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let (pid, start) = text.strip_suffix('\n')?.split_once(' ')?;
    Some((pid.parse().ok()?, start.to_owned()))
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
    fn only_the_lock_of_a_killed_process_is_stale() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let soon = SystemTime::now();
        let later = soon + UNSIGNED_AGE * 2;
        let states = |now| (FileLock::is_stale(&path, now), FileLock::is_held(&path));
        assert_eq!(states(later), (false, false));
        let held = FileLock::acquire(&path).unwrap();
        assert_eq!((states(later), held.after_kill()), ((false, true), false));
        drop(held);
        // Not signed yet, or never.
        std::fs::write(&path, "").unwrap();
        assert_eq!((states(soon), states(later)), ((false, true), (true, true)));
        // A process with this number began at another time.
        std::fs::write(&path, format!("{} 1\n", std::process::id())).unwrap();
        assert_eq!(states(soon), (true, false));
        // Somebody in another container has it: the number means nothing here.
        let theirs = File::open(&path).unwrap();
        rustix::fs::flock(&theirs, FlockOperation::LockExclusive).unwrap();
        assert_eq!(states(later), (false, true));
        FileLock::remove_stale(&path, later);
        assert!(path.exists());
        drop(theirs);
        assert!(FileLock::acquire(&path).unwrap().after_kill());
        std::fs::write(&path, format!("{} 1\n", std::process::id())).unwrap();
        FileLock::remove_stale(&path, soon);
        assert!(!path.exists());
    }

    #[test]
    fn the_second_hears_who_is_first() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let first = FileLock::acquire(&path).unwrap();
        let error = FileLock::acquire(&path).unwrap_err();
        assert!(matches!(&error, LockError::Held { pid: Some(pid), .. } if *pid == std::process::id()));
        assert!(error.to_string().contains(&format!("process {}", std::process::id())));
        drop(first);
        assert!(!path.exists());
        FileLock::acquire(&path).unwrap();
    }

    #[test]
    fn a_leftover_is_taken_over_whatever_it_says() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        for text in ["", "1 1\n", "nonsense", "\0\0"] {
            std::fs::write(&path, text).unwrap();
            FileLock::acquire(&path).unwrap();
        }
        assert!(matches!(
            FileLock::acquire(home.path().join("no/lock")),
            Err(LockError::Disk(DiskError::NoFolder { .. }))
        ));
        assert!(matches!(FileLock::acquire(home.path()), Err(LockError::Disk(DiskError::NotAFile { .. }))));
    }

    /// Holds the lock as a child does that outlives its parent by an instant.
    fn inherited(path: &Path) -> File {
        let file = open(path).unwrap();
        file.write_all_at(b"4194305 1\n", 0).unwrap();
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        file
    }

    #[test]
    fn waits_for_the_child_of_a_killed_holder() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let child = inherited(&path);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| FileLock::acquire(&path));
            std::thread::sleep(RETRY_DELAY * 5);
            assert!(!waiting.is_finished());
            drop(child);
            waiting.join().unwrap().unwrap();
        });
        let _for_good = inherited(&path);
        assert!(matches!(FileLock::acquire(&path), Err(LockError::Held { pid: None, .. })));
    }

    #[test]
    fn a_stale_lock_goes_when_the_child_that_inherited_it_has_closed_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let child = inherited(&path);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| FileLock::remove_stale(&path, SystemTime::now()));
            std::thread::sleep(RETRY_DELAY * 5);
            assert!(!waiting.is_finished());
            drop(child);
        });
        assert!(!path.exists());
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
                        if let Ok(_lock) = FileLock::acquire(&path) {
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
