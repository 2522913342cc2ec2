//! How early a process goes when memory runs out. It is inherited, and only set through a file that belongs to root once the
//! process is sealed. So the file is opened before, and a fork that should go first is made while the score is high.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// From -1000 to 1000.
pub(crate) const FIRST: &std::ffi::CStr = c"500";

static OPENED: OnceLock<Mutex<File>> = OnceLock::new();

pub(super) fn keep_open() {
    if let Ok(file) = File::options().read(true).write(true).open("/proc/self/oom_score_adj") {
        let _ = OPENED.set(Mutex::new(file));
    }
}

/// Makes a fork that goes first. Whoever is not sealed need not: a fork of theirs can say so itself.
pub(crate) fn high_during<T>(fork: impl FnOnce() -> T) -> T {
    let Some(opened) = OPENED.get() else { return fork() };
    let file = opened.lock().unwrap_or_else(PoisonError::into_inner);
    let mut before = [0; 16];
    let length = file.read_at(&mut before, 0).unwrap_or(0);
    let written = file.write_at(FIRST.to_bytes(), 0);
    let made = fork();
    if let (Ok(_), Some(before)) = (written, before.get(..length).filter(|before| !before.is_empty())) {
        // Back to where it was is always allowed.
        let _ = file.write_at(before, 0);
    }
    made
}
