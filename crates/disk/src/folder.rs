//! Folders made and things removed.

use std::io::ErrorKind;
use std::path::Path;

use rustix::fs::Mode;

use crate::file_target::{self, FileTarget};
use crate::{DiskError, resolve};

/// Makes this folder and those above it that are missing, each for its owner alone (0700). Those that
/// are there keep their mode.
pub fn make_private(path: impl AsRef<Path>) -> Result<(), DiskError> {
    let path = path.as_ref();
    if path.is_dir() {
        return Ok(());
    }
    file_target::make_folders(resolve(path)?.as_path(), Mode::from_raw_mode(0o700)).map(drop)
}

/// Removes a file or a link (never what it points to), and tells whether there was one.
pub fn remove_file(path: impl AsRef<Path>) -> Result<bool, DiskError> {
    match FileTarget::named(path.as_ref()) {
        Err(DiskError::NoFolder { .. }) => Ok(false),
        place => place?.remove(),
    }
}

/// Removes a folder and all that is in it, without following links, and tells whether there was one.
pub fn remove_tree(path: impl AsRef<Path>) -> Result<bool, DiskError> {
    let path = path.as_ref();
    removed_or_missing(std::fs::remove_dir_all(path)).map_err(DiskError::of("remove", path))
}

fn removed_or_missing(removed: std::io::Result<()>) -> std::io::Result<bool> {
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn new_folders_are_private_and_old_ones_stay() {
        let home = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let old = home.path().join("old");
        std::fs::create_dir(&old).unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
        let new = old.join("a/b");
        make_private(&new).unwrap();
        make_private(&new).unwrap();
        assert_eq!((mode(&old), mode(&old.join("a")), mode(&new)), (0o755, 0o700, 0o700));
        std::fs::write(new.join("file"), "").unwrap();
        assert!(matches!(make_private(new.join("file")), Err(DiskError::NotAFolder { .. })));
        assert!(matches!(make_private(new.join("file/x")), Err(DiskError::NotAFolder { .. })));
    }

    #[test]
    fn removing_does_not_follow_links() {
        let home = tempfile::tempdir().unwrap();
        let (kept, tree) = (home.path().join("kept"), home.path().join("tree"));
        std::fs::create_dir(&kept).unwrap();
        std::fs::write(kept.join("file"), "x").unwrap();
        std::fs::create_dir(&tree).unwrap();
        symlink(&kept, tree.join("link")).unwrap();
        symlink(kept.join("file"), home.path().join("link")).unwrap();
        assert!(remove_tree(&tree).unwrap());
        assert!(!remove_tree(&tree).unwrap());
        assert!(remove_file(home.path().join("link")).unwrap());
        assert!(!remove_file(home.path().join("link")).unwrap());
        assert!(kept.join("file").exists());
    }
}
