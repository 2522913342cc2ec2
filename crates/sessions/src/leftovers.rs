//! What sessions left on disk whose process was killed, and which sessions are still open.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forelook_disk::FileLock;
use forelook_protocol::{AbsPath, SessionId};

use crate::SessionStore;
use crate::journal::lock_path;
use crate::store::dir_entries;

/// Locks that are looked at at once.
const MAX_LOCKS: usize = 1_000;

impl SessionStore {
    /// Whether a process has this session open. What cannot be found out counts as open.
    pub fn is_open(&self, id: SessionId) -> bool {
        let Ok(folders) = self.project_folders() else { return true };
        folders.iter().any(|folder| FileLock::is_held(&lock_path(&folder.join(format!("{id}.jsonl")))))
    }

    /// Locks of sessions in this folder whose process was killed.
    pub fn stale_locks(&self, folder: &AbsPath, now: SystemTime) -> Vec<PathBuf> {
        let names = dir_entries(self.project_folder(folder).as_path()).unwrap_or_default();
        let locks = names.into_iter().filter(|path| path.extension().is_some_and(|it| it == "lock"));
        locks.take(MAX_LOCKS).filter(|path| FileLock::is_stale(path, now)).collect()
    }

    /// Removes one of these, if it still is one.
    pub fn remove_stale_lock(&self, lock: &Path, now: SystemTime) {
        FileLock::remove_stale(lock, now);
    }

    /// The folders of the home in which whole files are written.
    pub fn written_folders(&self, folder: &AbsPath) -> Vec<PathBuf> {
        let project = self.project_folder(folder);
        [self.home.clone(), self.home.join("todos"), self.home.join("plans"), project]
            .map(|folder| folder.as_path().to_path_buf())
            .into()
    }
}
