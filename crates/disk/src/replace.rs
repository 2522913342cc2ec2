//! Whole files: the old content or the new, never half.

use std::path::Path;

use crate::file_target::{FileTarget, IfExists, Permissions, PreparedWrite};
use crate::{DiskError, resolve};

/// Puts these bytes in the place of a file, or makes it.
///
/// Is the path a link, the file that it leads to is replaced, and the link stays. On any error the old
/// file is untouched.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8], permissions: Permissions) -> Result<(), DiskError> {
    prepare(path, &[bytes], permissions)?.commit()
}

/// The same in two steps: the file is written, out of these pieces, but comes into its place only with
/// [`PreparedWrite::commit`]. Until then it can be left.
///
/// Pieces, so that a large file of which little changes need not be copied together.
pub fn prepare(
    path: impl AsRef<Path>,
    pieces: &[&[u8]],
    permissions: Permissions,
) -> Result<PreparedWrite, DiskError> {
    let real = resolve(path)?;
    FileTarget::at(real.as_path().to_path_buf())?.prepare(pieces, permissions, IfExists::Replace)
}

/// Makes a file out of these pieces; refuses if something has the name already, be it a dead link.
///
/// Pieces, so that a head can be put before a large rest without copying both together.
pub fn create_new(
    path: impl AsRef<Path>,
    pieces: &[&[u8]],
    permissions: Permissions,
) -> Result<(), DiskError> {
    let path = path.as_ref();
    if std::fs::symlink_metadata(path).is_ok() {
        return Err(DiskError::Exists { path: path.to_path_buf() });
    }
    let real = resolve(path)?;
    FileTarget::at(real.as_path().to_path_buf())?.write_atomically(pieces, permissions, IfExists::Refuse)
}

/// Copies a file to a name that is free.
pub fn copy_new(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
    permissions: Permissions,
) -> Result<(), DiskError> {
    let from = from.as_ref();
    let bytes = std::fs::read(from).map_err(DiskError::of("read", from))?;
    create_new(to, &[&bytes], permissions)
}
