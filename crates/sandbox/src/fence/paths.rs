//! Paths: as C wants them, and where they are seen inside.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::FencePolicy;

/// Memory that programs share. Inside it is a new one, there or not: its folder is replaced with all that is in it.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Folders that scratch takes the place of.
pub(super) const HIDDEN: [&str; 3] = ["/tmp", "/var/tmp", SHARED_MEMORY];

/// Whether scratch can take its place. A link leads to something else.
pub(super) fn can_be_scratch(hidden: &Path) -> bool {
    hidden == Path::new(SHARED_MEMORY) || hidden.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Scratch folders inside that may be written to, the best first. One that a read-only working folder lies in is none, though
/// it is scratch: Landlock gives a folder with all that is mounted below, and takes nothing of it away. There a pipe with a
/// name could be written to that somebody outside reads, which no mount holds.
pub(super) fn scratch(policy: &FencePolicy) -> Vec<PathBuf> {
    let is_writable = |folder: &Path| policy.writable.iter().any(|it| folder.starts_with(it));
    let read_only = |folder: &&PathBuf| policy.overlay.is_none() && !is_writable(folder);
    let is_whole = |place: &&Path| {
        can_be_scratch(place)
            && !policy.folders.iter().filter(read_only).any(|folder| folder.starts_with(place))
    };
    HIDDEN.iter().map(Path::new).filter(is_whole).map(Path::to_owned).collect()
}

/// Where what lies here is seen inside: at its own place, and in working folders, which may be named by links.
pub(super) fn visible_paths<'a>(path: &Path, working: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let Ok(path) = path.canonicalize() else { return Vec::new() };
    let in_folder = |folder: &Path| {
        let rest = path.strip_prefix(folder.canonicalize().ok()?).ok()?;
        Some(folder.components().chain(rest.components()).collect())
    };
    let mut visible_paths: Vec<PathBuf> = working.filter_map(in_folder).collect();
    if !is_hidden(&path) && !visible_paths.contains(&path) {
        visible_paths.push(path);
    }
    visible_paths
}

/// Whether it lies in a folder that scratch takes the place of; or is shared memory, which is replaced in any case.
pub(super) fn is_hidden(path: &Path) -> bool {
    HIDDEN
        .iter()
        .any(|hidden| path.starts_with(hidden) && (path != Path::new(hidden) || *hidden == SHARED_MEMORY))
}

/// Overlays take several folders at once, with colons between.
pub(super) fn escaped(path: &Path) -> io::Result<CString> {
    let mut bytes = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b':' | b'\\' | b',') {
            bytes.push(b'\\');
        }
        bytes.push(*byte);
    }
    CString::new(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a path contains a NUL byte"))
}

pub(super) fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a path contains a NUL byte"))
}

pub(super) fn c_text(text: &str) -> io::Result<CString> {
    CString::new(text)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a string contains a NUL byte"))
}
