//! Reads a whole file without being held up by what is not one.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;

use forelook_protocol::AbsPath;
use rustix::fs::{Mode, OFlags, open};

use crate::typed::Failure;

/// A file larger than this is for programs; reading it would only fill memory.
pub(crate) const MAX_FILE: u64 = 64 * 1024 * 1024;

/// All bytes of a file, or nothing when there is none.
pub(crate) fn read_whole(path: &AbsPath) -> Result<Option<Vec<u8>>, Failure> {
    let fail = |error: io::Error| Failure::new(explain(path, &error));
    // Looked at first: opening a device can do things, and opening a pipe waits for its other end.
    match fs::metadata(path) {
        Ok(meta) => must_be_regular(path, meta.file_type())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    }
    // Should a pipe have come into its place meanwhile, this does not wait either.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match open(path.as_path(), flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => return Err(fail(error.into())),
    };
    read_open(path, file).map(Some)
}

/// All bytes of a file that was opened without waiting.
pub(crate) fn read_open(path: &AbsPath, file: File) -> Result<Vec<u8>, Failure> {
    let fail = |error: io::Error| Failure::new(explain(path, &error));
    let meta = file.metadata().map_err(fail)?;
    must_be_regular(path, meta.file_type())?;
    // One byte more, so that the end is found without growing. What the system says of `/proc` files is nothing.
    let mut bytes = Vec::with_capacity(meta.len().min(MAX_FILE) as usize + 1);
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Failure::new(format!(
            "`{path}` is larger than {} MiB\nLook at a part of it with Bash: `head`, `tail`, `sed -n` or `grep`",
            MAX_FILE / 1024 / 1024
        )));
    }
    Ok(bytes)
}

fn must_be_regular(path: &AbsPath, kind: FileType) -> Result<(), Failure> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        return Err(Failure::new(format!("`{path}` is a folder\nList it with Bash: `ls -la`")));
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(Failure::new(format!("`{path}` is {what}, not a regular file, so it was not opened")))
}

fn explain(path: &AbsPath, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("Not allowed to read `{path}`\nIts permissions, or those of a folder above it, forbid it")
        }
        io::ErrorKind::NotADirectory => {
            format!("`{path}` goes through a file as if it were a folder\nCheck the path")
        }
        _ => format!("`{path}` could not be read: {error}"),
    }
}
