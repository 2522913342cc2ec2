//! Opening below a folder: by one call of the kernel, or name by name where it does not know that call.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use forelook_protocol::AbsPath;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// How often the kernel may ask to try again because something was being renamed meanwhile.
const MAX_TRIES: usize = 1000;
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Old container runtimes refuse calls they do not know with EPERM.
pub(super) fn is_unsupported_syscall(errno: Errno) -> bool {
    matches!(errno, Errno::NOSYS | Errno::PERM)
}

pub(super) fn openat2_confined(
    folder: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    how: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    for _ in 0..MAX_TRIES {
        match rustix::fs::openat2(&folder, path, flags, mode, how) {
            // The kernel saw a rename while it went up a `..`, and cannot vouch for the result.
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens a folder by its absolute path, no link followed.
pub(super) fn open_nofollow(path: &AbsPath) -> Result<OwnedFd, Errno> {
    let start = rustix::fs::openat(CWD, "/", FOLDER, Mode::empty())?;
    walk(&start, path.as_path().strip_prefix("/").unwrap_or(path.as_path()), FOLDER, Mode::empty())
}

/// Opens name by name. No link is followed, so `..` can be taken out by words.
pub(super) fn walk(folder: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let names = names(path)?;
    let Some((last, before)) = names.split_last() else {
        return rustix::fs::openat(folder, ".", flags, mode);
    };
    let mut at: Option<OwnedFd> = None;
    for name in before {
        at = Some(rustix::fs::openat(at.as_ref().unwrap_or(folder), *name, FOLDER | OFlags::NOFOLLOW, mode)?);
    }
    rustix::fs::openat(at.as_ref().unwrap_or(folder), *last, flags | OFlags::NOFOLLOW, mode)
}

/// The names of a relative path, `..` taken out; EXDEV, as the kernel says it, if it leads out.
fn names(path: &Path) -> Result<Vec<&OsStr>, Errno> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop().ok_or(Errno::XDEV)?;
            }
            Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    Ok(names)
}
