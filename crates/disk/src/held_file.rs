//! A file that is read in order to be replaced: nobody's change gets lost in between.
//!
//! Two who read the same file and then replace it would each undo what the other did. So whoever means to replace a file
//! holds the kernel's `flock` on it from before the read until after the rename. The lock is on the file and not on its
//! name: who waited for it holds a file that has no name any more, and opens the new one instead. It excludes threads and
//! processes of ours alike. Other programs know nothing of it; what they do to the file up to the rename shows in its
//! identity, size, or times. A lock file beside each file was no choice: a project would be littered with them.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Stat};
use rustix::io::Errno;

use crate::DiskError;
use crate::file_target::FileTarget;

/// How long to wait for the lock. We hold it for milliseconds; a program that locks its own file holds it for as long as
/// it runs, and the user may want that file edited all the same.
const LOCK_WAIT: Duration = Duration::from_secs(2);
const RETRY_DELAY: Duration = Duration::from_millis(1);

/// How often the file may be replaced while we wait for it.
const MAX_REPLACED: usize = 1000;

/// A file that was opened to be replaced, or the knowledge that there is none.
#[derive(Debug)]
pub struct HeldFile {
    path: PathBuf,
    /// With what was known of it before it was read.
    found: Option<(File, Stat)>,
}

/// Whether both are the same file.
fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Whether nothing happened to a file between the two looks.
fn is_unchanged(one: &Stat, other: &Stat) -> bool {
    let times = |it: &Stat| (it.st_mtime, it.st_mtime_nsec, it.st_ctime, it.st_ctime_nsec);
    is_same_file(one, other) && one.st_size == other.st_size && times(one) == times(other)
}

impl HeldFile {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&File> {
        self.found.as_ref().map(|(file, _)| file)
    }

    /// Whether this is the held file, and nobody has written to it. It may have another name by now, which shows in the time
    /// of its last change.
    pub(crate) fn has_same_content(&self, now: &Stat) -> bool {
        let written = |it: &Stat| (it.st_size, it.st_mtime, it.st_mtime_nsec);
        self.found.as_ref().is_some_and(|(_, then)| is_same_file(then, now) && written(then) == written(now))
    }

    pub(crate) fn changed(&self) -> DiskError {
        DiskError::Changed { path: self.path.clone() }
    }

    /// Whether the place still has this file, as it was when it was opened; or still has none.
    pub(crate) fn must_be_current(&self, file_target: &FileTarget) -> Result<(), DiskError> {
        match (&self.found, file_target.stat()?) {
            (Some((_, then)), Some(now)) if is_unchanged(then, &now) => Ok(()),
            (None, None) => Ok(()),
            _ => Err(self.changed()),
        }
    }
}

impl FileTarget {
    /// Opens the file to read it and then to replace it with [`FileTarget::prepare_over`]. Until this is dropped, nobody
    /// else of ours replaces the file.
    pub fn hold(&self) -> Result<HeldFile, DiskError> {
        let (path, deadline) = (self.path.clone(), Instant::now() + LOCK_WAIT);
        for _ in 0..MAX_REPLACED {
            let file = match self.open() {
                Ok(file) => file,
                Err(DiskError::Missing { .. }) => return Ok(HeldFile { path, found: None }),
                Err(error) => return Err(error),
            };
            lock(&file, deadline);
            let held = rustix::fs::fstat(&file).map_err(DiskError::of("inspect", &path))?;
            if self.stat()?.is_some_and(|now| is_same_file(&held, &now)) {
                return Ok(HeldFile { path, found: Some((file, held)) });
            }
        }
        Err(DiskError::Changed { path })
    }
}

/// Waits for the lock, but not for ever. Without it the check before the rename is what is left; so it is on file systems
/// that have no locks.
fn lock(file: &File, deadline: Instant) {
    while rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
        && Instant::now() < deadline
    {
        std::thread::sleep(RETRY_DELAY);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::Path;

    use forelook_protocol::AbsPath;

    use super::*;
    use crate::Permissions;

    fn target(path: &Path) -> FileTarget {
        FileTarget::at(&AbsPath::new(path).unwrap()).unwrap()
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("file");
        (folder, file)
    }

    /// Adds a line to a file by reading and replacing it.
    fn add(path: &Path, line: &str) -> Result<(), DiskError> {
        let target = target(path);
        let held = target.hold()?;
        let mut text = String::new();
        if let Some(mut file) = held.file() {
            file.read_to_string(&mut text).unwrap();
        }
        text.push_str(line);
        target.prepare_over(&held, &[text.as_bytes()], Permissions::Keep)?.commit()
    }

    #[test]
    fn every_change_that_was_made_is_in_the_file() {
        for exists in [true, false] {
            let (_folder, path) = place();
            if exists {
                std::fs::write(&path, "").unwrap();
            }
            let made: usize = std::thread::scope(|scope| {
                let add = |thread: usize| {
                    (0..20).filter(|turn| add(&path, &format!("{thread} {turn}\n")).is_ok()).count()
                };
                let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || add(thread))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), made, "exists: {exists}");
            assert!(made >= 100, "those who wait get their turn: {made}");
        }
    }

    #[test]
    fn what_another_program_did_meanwhile_is_not_undone() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 5] = [
            ("written", |path| std::fs::write(path, "theirs").unwrap()),
            ("replaced", |path| {
                std::fs::write(path.with_extension("new"), "theirs").unwrap();
                std::fs::rename(path.with_extension("new"), path).unwrap();
            }),
            ("removed", |path| std::fs::remove_file(path).unwrap()),
            ("a folder", |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
            }),
            ("a link", |path| {
                std::fs::remove_file(path).unwrap();
                std::os::unix::fs::symlink("elsewhere", path).unwrap();
            }),
        ];
        for (what, change) in changes {
            let (_folder, path) = place();
            std::fs::write(&path, "ours").unwrap();
            let target = target(&path);
            let held = target.hold().unwrap();
            let prepared = target.prepare_over(&held, &[b"new"], Permissions::Keep).unwrap();
            change(&path);
            let error = prepared.commit().unwrap_err();
            assert!(matches!(error, DiskError::Changed { .. }), "{what}: {error}");
            assert_ne!(std::fs::read(&path).ok().as_deref(), Some(&b"new"[..]), "{what}");
        }
        let (_folder, path) = place();
        let target = target(&path);
        let held = target.hold().unwrap();
        let prepared = target.prepare_over(&held, &[b"new"], Permissions::Keep).unwrap();
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(prepared.commit(), Err(DiskError::Changed { .. } | DiskError::Exists { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }

    /// A program that locks its own file does not keep it from being edited.
    #[test]
    fn a_foreign_lock_is_not_waited_for_for_ever() {
        let (_folder, path) = place();
        std::fs::write(&path, "").unwrap();
        let theirs = File::open(&path).unwrap();
        rustix::fs::flock(&theirs, FlockOperation::LockExclusive).unwrap();
        add(&path, "ours\n").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ours\n");
    }
}
