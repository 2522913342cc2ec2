//! The submodules that a repository's index names. Git goes into each of them by itself.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forelook_disk::{ReadError, read_bounded};

/// Nobody has a longer one.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// The mode of a commit in the index.
const COMMIT: u32 = 0o160_000;
/// What stands before the hash of an entry, and the place of its mode there.
const BEFORE_HASH: usize = 40;
const MODE: usize = 24;

/// The paths of submodules in the index of this folder. `Err`: it cannot be read.
pub(super) fn of(git: &Path) -> Result<Vec<Vec<u8>>, ()> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(git) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(found);
        }
        Err(_) => return Err(()),
    };
    // Most of a split index is in another file.
    let names = entries.flatten().map(|entry| entry.file_name());
    for name in names.filter(|name| name == "index" || name.as_bytes().starts_with(b"sharedindex.")) {
        let bytes = match read_bounded(git.join(name), MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::Missing) => continue,
            Err(_) => return Err(()),
        };
        // Which hash it is told by nothing in the file: the other one makes no sense.
        let read = parse(&bytes, 20).or_else(|| parse(&bytes, 32));
        found.extend(read.ok_or(())?);
    }
    Ok(found)
}

fn parse(bytes: &[u8], hash: usize) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    let (mut at, mut found, mut name) = (12, Vec::new(), Vec::new());
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
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(rest.get(..length)?);
        if !matches!(mode >> 12, 0o4 | 0o10 | 0o12 | 0o16) {
            return None;
        }
        if mode == COMMIT {
            found.push(name.clone());
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
