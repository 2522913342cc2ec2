//! Plan files: read, written whole, copied.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use forelook_disk::{ConfinedDir, DiskError, OpenMode, PreparedWrite};
use forelook_protocol::AbsPath;
use jiff::Timestamp;

use crate::{PlanError, PlanStore, is_slug};

/// What is read of a file at most. The longest of a hundred plans has 20 KB.
pub(crate) const MAX_BYTES: u64 = 4 << 20;

/// What is in a plan file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanFile {
    /// There is no file.
    Missing,
    /// This text.
    Text(String),
    /// Something that cannot be read, for this reason. It counts as no plan.
    Unreadable(String),
}

impl PlanFile {
    /// The text, if it is one.
    pub fn text(self) -> Option<String> {
        match self {
            PlanFile::Text(text) => Some(text),
            PlanFile::Missing | PlanFile::Unreadable(_) => None,
        }
    }

    /// Why it cannot be read, if it is there and cannot.
    pub fn problem(&self) -> Option<&str> {
        match self {
            PlanFile::Unreadable(why) => Some(why),
            PlanFile::Missing | PlanFile::Text(_) => None,
        }
    }

    /// Whether there is a text that can be read.
    pub fn is_text(&self) -> bool {
        matches!(self, PlanFile::Text(_))
    }
}

impl PlanStore {
    /// The plan in this file. A missing file is no plan; one that cannot be read, is no text, or is a link is logged
    /// and is no plan either.
    pub fn read(&self, path: &AbsPath) -> Option<String> {
        self.look(path).text()
    }

    /// What is in this file, and why it cannot be read, if that is so.
    pub fn look(&self, path: &AbsPath) -> PlanFile {
        match self.load(path) {
            Ok(None) => PlanFile::Missing,
            Ok(Some(text)) => PlanFile::Text(text),
            Err(error) => {
                tracing::warn!(path = %path, error = %error, "cannot read a plan; treating it as missing");
                PlanFile::Unreadable(error.to_string())
            }
        }
    }

    /// Whether there is a plan file at this path.
    pub fn exists(&self, path: &AbsPath) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
    }

    /// Puts a text in the place of a plan, or makes it: whole or not at all, never through a link.
    ///
    /// What stood there is gone, unless it was kept; [`PlanStore::revise`] keeps it.
    pub fn write(&self, path: &AbsPath, text: &str) -> Result<(), PlanError> {
        let subpath = self.subpath_of(path)?;
        let put = || self.open_root().and_then(|root| self.replace(&root, &subpath, text));
        match put() {
            Err(PlanError::Disk(DiskError::NoFolder { .. } | DiskError::Missing { .. })) => {
                self.ensure_folder()?;
                put()
            }
            done => done,
        }
    }

    /// Puts a text in the place of the plan that `check` accepts; the bytes of the file are its argument. What anybody else
    /// writes between the look and the replacement is not undone: then this is [`PlanError::Changed`].
    pub fn write_over(
        &self,
        path: &AbsPath,
        text: &str,
        check: impl FnOnce(Option<Vec<u8>>) -> Result<(), PlanError>,
    ) -> Result<(), PlanError> {
        let subpath = self.subpath_of(path)?;
        let target = match self.open_root().and_then(|root| Ok(root.file_target(&subpath)?)) {
            Err(PlanError::Disk(DiskError::NoFolder { .. } | DiskError::Missing { .. })) => {
                self.ensure_folder()?;
                self.open_root()?.file_target(&subpath)?
            }
            found => found?,
        };
        let held = target.hold()?;
        check(self.load_bytes(path)?)?;
        let prepared = target.prepare_over(&held, &[text.as_bytes()], self.permissions());
        match prepared.and_then(PreparedWrite::commit) {
            Err(DiskError::Changed { .. } | DiskError::Exists { .. }) => {
                Err(PlanError::Changed { path: path.clone() })
            }
            done => Ok(done?),
        }
    }

    /// Makes a text the plan: keeps what stands in the file now, writes, and keeps what was written. Returns the
    /// number of the new revision.
    pub fn revise(&self, slug: &str, text: &str, now: Timestamp) -> Result<u32, PlanError> {
        self.write_over(&self.path_of(slug), text, |_| self.save_current(slug, now).map(drop))?;
        self.save_revision(slug, text, now)
    }

    /// Copies a plan to a name that is free, and tells whether there was one to copy. The copy has no history.
    pub fn copy(&self, from: &str, to: &str) -> Result<bool, PlanError> {
        for slug in [from, to] {
            check(slug)?;
        }
        let Some(bytes) = self.load_bytes(&self.path_of(from))? else { return Ok(false) };
        let subpath = self.subpath(format!("{to}.md"));
        self.open_root()?.create_new_beneath(subpath, &bytes, self.permissions())?;
        Ok(true)
    }

    /// The text of a plan file; nothing if there is none. Unlike [`PlanStore::read`] it tells why it cannot be read.
    pub fn load(&self, path: &AbsPath) -> Result<Option<String>, PlanError> {
        let Some(bytes) = self.load_bytes(path)? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|_| PlanError::NotText { path: path.clone() })?;
        Ok(Some(text))
    }

    /// The bytes of a plan file; nothing if there is none.
    pub(crate) fn load_bytes(&self, path: &AbsPath) -> Result<Option<Vec<u8>>, PlanError> {
        let subpath = self.subpath_of(path)?;
        match self.open_root().and_then(|root| self.bytes_at(&root, &subpath)) {
            Err(PlanError::Disk(DiskError::Missing { .. })) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The bytes of a file below the root.
    pub(crate) fn bytes_at(&self, root: &ConfinedDir, subpath: &Path) -> Result<Vec<u8>, PlanError> {
        let file = root.open_beneath(subpath, OpenMode::Read)?;
        let mut bytes = Vec::new();
        let shown = || self.folder().join(subpath.file_name().unwrap_or_default());
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|source| {
            PlanError::Disk(DiskError::Other { doing: "read", path: shown().as_path().to_path_buf(), source })
        })?;
        match bytes.len() as u64 > MAX_BYTES {
            true => Err(PlanError::TooLong { path: shown(), limit: MAX_BYTES }),
            false => Ok(bytes),
        }
    }

    /// Replaces a file below the root.
    pub(crate) fn replace(&self, root: &ConfinedDir, subpath: &Path, text: &str) -> Result<(), PlanError> {
        Ok(root.replace_beneath(subpath, text.as_bytes(), self.permissions())?)
    }

    /// The path from the root of a plan file, which must lie in the folder itself.
    fn subpath_of(&self, path: &AbsPath) -> Result<PathBuf, PlanError> {
        let name = path.as_path().file_name();
        let is_plan = path.as_path().extension().is_some_and(|extension| extension == "md");
        match name {
            Some(name) if is_plan && path.parent().as_ref() == Some(self.folder()) => Ok(self.subpath(name)),
            _ => Err(PlanError::OutsidePlanFolder { path: path.clone(), folder: self.folder().clone() }),
        }
    }
}

/// Refuses what is no name of a plan.
pub(crate) fn check(slug: &str) -> Result<(), PlanError> {
    match is_slug(slug) {
        true => Ok(()),
        false => Err(PlanError::NotASlug(slug.to_owned())),
    }
}

#[cfg(test)]
mod tests;
