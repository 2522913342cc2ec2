//! Everything about a tree of files that a program could change.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What there is by name: mode, owner, times and content.
pub(crate) fn of(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    add(&mut found, folder);
    found
}

fn add(found: &mut BTreeMap<String, String>, path: &Path) {
    let meta = fs::symlink_metadata(path).unwrap();
    let content = match () {
        () if meta.is_file() => digest(&fs::read(path).unwrap()),
        () if meta.is_symlink() => format!("to {:?}", fs::read_link(path).unwrap()),
        () => String::new(),
    };
    let about = format!(
        "{:o} {}:{} {} modified {}.{} changed {}.{} {content}",
        meta.mode(),
        meta.uid(),
        meta.gid(),
        meta.size(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    );
    found.insert(path.display().to_string(), about);
    if meta.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            add(found, &entry.unwrap().path());
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(5381u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(*byte));
    format!("{sum:x}")
}

/// What is different, in words.
pub(crate) fn difference(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let gone =
        before.iter().filter(|(name, _)| !after.contains_key(*name)).map(|(name, _)| format!("gone: {name}"));
    let other = after.iter().filter(|(name, about)| before.get(*name) != Some(about));
    let other = other.map(|(name, about)| {
        format!("{name}\n   was {}\n    is {about}", before.get(name).map_or("not there", String::as_str))
    });
    gone.chain(other).collect()
}
