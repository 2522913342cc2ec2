//! Removes what fences leave on disk: the scratch files of a session that ends, and everything of sessions that ended
//! without doing so.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use forelook_protocol::AbsPath;
use forelook_sandbox::remove_overlay;

use super::Fences;

/// Folders that are removed at once; the next time goes on with the others. A layer may hold a whole build.
const MAX_FOLDERS: usize = 256;
/// Names that are looked at.
const MAX_NAMES: usize = 10_000;

/// Removes the folders of sessions in `parent`, each of which is one's [`super::FenceSetup::folder`], but for those that
/// `keep` says are needed still. No fence may stand on the others. It reads and writes the disk, so not on threads of the
/// runtime. What cannot be removed is left: nobody is waiting for it, and the next time tries again.
pub fn sweep(parent: &AbsPath, keep: impl Fn(&str) -> bool) {
    // A link in its place leads to something that is not ours.
    if !parent.as_path().symlink_metadata().is_ok_and(|about| about.is_dir()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    let old = entries.take(MAX_NAMES).flatten().filter(|entry| {
        // What is no folder, or has a name that no session has, was put there by somebody else.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && entry.file_name().to_str().is_some_and(|name| !keep(name))
    });
    // All are found before the first goes: a folder that is changed while it is read may be read wrongly.
    let old: Vec<PathBuf> = old.take(MAX_FOLDERS).map(|entry| entry.path()).collect();
    for folder in old {
        // Scratch goes the same way: programs made it, as deep and as closed as they liked.
        let _ = remove_overlay(&folder);
    }
}

/// A name for the scratch of one [`Fences`], where the kernel gives none. Two may be of one session for a while, when it is
/// opened anew, and the end of the first must not take away what the second has.
pub(super) fn scratch_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("scratch-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

impl Drop for Fences {
    fn drop(&mut self) {
        let Some(scratch) = self.scratch.get() else { return };
        self.active.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        // What goes on in the background there ends with the session too, and may still write: the rest is swept.
        let _ = remove_overlay(scratch.as_path());
        let _ = scratch.as_path().parent().map(std::fs::remove_dir::<&Path>);
    }
}
