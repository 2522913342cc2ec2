//! Links made, and names taken away, below a folder that is held open.

use std::path::Path;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::ConfinedDir;
use crate::DiskError;
use crate::file_target::random_name;

impl ConfinedDir {
    /// Makes a link, in the place of a file or a link if there is one; where it leads is not looked at.
    pub fn link_beneath(&self, path: impl AsRef<Path>, target: &Path) -> Result<(), DiskError> {
        let path = path.as_ref();
        let file_target = self.file_target(path)?;
        let failed = |errno: Errno| DiskError::new("create the link", &file_target.path, errno);
        let other = random_name().map_err(failed)?;
        rustix::fs::symlinkat(target, &file_target.folder, &other).map_err(failed)?;
        if let Err(errno) =
            rustix::fs::renameat(&file_target.folder, &other, &file_target.folder, &file_target.name)
        {
            // The first error is the one to tell.
            let _ = rustix::fs::unlinkat(&file_target.folder, &other, AtFlags::empty());
            return Err(failed(errno));
        }
        file_target.sync_folder()
    }

    /// Removes a file or a link (never what it points to), and tells whether there was one.
    pub fn remove_beneath(&self, path: impl AsRef<Path>) -> Result<bool, DiskError> {
        self.unlink(path.as_ref(), AtFlags::empty())
    }

    /// Removes a folder if nothing is in it, and tells whether it did.
    pub fn remove_empty_beneath(&self, path: impl AsRef<Path>) -> Result<bool, DiskError> {
        self.unlink(path.as_ref(), AtFlags::REMOVEDIR)
    }

    fn unlink(&self, path: &Path, flags: AtFlags) -> Result<bool, DiskError> {
        let file_target = match self.file_target(path) {
            Err(DiskError::NoFolder { .. }) => return Ok(false),
            file_target => file_target?,
        };
        match rustix::fs::unlinkat(&file_target.folder, &file_target.name, flags) {
            Ok(()) => file_target.sync_folder().map(|()| true),
            Err(Errno::NOENT) => Ok(false),
            Err(Errno::NOTEMPTY | Errno::EXIST) if flags == AtFlags::REMOVEDIR => Ok(false),
            Err(errno) => Err(DiskError::new("remove", &file_target.path, errno)),
        }
    }
}
