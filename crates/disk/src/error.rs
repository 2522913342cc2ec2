//! What can go wrong on a disk, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Something was not written or not found. Unless it says otherwise, everything is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The disk, or the person's share of it, is used up.
    #[error("The disk is full: cannot write `{}`\nFree some space and try again; this file was not changed", path.display())]
    Full {
        /// What was to be written.
        path: PathBuf,
    },
    /// The system's permissions forbid it.
    #[error("Permission denied: cannot {doing} `{}`\nCheck the permissions of the file and its folder, or choose another path", path.display())]
    NotAllowed {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
    },
    /// The file system as a whole takes no writes.
    #[error("`{}` is on a read-only file system\nChoose a writable path", path.display())]
    ReadOnly {
        /// What was to be written.
        path: PathBuf,
    },
    /// The folder that was to hold the file is not there.
    #[error("The folder `{}` does not exist\nCreate it first, or choose another path", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Nothing is there.
    #[error("`{}` does not exist\nCheck the path", path.display())]
    Missing {
        /// What was looked for.
        path: PathBuf,
    },
    /// Something is there already.
    #[error("`{}` already exists and was not changed\nChoose another name", path.display())]
    Exists {
        /// What stands in the way.
        path: PathBuf,
    },
    /// A folder, a device or a pipe where a file is needed.
    #[error("`{}` is not a regular file\nUse the path of a file", path.display())]
    NotAFile {
        /// What it is.
        path: PathBuf,
    },
    /// It shows what is inside of a process.
    #[error("`{}` shows the inside of a running process, so it was not opened\nIf it is needed, ask the user to look at it", path.display())]
    Process {
        /// The file.
        path: PathBuf,
    },
    /// Something else where a folder is needed.
    #[error("A part of the path `{}` is not a folder\nCheck the path", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// Links that lead to each other, or a link where none is followed.
    #[error("Cannot follow the symlinks in `{}`\nUse the path of the file itself", path.display())]
    Links {
        /// The path.
        path: PathBuf,
    },
    /// The folder of a file was moved away while the file was being written.
    #[error("The path `{}` changed while the file was being written, so nothing was changed\nCheck the path and try again", path.display())]
    Moved {
        /// The file.
        path: PathBuf,
    },
    /// Another program changed, replaced, made or removed the file after it was read.
    #[error("`{}` was changed by another program in the meantime, so this change was not made\nRead it again and retry", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Longer than the file system takes.
    #[error("The path `{}` is too long for the file system\nChoose a shorter one", path.display())]
    TooLong {
        /// The path.
        path: PathBuf,
    },
    /// A relative path where only an absolute one is clear.
    #[error("`{}` is not an absolute path\nUse a full path that starts with `/`", path.display())]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// It leads out of the folder that it must stay in.
    #[error("`{}` leads outside `{}`\nUse a path inside it", path.display(), root.display())]
    Outside {
        /// The path.
        path: PathBuf,
        /// The folder.
        root: PathBuf,
    },
    /// A line with a newline in it would be two lines.
    #[error("A line for `{}` contains a newline and was not written\nEncode the newline", path.display())]
    InnerNewline {
        /// The file.
        path: PathBuf,
    },
    /// Anything else, with the system's own words.
    #[error("Cannot {doing} `{}`: {source}", path.display())]
    Other {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DiskError {
    /// Sorts a system's error into its kind.
    pub(crate) fn new(doing: &'static str, path: &Path, error: impl Into<io::Error>) -> Self {
        let source = error.into();
        let path = path.to_path_buf();
        match Errno::from_io_error(&source) {
            Some(Errno::NOSPC | Errno::DQUOT) => Self::Full { path },
            Some(Errno::ACCESS | Errno::PERM) => Self::NotAllowed { doing, path },
            Some(Errno::ROFS) => Self::ReadOnly { path },
            Some(Errno::NOENT) => Self::Missing { path },
            Some(Errno::EXIST) => Self::Exists { path },
            Some(Errno::ISDIR) => Self::NotAFile { path },
            Some(Errno::NOTDIR) => Self::NotAFolder { path },
            Some(Errno::LOOP) => Self::Links { path },
            Some(Errno::NAMETOOLONG) => Self::TooLong { path },
            _ => Self::Other { doing, path, source },
        }
    }

    /// For `map_err`: the same, with the system's error to come.
    pub(crate) fn of<E: Into<io::Error>>(doing: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |error| Self::new(doing, path, error)
    }
}
