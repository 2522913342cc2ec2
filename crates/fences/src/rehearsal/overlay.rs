//! Where a rehearsal is kept: the kernel's folders, and which working folder each of them is of.

use std::io;
use std::path::{Path, PathBuf};

use forelook_disk::{DiskError, Permissions};
use forelook_protocol::AbsPath;
use forelook_sandbox::{remove_overlay, upper};

/// The layer of a session. It is found again when the session is, as long as it is planning.
#[derive(Debug)]
pub(crate) struct Overlay {
    root: AbsPath,
}

/// A working folder with what would change in it.
#[derive(Debug)]
pub(super) struct OverlaidFolder {
    /// The working folder, without links.
    pub(super) real: AbsPath,
    /// The kernel's notes of what is different.
    pub(super) upper: PathBuf,
}

impl OverlaidFolder {
    /// Whether there is a note about this path: it was made, changed or removed.
    pub(super) fn changes(&self, path: &Path) -> bool {
        let rest = path.strip_prefix(&self.real);
        rest.is_ok_and(|rest| self.upper.join(rest).symlink_metadata().is_ok())
    }
}

impl Overlay {
    /// Of the session that has this folder.
    pub(crate) fn of(folder: &AbsPath) -> Self {
        Self { root: folder.join("layer") }
    }

    pub(super) fn root(&self) -> &AbsPath {
        &self.root
    }

    /// Gets ready for a fence around these working folders, and tells where it keeps what is written.
    ///
    /// The kernel's folders are counted as the working folders are. One more only adds a number; are they others, the
    /// numbers would mean others too, so everything begins anew. So it does without a note: that goes first when a layer is
    /// removed, and what is left of one that was half removed is nobody's.
    pub(crate) fn prepare(&self, folders: &[AbsPath]) -> io::Result<PathBuf> {
        if let Some(around) = folders.iter().find(|folder| self.root.is_inside(folder)) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("the overlay would have to be inside the working directory `{around}` itself"),
            ));
        }
        let known = self.folders();
        if known == folders && !known.is_empty() {
            return Ok(self.root.as_path().to_owned());
        }
        if known.is_empty() || !folders.starts_with(&known) {
            self.remove()?;
        }
        let note = serde_json::to_vec(folders)?;
        forelook_disk::make_private(&self.root)
            .and_then(|()| forelook_disk::replace(self.note(), &note, Permissions::Private))
            .map_err(disk)?;
        Ok(self.root.as_path().to_owned())
    }

    /// The working folders that it is over, in the order of their numbers.
    fn folders(&self) -> Vec<AbsPath> {
        std::fs::read(self.note())
            .ok()
            .and_then(|note| serde_json::from_slice(&note).ok())
            .unwrap_or_default()
    }

    fn note(&self) -> AbsPath {
        self.root.join("folders.json")
    }

    /// The working folders with what would change in them.
    pub(super) fn overlaid(&self) -> Vec<OverlaidFolder> {
        let folders = self.folders().into_iter().enumerate();
        folders
            .map(|(number, real)| OverlaidFolder { real, upper: upper(self.root.as_path(), number) })
            .filter(|overlaid| overlaid.upper.is_dir())
            .collect()
    }

    /// Throws everything away.
    pub(super) fn remove(&self) -> io::Result<()> {
        remove_overlay(self.root.as_path())
    }
}

fn disk(error: DiskError) -> io::Error {
    io::Error::other(error.to_string())
}
