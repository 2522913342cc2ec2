//! Links made, and names taken away, below a folder that is held open.

use std::path::Path;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::Root;
use crate::DiskError;
use crate::place::random_name;

impl Root {
    /// Makes a link, in the place of a file or a link if there is one; where it leads is not looked at.
    pub fn link_beneath(&self, path: impl AsRef<Path>, target: &Path) -> Result<(), DiskError> {
        let path = path.as_ref();
        let place = self.place_itself(path, path)?;
        let failed = |errno: Errno| DiskError::new("make the link", &place.shown, errno);
        let other = random_name().map_err(failed)?;
        rustix::fs::symlinkat(target, &place.folder, &other).map_err(failed)?;
        if let Err(errno) = rustix::fs::renameat(&place.folder, &other, &place.folder, &place.name) {
            // The first error is the one to tell.
            let _ = rustix::fs::unlinkat(&place.folder, &other, AtFlags::empty());
            return Err(failed(errno));
        }
        place.sync_folder()
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
        let place = match self.place_itself(path, path) {
            Err(DiskError::NoFolder { .. }) => return Ok(false),
            place => place?,
        };
        match rustix::fs::unlinkat(&place.folder, &place.name, flags) {
            Ok(()) => place.sync_folder().map(|()| true),
            Err(Errno::NOENT) => Ok(false),
            Err(Errno::NOTEMPTY | Errno::EXIST) if flags == AtFlags::REMOVEDIR => Ok(false),
            Err(errno) => Err(DiskError::new("remove", &place.shown, errno)),
        }
    }
}
