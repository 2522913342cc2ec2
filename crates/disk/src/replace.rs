//! Whole files: the old content or the new, never half.

use std::io::Read as _;
use std::path::Path;

use crate::file_target::{FileTarget, IfExists, Permissions};
use crate::{DiskError, resolve};

/// Puts these bytes in the place of a file, or makes it.
///
/// Is the path a link, the file that it leads to is replaced, and the link stays. On any error the old
/// file is untouched.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8], permissions: Permissions) -> Result<(), DiskError> {
    FileTarget::at(&resolve(path)?)?.put(&[bytes], permissions, IfExists::Replace)?.commit()
}

/// Makes a file out of these pieces; refuses if something has the name already, be it a dead link.
///
/// Pieces, so that a head can be put before a large rest without copying both together.
pub fn create_new(
    path: impl AsRef<Path>,
    pieces: &[&[u8]],
    permissions: Permissions,
) -> Result<(), DiskError> {
    let file_target = FileTarget::named(path.as_ref())?;
    match file_target.file_type()? {
        Some(_) => Err(DiskError::Exists { path: path.as_ref().to_path_buf() }),
        None => file_target.put(pieces, permissions, IfExists::Refuse)?.commit(),
    }
}

/// Copies a file to a name that is free.
pub fn copy_new(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
    permissions: Permissions,
) -> Result<(), DiskError> {
    let from = from.as_ref();
    let mut bytes = Vec::new();
    let mut file = FileTarget::at(&resolve(from)?)?.open()?;
    file.read_to_end(&mut bytes).map_err(DiskError::of("read", from))?;
    create_new(to, &[&bytes], permissions)
}
