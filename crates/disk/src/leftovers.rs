//! Removes what writers left that were killed: the temporary files of whole writes.
//!
//! A writer holds the kernel's lock on its temporary file until that has its name (`file_target.rs`), so a file with such a
//! name that can be locked belongs to nobody. Its age would not tell: a program may have been stopped in the middle.

use std::collections::VecDeque;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};

use crate::file_target::is_temporary_name;

/// Folders that are looked into at once, and names in all of them together.
const MAX_FOLDERS: usize = 20_000;
const MAX_NAMES: usize = 200_000;

/// Folders that hold far more than anybody edits there: what they hold is looked at last.
const BULKY: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// Where temporary files are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepDepth {
    /// In these folders.
    Folder,
    /// In the folders below too, the upper ones first; only so many.
    Tree,
}

/// Removes temporary files that no process writes any more. No link is followed. `go_on` is asked before each folder. What
/// cannot be read or removed is left: nobody is waiting for it.
pub fn sweep_temporary(folders: Vec<PathBuf>, depth: SweepDepth, go_on: impl Fn() -> bool) {
    let mut waiting: VecDeque<PathBuf> = folders.into();
    let mut bulky = VecDeque::new();
    let (mut folders, mut names) = (MAX_FOLDERS, MAX_NAMES);
    while let Some(folder) = waiting.pop_front().or_else(|| bulky.pop_front()) {
        if folders == 0 || names == 0 || !go_on() {
            return;
        }
        folders -= 1;
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.take(names).flatten() {
            names -= 1;
            match entry.file_type() {
                Ok(kind) if kind.is_file() && is_temporary_name(&entry.file_name()) => {
                    remove_if_abandoned(&entry.path());
                }
                Ok(kind) if kind.is_dir() && depth == SweepDepth::Tree => {
                    let later = if is_bulky(&entry) { &mut bulky } else { &mut waiting };
                    later.push_back(entry.path());
                }
                _ => {}
            }
        }
    }
}

fn is_bulky(folder: &DirEntry) -> bool {
    BULKY.iter().any(|name| folder.file_name() == *name)
}

fn remove_if_abandoned(path: &Path) {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) else { return };
    // Held while it is removed: a writer that has just made it sees that, and takes another name.
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let _ = rustix::fs::unlinkat(CWD, path, AtFlags::empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileTarget, Permissions};
    use forelook_protocol::AbsPath;

    #[test]
    fn only_what_nobody_writes_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let root = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let name = ".forelook-0123456789abcdef.tmp";
        let kept = [
            ".forelook-0123456789abcdef",
            ".forelook-123.tmp",
            ".forelook-0123456789ABCDEF.tmp",
            "a.tmp",
            ".forelook-moved-0123456789abcdef",
        ];
        std::fs::create_dir_all(root.join("deep/er")).unwrap();
        std::fs::create_dir_all(root.join("node_modules")).unwrap();
        let below = ["deep/er", "node_modules"].map(|folder| format!("{folder}/{name}"));
        let below = below.each_ref().map(String::as_str);
        for file in [name].iter().chain(&below).chain(&kept) {
            std::fs::write(root.join(file), "half").unwrap();
        }
        std::os::unix::fs::symlink(root.join("a.tmp"), root.join(".forelook-fedcba9876543210.tmp")).unwrap();
        let target = FileTarget::at(&root.join("deep/file")).unwrap();
        let writing = target.prepare(&[b"whole"], Permissions::Keep).unwrap();

        sweep_temporary(vec![root.as_path().into()], SweepDepth::Folder, || true);
        assert!(!root.join(name).as_path().exists());
        assert!(root.join("deep/er").join(name).as_path().exists());
        sweep_temporary(vec![root.as_path().into()], SweepDepth::Tree, || false);
        assert!(root.join("deep/er").join(name).as_path().exists());
        sweep_temporary(vec![root.as_path().into()], SweepDepth::Tree, || true);
        assert!(below.iter().all(|file| !root.join(file).as_path().exists()));
        assert!(kept.iter().all(|file| root.join(file).as_path().exists()));
        assert!(root.join(".forelook-fedcba9876543210.tmp").as_path().is_symlink());
        writing.commit().unwrap();
        assert_eq!(std::fs::read(root.join("deep/file")).unwrap(), b"whole");
    }

    /// However the two meet, no write fails.
    #[test]
    fn a_sweep_beside_writers_disturbs_none() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let sweeper = scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    sweep_temporary(vec![root.clone()], SweepDepth::Folder, || true);
                }
            });
            for round in 0..300 {
                crate::replace(root.join("file"), round.to_string().as_bytes(), Permissions::Keep).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            sweeper.join().unwrap();
        });
        assert_eq!(std::fs::read_dir(&root).unwrap().count(), 1);
    }
}
