//! What lay at a path when the fence was raised. A mount is on a thing and not on its name: who replaces the thing from
//! outside, as editors do when they save, takes the mount away with it, and what comes in its place is open. Where
//! Landlock holds alone it is the other way round: what comes in its place is closed, masked or not.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::FencePolicy;
use crate::policy::FileId;

/// A path, and what lay there.
#[derive(Debug)]
pub(super) struct PathIdentity {
    path: PathBuf,
    ids: [Option<FileId>; 2],
    /// When the names in a folder were last changed, where that matters.
    changed: Option<(i64, i64)>,
}

/// All that is held or masked.
pub(super) fn identities(policy: &FencePolicy) -> Vec<PathIdentity> {
    let mark = |path: &PathBuf| PathIdentity { path: path.clone(), ids: file_ids(path), changed: None };
    policy.protected.iter().chain(&policy.masked).map(mark).collect()
}

fn changed(folder: &Path) -> Option<(i64, i64)> {
    folder.metadata().ok().map(|about| (about.mtime(), about.mtime_nsec()))
}

/// What is there, and what it leads to if it is a link.
fn file_ids(path: &Path) -> [Option<FileId>; 2] {
    let ids = |about: io::Result<Metadata>| about.ok().map(|about| FileId::from(&about));
    [ids(path.symlink_metadata()), ids(path.metadata())]
}

impl PathIdentity {
    /// A folder in which nothing is seen that is new from now on.
    pub(super) fn of_listed_folder(folder: &Path) -> Self {
        Self { path: folder.to_owned(), ids: file_ids(folder), changed: changed(folder) }
    }

    pub(super) fn is_unchanged(&self) -> bool {
        file_ids(&self.path) == self.ids && (self.changed.is_none() || changed(&self.path) == self.changed)
    }
}
