//! Reads a whole file without being held up by what is not one.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;

use forelook_protocol::AbsPath;
use rustix::fs::{Mode, OFlags};

use crate::typed::ToolFailure;

/// A file larger than this is for programs; reading it would only fill memory.
pub(crate) const MAX_FILE: u64 = 64 * 1024 * 1024;

/// A file that was opened to be read.
pub(crate) enum Content {
    /// All its bytes.
    Whole(Vec<u8>),
    /// It is larger than [`MAX_FILE`], or grew past it; what was read of it is thrown away.
    Large(File),
}

/// All bytes of a file, or nothing when there is none.
pub(crate) fn read_whole(path: &AbsPath) -> Result<Option<Vec<u8>>, ToolFailure> {
    match open(path)? {
        Some(file) => read_open(path, file).map(Some),
        None => Ok(None),
    }
}

/// All bytes of a file that was opened without waiting.
pub(crate) fn read_open(path: &AbsPath, file: File) -> Result<Vec<u8>, ToolFailure> {
    match content(path, file)? {
        Content::Whole(bytes) => Ok(bytes),
        Content::Large(_) => Err(ToolFailure::new(format!(
            "`{path}` is larger than {} MiB\nView part of it with Bash: `head`, `tail`, `sed -n`, or `grep`",
            MAX_FILE / 1024 / 1024
        ))),
    }
}

/// Opens a regular file, without waiting; nothing when there is none.
pub(crate) fn open(path: &AbsPath) -> Result<Option<File>, ToolFailure> {
    // Looked at first: opening a device can do things, and opening a pipe waits for its other end.
    match fs::metadata(path) {
        Ok(meta) => must_be_regular(path, meta.file_type())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failure(path, &error)),
    }
    // Should a pipe have come into its place meanwhile, this does not wait either.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path.as_path(), flags, Mode::empty()) {
        Ok(file) => Ok(Some(File::from(file))),
        Err(rustix::io::Errno::NOENT) => Ok(None),
        Err(error) => Err(failure(path, &error.into())),
    }
}

/// What is in a file that was opened without waiting. Its size is only believed as far as it says how much room to make:
/// `/proc` files say they are empty, and a log grows while it is read.
pub(crate) fn content(path: &AbsPath, file: File) -> Result<Content, ToolFailure> {
    let fail = |error: io::Error| failure(path, &error);
    let meta = file.metadata().map_err(fail)?;
    must_be_regular(path, meta.file_type())?;
    if meta.len() > MAX_FILE {
        return Ok(Content::Large(file));
    }
    // One byte more, so that the end is found without growing.
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    (&file).take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
    match bytes.len() as u64 > MAX_FILE {
        true => Ok(Content::Large(file)),
        false => Ok(Content::Whole(bytes)),
    }
}

fn must_be_regular(path: &AbsPath, kind: FileType) -> Result<(), ToolFailure> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        return Err(ToolFailure::new(format!(
            "`{path}` is a directory\nList it with Bash: `ls -la`, or find files in it with Glob"
        )));
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(ToolFailure::new(format!("`{path}` is {what}, not a regular file, so it was not opened")))
}

/// A failure to read, in words for the model.
pub(crate) fn failure(path: &AbsPath, error: &io::Error) -> ToolFailure {
    ToolFailure::new(match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!(
                "Permission denied: cannot read `{path}`\n\
                     Check the permissions of the file and of the directories above it"
            )
        }
        io::ErrorKind::NotADirectory => {
            format!("`{path}` uses a file as if it were a directory\nCheck the path")
        }
        io::ErrorKind::WouldBlock => {
            format!(
                "`{path}` has nothing to read right now\n\
                 If you need it, wait for it with Bash and a timeout"
            )
        }
        _ => format!("`{path}` could not be read: {error}"),
    })
}
