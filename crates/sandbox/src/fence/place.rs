//! A path, and what must lie there when the supervisor comes to it.
//!
//! A path is looked at when a fence is planned and used when it is raised, and whoever runs in another fence may swap two
//! folders in between. So what is mounted, or mounted on, is held first, and then compared with what was found.

use std::ffi::CString;
use std::io;
use std::path::Path;

use super::paths::c_path;
use super::raw::{self, Errno};
use crate::policy::FileId;

/// A path, and what must lie there if that is known.
#[derive(Debug)]
pub(super) struct Place {
    at: CString,
    id: Option<FileId>,
}

impl Place {
    pub(super) fn new(path: &Path, id: Option<FileId>) -> io::Result<Self> {
        Ok(Self { at: c_path(path)?, id })
    }

    /// Whatever lies there.
    pub(super) fn any(path: &Path) -> io::Result<Self> {
        Self::new(path, None)
    }

    /// Holds what lies there; nothing if there is nothing. Where it is known what must lie there, anything else is an error:
    /// a fence that leaves out a mask would be called one all the same. `flags` may say that a link is meant itself.
    pub(super) fn hold(&self, flags: i32) -> Result<Option<i32>, Errno> {
        match (raw::open(&self.at, libc::O_PATH | flags), self.id) {
            (Ok(held), None) => Ok(Some(held)),
            (Ok(held), Some(id)) if raw::file_id(held) == Ok(id) => Ok(Some(held)),
            (Ok(held), Some(_)) => {
                raw::close(held);
                Err(libc::ESTALE)
            }
            (Err(libc::ENOENT | libc::ENOTDIR), None) => Ok(None),
            (Err(libc::ENOENT | libc::ENOTDIR | libc::ELOOP), Some(_)) => Err(libc::ESTALE),
            (Err(errno), _) => Err(errno),
        }
    }
}

/// Something was replaced since it was looked for.
pub(super) fn stale() -> io::Error {
    io::Error::from_raw_os_error(libc::ESTALE)
}
