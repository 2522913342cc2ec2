//! Everything about a tree of files that could change.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What there is by name.
pub(crate) type Snapshot = BTreeMap<String, String>;

/// Adds what lies below `folder`.
pub(crate) fn add(snapshot: &mut Snapshot, name: &str, folder: &Path) {
    snapshot.insert(name.to_owned(), about(folder));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let (path, name) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
        if entry.file_type().unwrap().is_dir() {
            add(snapshot, &name, &path);
        } else {
            snapshot.insert(name, about(&path));
        }
    }
}

/// What is different, in words.
pub(crate) fn difference(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let none = String::new();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let pair = |name| (name, before.get(name).unwrap_or(&none), after.get(name).unwrap_or(&none));
    names
        .into_iter()
        .map(pair)
        .filter(|(_, before, after)| before != after)
        .map(|(name, before, after)| format!("{name}\n      {before}\n   => {after}"))
        .collect()
}

fn about(path: &Path) -> String {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) => return error.to_string(),
    };
    let mut words = format!(
        "{:o} {}:{} links {} inode {} device {} size {} changed {}.{:09} modified {}.{:09}",
        meta.mode(),
        meta.uid(),
        meta.gid(),
        meta.nlink(),
        meta.ino(),
        meta.rdev(),
        meta.size(),
        meta.ctime(),
        meta.ctime_nsec(),
        meta.mtime(),
        meta.mtime_nsec()
    );
    if meta.is_file() {
        // Of files only: who reads a folder or a link changes when it was read.
        words += &format!(" read {} {} {}", meta.atime(), flags(path), content(path));
    }
    if meta.is_symlink() {
        words += &format!(" to {:?}", fs::read_link(path).ok());
    } else {
        words += &attributes(path);
    }
    words
}

fn content(path: &Path) -> String {
    match fs::read(path) {
        Ok(bytes) if bytes.len() > 200 => {
            let sum = bytes.iter().fold(5381u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(*byte));
            format!("{} bytes {sum:x}", bytes.len())
        }
        Ok(bytes) => format!("{:?}", String::from_utf8_lossy(&bytes)),
        Err(error) => error.to_string(),
    }
}

/// The flags that `chattr` sets, and the number of its project.
fn flags(path: &Path) -> String {
    const GET_FLAGS: libc::c_ulong = 0x8008_6601;
    const GET_PROJECT: libc::c_ulong = 0x801c_581f;
    let Ok(file) = fs::File::open(path) else { return String::new() };
    let (mut flags, mut project) = (0u64, [0u32; 7]);
    // SAFETY: there is room for what either call writes.
    unsafe {
        libc::ioctl(file.as_raw_fd(), GET_FLAGS as _, &raw mut flags);
        libc::ioctl(file.as_raw_fd(), GET_PROJECT as _, project.as_mut_ptr());
    }
    format!("flags {flags:x} {:x} {:x}", project[0], project[3])
}

fn attributes(path: &Path) -> String {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    let mut names = [0u8; 1024];
    // SAFETY: there is room for as much as is said.
    let got = unsafe { libc::llistxattr(path.as_ptr(), names.as_mut_ptr().cast(), names.len()) };
    let mut words = String::new();
    for name in names[..got.max(0) as usize].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = CString::new(name).unwrap();
        let mut value = [0u8; 1024];
        // SAFETY: as above.
        let got =
            unsafe { libc::lgetxattr(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), value.len()) };
        words += &format!(
            " {}={:?}",
            name.to_string_lossy(),
            String::from_utf8_lossy(&value[..got.max(0) as usize])
        );
    }
    words
}
