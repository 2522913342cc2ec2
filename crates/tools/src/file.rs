//! Reads a whole file without being held up by what is not one.

use std::fs::File;
use std::io::{self, Read};

use forelook_disk::{DiskError, FileTarget};
use forelook_protocol::AbsPath;
use rustix::fs::FileType;

use crate::seen;
use crate::typed::ToolFailure;

/// A file larger than this is for programs; reading it would only fill memory.
pub(crate) const MAX_FILE: u64 = 64 * 1024 * 1024;

/// A file that was opened to be read.
pub(crate) enum Content {
    /// All its bytes.
    Whole(Vec<u8>),
    /// It is larger than [`MAX_FILE`], or grew past it; what was read of it is thrown away.
    Large,
}

/// The place of a file that was decided on by its real path; nothing if its folder is not there. A link that has come
/// into the path since is not followed.
pub(crate) fn place(real: &AbsPath) -> Result<Option<FileTarget>, ToolFailure> {
    match FileTarget::at(real) {
        Ok(place) => Ok(Some(place)),
        Err(DiskError::NoFolder { .. }) => Ok(None),
        Err(DiskError::NotAFile { .. }) => Err(directory(real)),
        Err(error) => Err(refused(real, error)),
    }
}

/// All bytes of a file, or nothing when there is none.
pub(crate) fn read_whole(path: &AbsPath, place: &FileTarget) -> Result<Option<Vec<u8>>, ToolFailure> {
    open(path, place)?.map(|file| whole(path, &file)).transpose()
}

/// All bytes of an open file.
pub(crate) fn whole(path: &AbsPath, file: &File) -> Result<Vec<u8>, ToolFailure> {
    match content(path, file)? {
        Content::Whole(bytes) => Ok(bytes),
        Content::Large => Err(ToolFailure::new(format!(
            "`{path}` is larger than {} MiB\nView part of it with Bash: `head`, `tail`, `sed -n`, or `grep`",
            MAX_FILE / 1024 / 1024
        ))),
    }
}

/// Whether there is a file; what is none is refused. Looked at first: opening a device can do things, and opening a pipe
/// waits for its other end.
pub(crate) fn must_be_readable(path: &AbsPath, place: &FileTarget) -> Result<bool, ToolFailure> {
    match place.file_type().map_err(|error| refused(path, error))? {
        Some(kind) => must_be_regular(path, kind).map(|()| true),
        None => Ok(false),
    }
}

/// Opens a regular file, without waiting; nothing when there is none.
pub(crate) fn open(path: &AbsPath, place: &FileTarget) -> Result<Option<File>, ToolFailure> {
    if !must_be_readable(path, place)? {
        return Ok(None);
    }
    match place.open() {
        Ok(file) => Ok(Some(file)),
        Err(DiskError::Missing { .. }) => Ok(None),
        Err(error) => Err(refused(path, error)),
    }
}

/// What is in a file that was opened without waiting. Its size is only believed as far as it says how much room to make:
/// `/proc` files say they are empty, and a log grows while it is read.
pub(crate) fn content(path: &AbsPath, mut file: &File) -> Result<Content, ToolFailure> {
    let fail = |error: io::Error| failure(path, &error);
    let meta = file.metadata().map_err(fail)?;
    if meta.len() > MAX_FILE {
        return Ok(Content::Large);
    }
    // One byte more, so that the end is found without growing.
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    file.by_ref().take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
    match bytes.len() as u64 > MAX_FILE {
        true => Ok(Content::Large),
        false => Ok(Content::Whole(bytes)),
    }
}

fn must_be_regular(path: &AbsPath, kind: FileType) -> Result<(), ToolFailure> {
    let what = match kind {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(directory(path)),
        FileType::Symlink => return Err(changed(path)),
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(ToolFailure::new(format!("`{path}` is {what}, not a regular file, so it was not opened")))
}

fn directory(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!(
        "`{path}` is a directory\nList it with Bash: `ls -la`, or find files in it with Glob"
    ))
}

/// The path leads elsewhere than when the call was checked.
pub(crate) fn changed(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!(
        "The path `{path}` changed while this call was running: a symlink or another directory is there now, so \
         nothing was done\nCheck the path with Bash: `ls -l`; then read the file again and retry"
    ))
}

/// What the disk refused, in words for the model.
pub(crate) fn refused(path: &AbsPath, error: DiskError) -> ToolFailure {
    match error {
        DiskError::Links { .. } | DiskError::Moved { .. } => changed(path),
        DiskError::Changed { .. } | DiskError::Exists { .. } => seen::outdated(path),
        DiskError::NotAllowed { doing: "open", .. } => failure(path, &io::ErrorKind::PermissionDenied.into()),
        error => ToolFailure::new(error.to_string()),
    }
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
