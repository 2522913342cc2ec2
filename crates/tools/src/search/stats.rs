//! What a search went over, and what it could not look at.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::display::{PathDisplay, number, plural};
use crate::progress::Progress;

/// Names that are told of files that were left out.
const MAX_NAMES: usize = 5;

/// Counts of a whole search; all workers share it.
#[derive(Debug, Default)]
pub(crate) struct SearchStats {
    files: AtomicU64,
    unread_folders: AtomicU64,
    unread_files: AtomicU64,
    too_large: Mutex<NamedFiles>,
    binary: Mutex<NamedFiles>,
}

/// How many files, and the names of some.
#[derive(Debug, Default)]
struct NamedFiles {
    count: u64,
    some: Vec<PathBuf>,
}

impl SearchStats {
    /// Some more files were looked at.
    pub(crate) fn add_files(&self, more: u64, progress: &Progress, verb: &str) {
        let files = self.files.fetch_add(more, Ordering::Relaxed) + more;
        progress.say(format!("{} files {verb}", number(files)));
    }

    /// Files that were looked at.
    pub(crate) fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// A folder could not be listed. One that is gone by now is no loss.
    pub(crate) fn folder_failed(&self, error: &io::Error) {
        if !is_gone(error) {
            self.unread_folders.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A file could not be read.
    pub(crate) fn file_failed(&self, path: &Path, error: &io::Error) {
        if error.kind() == io::ErrorKind::Other && error.to_string().contains("allocation limit") {
            add(&self.too_large, path);
        } else if !is_gone(error) {
            self.unread_files.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A binary file has a match.
    pub(crate) fn binary_matches(&self, path: &Path) {
        add(&self.binary, path);
    }

    /// A sentence for each thing that was left out.
    pub(crate) fn notes(&self, display: &PathDisplay) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((count, names)) = describe(&self.binary, display) {
            let what = plural(count, "binary file matches too and is", "binary files match too and are");
            notes.push(format!("{what} not shown: {names}"));
        }
        if let Some((count, names)) = describe(&self.too_large, display) {
            let what = plural(count, "file was", "files were");
            notes.push(format!(
                "{what} not fully searched because of size or a very long line: {names}. Use Bash with `grep`, or \
                 search without `multiline`"
            ));
        }
        for (count, one, many) in
            [(&self.unread_folders, "folder", "folders"), (&self.unread_files, "file", "files")]
        {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                notes.push(format!("{} could not be read", plural(count, one, many)));
            }
        }
        notes
    }
}

fn add(named: &Mutex<NamedFiles>, path: &Path) {
    let mut named = named.lock().unwrap_or_else(PoisonError::into_inner);
    named.count += 1;
    if named.some.len() < MAX_NAMES {
        named.some.push(path.to_path_buf());
    }
}

fn describe(named: &Mutex<NamedFiles>, display: &PathDisplay) -> Option<(u64, String)> {
    let named = named.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names: Vec<String> = named.some.iter().map(|path| format!("`{}`", display.path(path))).collect();
    names.sort();
    if named.count > names.len() as u64 {
        names.push("…".to_owned());
    }
    (named.count > 0).then(|| (named.count, names.join(", ")))
}

/// It vanished between being found and being opened, or something else came into its place.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
