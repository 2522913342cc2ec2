//! The one way in which files are reached: from a folder that is held open, no link followed. By one call of the kernel,
//! or name by name where it does not know that call.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// How often the kernel may ask to try again because something was being renamed meanwhile.
const MAX_TRIES: usize = 1000;

/// Opens a folder to reach what is in it. `O_PATH` needs no right to read it.
pub(crate) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a file to read it. Without `O_NONBLOCK` a pipe would keep us waiting before we can see that it is one.
pub(crate) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

const NO_LINKS: ResolveFlags = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);

/// How the kernel is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// `openat2`, which resolves beneath a folder by itself.
    Openat2,
    /// Name by name, for kernels before 5.6 and filters that refuse the call.
    Walk,
}

impl Strategy {
    /// Opens what a relative path leads to, beneath this folder and through no link.
    pub(crate) fn open_beneath(
        self,
        folder: &OwnedFd,
        path: &Path,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd, Errno> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match self {
            Self::Openat2 => openat2(folder, path, flags, mode, NO_LINKS | ResolveFlags::BENEATH),
            Self::Walk => walk(folder, path, flags, mode),
        }
    }

    fn open_absolute(self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        match self {
            Self::Openat2 => openat2(CWD, path, flags, mode, NO_LINKS),
            Self::Walk => {
                let root = rustix::fs::openat(CWD, "/", FOLDER, Mode::empty())?;
                walk(&root, path.strip_prefix("/").unwrap_or(path), flags, mode)
            }
        }
    }
}

/// Opens what an absolute path leads to, through no link; and says how.
pub(crate) fn open_absolute(path: &Path, flags: OFlags, mode: Mode) -> (Result<OwnedFd, Errno>, Strategy) {
    match Strategy::Openat2.open_absolute(path, flags, mode) {
        // Old container runtimes refuse calls they do not know with EPERM. Was it meant, the walk finds the same.
        Err(Errno::NOSYS | Errno::PERM) => (Strategy::Walk.open_absolute(path, flags, mode), Strategy::Walk),
        asked => (asked, Strategy::Openat2),
    }
}

/// The folder at an absolute path, through no link.
pub(crate) fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    open_absolute(path, FOLDER, Mode::empty()).0
}

/// The folder at a relative path below one that is held, made with those above it that are missing. Each is made in the
/// one before, which is held: no link comes in between.
pub(crate) fn make_folders(start: &OwnedFd, path: &Path, mode: Mode) -> Result<OwnedFd, Errno> {
    let mut at = rustix::fs::openat(start, ".", FOLDER, Mode::empty())?;
    for name in names(path)? {
        at = match open_name(&at, name, FOLDER, Mode::empty()) {
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&at, name, mode) {
                    // Its name must be on the disk before a file in it can be called durable.
                    Ok(()) => sync_folder(&at)?,
                    // Another was faster.
                    Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno),
                }
                open_name(&at, name, FOLDER, Mode::empty())?
            }
            opened => opened?,
        };
    }
    Ok(at)
}

/// Brings a folder's list of names to the disk, so that a power cut does not undo what was done to it.
pub(crate) fn sync_folder(folder: &OwnedFd) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".", flags, Mode::empty()) {
        Ok(folder) => rustix::fs::fsync(&folder),
        // A folder that we may write but not read cannot be synced; the file itself was.
        Err(Errno::ACCESS) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// Opens a name in a folder; a link is not followed, and is `ELOOP` whatever is wanted.
pub(crate) fn open_name(
    folder: impl AsFd,
    name: &OsStr,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    match rustix::fs::openat(&folder, name, flags | OFlags::NOFOLLOW, mode) {
        // With O_DIRECTORY a link is no folder before it is a link.
        Err(Errno::NOTDIR) if rustix::fs::readlinkat(&folder, name, Vec::new()).is_ok() => Err(Errno::LOOP),
        opened => opened,
    }
}

fn openat2(
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

/// Opens name by name. No link is followed, so `..` can be taken out by words.
fn walk(folder: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let names = names(path)?;
    let Some((last, before)) = names.split_last() else {
        return rustix::fs::openat(folder, ".", flags, mode);
    };
    let mut at: Option<OwnedFd> = None;
    for name in before {
        at = Some(open_name(at.as_ref().unwrap_or(folder), name, FOLDER, Mode::empty())?);
    }
    open_name(at.as_ref().unwrap_or(folder), last, flags, mode)
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Both ways say the same of every path.
    #[test]
    fn a_link_anywhere_in_an_absolute_path_is_refused_either_way() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("a/b")).unwrap();
        std::fs::write(home.join("a/b/file"), "").unwrap();
        symlink("a", home.join("link")).unwrap();
        symlink("file", home.join("a/b/to_file")).unwrap();
        symlink("nothing", home.join("a/dead")).unwrap();
        for (path, flags, expected) in [
            ("a/b", FOLDER, None),
            ("a/b/../b", FOLDER, None),
            ("a/b/file", READ, None),
            ("a/b/file", FOLDER, Some(Errno::NOTDIR)),
            ("a/none/b", FOLDER, Some(Errno::NOENT)),
            ("link", FOLDER, Some(Errno::LOOP)),
            ("link/b", FOLDER, Some(Errno::LOOP)),
            ("link/b/file", READ, Some(Errno::LOOP)),
            ("a/b/to_file", READ, Some(Errno::LOOP)),
            ("a/dead", READ, Some(Errno::LOOP)),
            ("a/dead/x", READ, Some(Errno::LOOP)),
        ] {
            for strategy in [Strategy::Openat2, Strategy::Walk] {
                let opened = strategy.open_absolute(&home.join(path), flags, Mode::empty());
                assert_eq!(opened.err(), expected, "{strategy:?} {path}");
            }
        }
    }

    #[test]
    fn folders_are_made_one_in_the_other_and_through_no_link() {
        let home = tempfile::tempdir().unwrap();
        let root = open_folder(&home.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir(home.path().join("out")).unwrap();
        symlink("out", home.path().join("link")).unwrap();
        symlink("nothing", home.path().join("dead")).unwrap();
        let mode = Mode::from_raw_mode(0o777);
        make_folders(&root, Path::new("a/b/c"), mode).unwrap();
        make_folders(&root, Path::new("a/b/c"), mode).unwrap();
        assert!(home.path().join("a/b/c").is_dir());
        for (path, expected) in
            [("link/x", Errno::LOOP), ("dead/x", Errno::LOOP), ("dead", Errno::LOOP), ("../x", Errno::XDEV)]
        {
            assert_eq!(make_folders(&root, Path::new(path), mode).err(), Some(expected), "{path}");
        }
        assert_eq!(std::fs::read_dir(home.path().join("out")).unwrap().count(), 0);
    }
}
