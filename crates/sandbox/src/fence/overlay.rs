//! What a rehearsal leaves on the disk: where it lies, and how it is thrown away.
//!
//! The kernel keeps each working folder's changes in a folder of their own, in its own writing. What was changed or made
//! is there as it is now; what was removed is a device with the numbers 0 and 0; a folder with the attribute [`OPAQUE`]
//! shows nothing of the real one. A folder that was renamed is a new one with all that was in it.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// The attribute of a folder that shows nothing of the real one; its value is `y`.
pub const OPAQUE: &str = "user.overlay.opaque";

/// Where the changes to a working folder lie: `number` counts the folders of the policy.
pub fn upper(overlay: &Path, number: usize) -> PathBuf {
    overlay.join(number.to_string()).join("upper")
}

/// Where the kernel works on them.
pub(super) fn work(overlay: &Path, number: usize) -> PathBuf {
    overlay.join(number.to_string()).join("work")
}

/// Throws a layer away with all that is in it. No fence may stand on it any more. It need not be there.
///
/// What is in it was made by programs: links are never followed, folders may be closed to us, and be nested so deep that
/// a walk down would run out of descriptors. So nothing walks: a folder's folders are moved to the top before it goes.
pub fn remove_overlay(overlay: &Path) -> io::Result<()> {
    let top = match opened(CWD, overlay) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(()),
        // Somebody put something else there. It goes; what it may lead to does not.
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(rustix::fs::unlink(overlay)?),
        Err(error) => return Err(error.into()),
    };
    let mut first = Ok(());
    let mut moved = 0;
    loop {
        let folders = emptied(&top, &mut first)?;
        // What could not be emptied is still there, and would be again.
        let mut removed = false;
        for name in &folders {
            let gone = remove_folder(&top, name, &mut moved, &mut first);
            removed |= gone.is_ok();
            first = first.and(gone);
        }
        if !removed {
            break;
        }
    }
    first?;
    Ok(rustix::fs::rmdir(overlay)?)
}

/// Removes a folder of the top's. The folders in it become the top's.
fn remove_folder(
    top: &OwnedFd,
    name: &CStr,
    moved: &mut u64,
    first: &mut Result<(), Errno>,
) -> Result<(), Errno> {
    let folder = opened(top, name)?;
    for inner in emptied(&folder, first)? {
        // To be moved it must be writable itself: it knows where it lies.
        opened(&folder, inner.as_c_str())?;
        loop {
            *moved += 1;
            match rustix::fs::renameat(&folder, &inner, top, format!("moved-{moved}")) {
                // Never onto something: a name that is taken is not ours.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                done => break done?,
            }
        }
    }
    rustix::fs::unlinkat(top, name, AtFlags::REMOVEDIR)
}

/// Removes all that is in a folder but its folders, whose names it gives.
fn emptied(folder: &OwnedFd, first: &mut Result<(), Errno>) -> Result<Vec<CString>, Errno> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) if is_folder(folder, name) => folders.push(name.to_owned()),
            gone => *first = first.and(gone),
        }
    }
    Ok(folders)
}

fn is_folder(folder: &OwnedFd, name: &CStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|about| FileType::from_raw_mode(about.st_mode) == FileType::Directory)
}

/// A folder, open to its owner from now on: the kernel leaves one without any rights, and programs may too.
fn opened(at: impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = rustix::fs::openat(at, name, flags | OFlags::PATH, Mode::empty())?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&found)?.st_mode);
    // By its descriptor: a name could be a link by now, which would be followed.
    let itself = format!("/proc/self/fd/{}", found.as_raw_fd());
    if !mode.contains(Mode::RWXU) {
        rustix::fs::chmod(&itself, mode | Mode::RWXU)?;
    }
    rustix::fs::open(&itself, flags.difference(OFlags::NOFOLLOW), Mode::empty())
}
