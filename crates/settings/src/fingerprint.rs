//! Whether any settings file changed: a look at each, without reading it.

use std::os::unix::fs::MetadataExt as _;

use forelook_protocol::{AbsPath, Source};

use crate::load::{SettingsPaths, managed_folder};

/// What the settings files looked like at one instant. Two that are equal mean that none changed in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(Vec<(AbsPath, Option<Stamp>)>);

/// What tells a file from the one that was there before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// Device and number: another file may have been moved here.
    identity: (u64, u64),
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// The same for what only the kernel sets: some editors and `touch -r` put the other one back.
    changed: (i64, i64),
}

/// What the settings files look like now: one system call a file. Take it before [`crate::load`], so that a change
/// during loading is seen the next time.
pub fn fingerprint(settings_paths: &SettingsPaths) -> Fingerprint {
    let own = [Source::UserSettings, Source::ProjectSettings, Source::LocalSettings];
    let own = own
        .into_iter()
        .filter(|source| settings_paths.wants(*source))
        .filter_map(|source| settings_paths.file(source));
    // A folder that cannot be listed is told by loading.
    let managed = managed_folder(&settings_paths.managed).unwrap_or_default();
    let files = own.chain(settings_paths.flag_file()).chain([settings_paths.managed.clone()]).chain(managed);
    Fingerprint(files.map(|path| (path.clone(), stamp(&path))).collect())
}

/// Nothing for what is not there and for what is no file: a pipe looks different each time.
fn stamp(path: &AbsPath) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(Stamp {
        identity: (found.dev(), found.ino()),
        size: found.size(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}
