//! Where a search begins.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use forelook_protocol::{AbsPath, Action, FileRef, nearest};

use crate::context::ToolContext;
use crate::typed::ToolFailure;

/// Names that are looked through for one that was meant.
const MAX_NAMES: usize = 10_000;

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchRoot {
    Folder,
    File,
}

impl SearchRoot {
    /// The place that was decided on. If the same words lead elsewhere by now, nothing is done.
    pub(crate) fn decided(now: FileRef, cx: &ToolContext) -> Result<AbsPath, ToolFailure> {
        match &cx.action {
            Action::Read { file } if file.real == now.real => Ok(now.real),
            _ => Err(ToolFailure::new(format!(
                "`{}` now points somewhere else, so nothing was searched\nTry again",
                now.named
            ))),
        }
    }

    /// Looks what is there. What is neither a folder nor a regular file is never opened.
    pub(crate) fn inspect(path: &AbsPath) -> Result<Self, ToolFailure> {
        let kind = match fs::metadata(path) {
            Ok(meta) => meta.file_type(),
            Err(error) => return Err(explain(path, &error)),
        };
        if forelook_disk::shows_process(path.as_path()) {
            return Err(ToolFailure::new(format!(
                "`{path}` shows the inside of a running process, so it was not searched\n\
                 If it is needed, ask the user to look at it"
            )));
        }
        let what = if kind.is_dir() {
            return Ok(Self::Folder);
        } else if kind.is_file() {
            return Ok(Self::File);
        } else if kind.is_fifo() {
            "a named pipe"
        } else if kind.is_socket() {
            "a socket"
        } else {
            "a device"
        };
        Err(ToolFailure::new(format!(
            "`{path}` is {what}, so it was not opened\nPass a directory or a regular file"
        )))
    }
}

fn explain(path: &AbsPath, error: &io::Error) -> ToolFailure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(path),
        io::ErrorKind::PermissionDenied => ToolFailure::new(format!(
            "Permission denied: cannot search `{path}`\nCheck the permissions of the directories above it"
        )),
        _ => ToolFailure::new(format!("`{path}` could not be searched: {error}")),
    }
}

/// Says that there is no such place, and what there is that could have been meant.
fn missing(path: &AbsPath) -> ToolFailure {
    let text = format!("There is no file or directory `{path}`");
    let parts: Vec<&Path> = path.as_path().ancestors().collect();
    let Some([wanted, above]) = parts.windows(2).find(|pair| pair[1].is_dir()) else {
        return ToolFailure::new(text);
    };
    let names: Vec<String> = fs::read_dir(above)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_NAMES)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let wanted = wanted.file_name().unwrap_or_default().to_string_lossy();
    let hint = match nearest(&wanted, names.iter().map(String::as_str)) {
        Some(name) => format!("Did you mean `{}`?", above.join(name).display()),
        None => format!("`{}` is the last directory on the path that exists", above.display()),
    };
    ToolFailure::new(format!("{text}\n{hint}"))
}
