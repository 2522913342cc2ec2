//! The submodules that a repository's index names. Git goes into each of them by itself.
//!
//! Within bounds, since a stranger wrote the index: names of the version 4 are built on each other, so a short file could hold
//! any number of long ones.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forelook_disk::{ReadError, read_bounded};

use super::limits::MAX_REPOSITORIES;

/// A longer name fits into no path.
const MAX_NAME: usize = 4096;
/// Not more files of a split index: git removes those that are two weeks old.
const MAX_INDEXES: usize = 64;
/// Names in the folder of a repository.
const MAX_NAMES: usize = 10_000;
/// The mode of a commit in the index.
const COMMIT: u32 = 0o160_000;
/// What stands before the hash of an entry, and the place of its mode there.
const BEFORE_HASH: usize = 40;
const MODE: usize = 24;

/// The index cannot be read, or is more than we read: there may be any submodule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unknown;

/// The paths of submodules in the index of this folder, which has no more bytes than are left.
pub(super) fn of(git: &Path, left: &mut u64) -> Result<BTreeSet<Vec<u8>>, Unknown> {
    let mut found = BTreeSet::new();
    for name in indexes(git)? {
        let bytes = match read_bounded(git.join(name), *left) {
            Ok(bytes) => bytes,
            Err(ReadError::Missing) => continue,
            Err(_) => return Err(Unknown),
        };
        *left = left.saturating_sub(bytes.len() as u64);
        // Which hash it is told by nothing in the file: the other one makes no sense.
        let read = parse(&bytes, 20).or_else(|| parse(&bytes, 32));
        found.extend(read.ok_or(Unknown)?);
        if found.len() > MAX_REPOSITORIES {
            return Err(Unknown);
        }
    }
    Ok(found)
}

/// The files of the index: most of a split one is in another.
fn indexes(git: &Path) -> Result<Vec<OsString>, Unknown> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(git) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(found);
        }
        Err(_) => return Err(Unknown),
    };
    for (at, entry) in entries.enumerate() {
        let name = entry.map_err(|_| Unknown)?.file_name();
        if name == "index" || name.as_bytes().starts_with(b"sharedindex.") {
            found.push(name);
        }
        if at >= MAX_NAMES || found.len() > MAX_INDEXES {
            return Err(Unknown);
        }
    }
    Ok(found)
}

fn parse(bytes: &[u8], hash: usize) -> Option<BTreeSet<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    let (mut at, mut found, mut name) = (12, BTreeSet::new(), Vec::new());
    for _ in 0..count {
        let mode = number(at + MODE)?;
        let flags_at = at + BEFORE_HASH + hash;
        let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let is_extended = flags & 0x4000 != 0 && version >= 3;
        let mut name_at = flags_at + if is_extended { 4 } else { 2 };
        if version == 4 {
            let (strip, length) = offset(bytes.get(name_at..)?)?;
            name.truncate(name.len().checked_sub(strip)?);
            name_at += length;
        } else {
            name.clear();
        }
        let rest = bytes.get(name_at..)?;
        let length = rest.iter().take(MAX_NAME).position(|byte| *byte == 0)?;
        name.extend_from_slice(rest.get(..length)?);
        if name.len() > MAX_NAME || !matches!(mode >> 12, 0o4 | 0o10 | 0o12 | 0o16) {
            return None;
        }
        if mode == COMMIT {
            found.insert(name.clone());
        }
        if found.len() > MAX_REPOSITORIES {
            return None;
        }
        // An entry is filled up with zeros to a multiple of eight, at least one.
        at = if version == 4 { name_at + length + 1 } else { at + (name_at + length - at + 8) / 8 * 8 };
    }
    matches!(version, 2..=4).then_some(found)
}

/// A number of git's packs, and how long it is.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for (at, byte) in bytes.iter().take(8).enumerate() {
        let before = if at == 0 { 0 } else { value.checked_add(1)? };
        value = before.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 4 with these entries: how much of the name before goes, and what comes.
    fn index(entries: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x04".to_vec();
        bytes.extend((entries.len() as u32).to_be_bytes());
        for (strip, more) in entries {
            bytes.extend([0; MODE]);
            bytes.extend(COMMIT.to_be_bytes());
            bytes.extend([0; BEFORE_HASH - MODE - 4 + 20 + 2]);
            assert!(*strip < 128);
            bytes.push(*strip as u8);
            bytes.extend(*more);
            bytes.push(0);
        }
        bytes
    }

    fn look(files: &[(&str, &[u8])], mut left: u64) -> Result<usize, Unknown> {
        let git = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(git.path().join(name), bytes).unwrap());
        of(git.path(), &mut left).map(|found| found.len())
    }

    #[test]
    fn names_that_are_built_on_each_other_end_somewhere() {
        let long = [b'x'; 1000];
        let growing = |count: usize| index(&vec![(0, long.as_slice()); count]);
        assert_eq!(parse(&growing(4), 20).unwrap().len(), 4);
        assert_eq!(parse(&growing(5), 20), None, "a name of 5,000 bytes");
        let huge = [b'x'; MAX_NAME + 1];
        assert_eq!(parse(&index(&[(0, &huge)]), 20), None);
    }

    #[test]
    fn more_submodules_than_are_looked_at_are_unknown_and_no_nothing() {
        let names: Vec<Vec<u8>> = (0..=MAX_REPOSITORIES).map(|at| format!("{at:03}").into_bytes()).collect();
        let all: Vec<(usize, &[u8])> = names.iter().map(|name| (3, name.as_slice())).collect();
        let of = |from: usize, to: usize| {
            // The first one has no name before it.
            let mut part = all[from..to].to_vec();
            part[0].0 = 0;
            index(&part)
        };
        let (some, rest, every) = (of(0, 20), of(20, all.len()), of(0, all.len()));
        assert_eq!(look(&[("index", &some)], 1 << 20), Ok(20));
        assert_eq!(look(&[("index", &some), ("sharedindex.x", &some)], 1 << 20), Ok(20));
        assert_eq!(look(&[("index", &every)], 1 << 20), Err(Unknown));
        assert_eq!(look(&[("index", &some), ("sharedindex.x", &rest)], 1 << 20), Err(Unknown));
    }

    #[test]
    fn all_files_of_an_index_share_their_bytes() {
        let one = index(&[(0, b"a")]);
        let length = one.len() as u64;
        let files = [("index", one.as_slice()), ("sharedindex.x", one.as_slice())];
        assert_eq!(look(&files, 2 * length), Ok(1));
        assert_eq!(look(&files, 2 * length - 1), Err(Unknown));
        assert_eq!(look(&[("index", b"no index")], 1 << 20), Err(Unknown));
        assert_eq!(look(&[], 0), Ok(0));
    }
}
