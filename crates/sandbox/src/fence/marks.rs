//! What lay at a path when the fence was raised. A mount is on a thing and not on its name: who replaces the thing from
//! outside, as editors do when they save, takes the mount away with it, and what comes in its place is open. Where
//! Landlock holds alone it is the other way round: what comes in its place is closed, masked or not.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Policy;

/// A path, and what lay there.
#[derive(Debug)]
pub(super) struct Mark {
    path: PathBuf,
    thing: [Option<Thing>; 2],
    /// When the names in a folder were last changed, where that matters.
    changed: Option<(i64, i64)>,
}

/// The device and the number there.
type Thing = (u64, u64);

/// All that is held or masked.
pub(super) fn marks(policy: &Policy) -> Vec<Mark> {
    let mark = |path: &PathBuf| Mark { path: path.clone(), thing: things(path), changed: None };
    policy.held.iter().chain(&policy.masked).map(mark).collect()
}

fn changed(folder: &Path) -> Option<(i64, i64)> {
    folder.metadata().ok().map(|about| (about.mtime(), about.mtime_nsec()))
}

/// What is there, and what it leads to if it is a link.
fn things(path: &Path) -> [Option<Thing>; 2] {
    let thing = |about: io::Result<Metadata>| about.ok().map(|about| (about.dev(), about.ino()));
    [thing(path.symlink_metadata()), thing(path.metadata())]
}

impl Mark {
    /// A folder in which nothing is seen that is new from now on.
    pub(super) fn closed(folder: &Path) -> Self {
        Self { path: folder.to_owned(), thing: things(folder), changed: changed(folder) }
    }

    pub(super) fn is_there(&self) -> bool {
        things(&self.path) == self.thing && (self.changed.is_none() || changed(&self.path) == self.changed)
    }
}
