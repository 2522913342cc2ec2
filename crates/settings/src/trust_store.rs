//! Which folders the user trusts, saved in `trust.json` in Forelook's folder.
//!
//! Trust covers exactly one folder (the project's, where its `.forelook/` is), under its real path. Subfolders are not
//! trusted with it: a clone inside a trusted folder is untrusted again. If anything goes wrong, the answer is "not
//! trusted".

use std::collections::BTreeSet;

use forelook_disk::{DiskError, LockError, Permissions};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use serde::{Deserialize, Serialize};

use crate::file::{Accept, FileError, open};
use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::settings_lock::lock_settings;
use crate::trust::Trust;

/// What the file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    trusted: BTreeSet<AbsPath>,
}

/// Which folders the person trusts.
#[derive(Debug)]
pub struct TrustStore {
    home: AbsPath,
    stored: Result<TrustFile, String>,
}

/// Why trust was not remembered.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The folder has no real path.
    #[error("Cannot trust the folder `{}`: {error}", sanitized_path(.folder))]
    NoFolder {
        /// The folder.
        folder: AbsPath,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file cannot be read, so it is not written over.
    #[error("{0}\nFix or remove it; until then no folder is trusted")]
    Broken(String),
    /// Another process is writing.
    #[error(transparent)]
    Busy(#[from] LockError),
    /// It cannot be written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl TrustStore {
    /// Reads what is remembered in this home folder of the program.
    pub fn load(home: &AbsPath) -> Self {
        Self { home: home.clone(), stored: read(&file(home)) }
    }

    /// What the person should hear, if the file cannot be used.
    pub fn problem(&self) -> Option<Notice> {
        let broken = self.stored.as_ref().err()?;
        let text = format!("{broken}\nNo folder is trusted until you fix or remove it");
        Some(Notice { level: NoticeLevel::Warning, text })
    }

    /// Whether the person trusts exactly this folder.
    pub fn is_trusted(&self, folder: &AbsPath) -> bool {
        let Ok(stored) = &self.stored else { return false };
        // As long as nothing is trusted, starting needs no look at the disk.
        !stored.trusted.is_empty() && real(folder).is_ok_and(|real| stored.trusted.contains(&real))
    }

    /// The same, as [`crate::load`] wants it.
    pub fn of(&self, folder: &AbsPath) -> Trust {
        if self.is_trusted(folder) { Trust::Trusted } else { Trust::NotYet }
    }

    /// Remembers that the person trusts this folder. It is on disk when this returns.
    pub fn trust(&mut self, folder: &AbsPath) -> Result<(), TrustError> {
        let real = real(folder).map_err(|error| TrustError::NoFolder { folder: folder.clone(), error })?;
        let _guard = lock_settings(&self.home)?;
        let file = file(&self.home);
        // Another session may have added one since.
        let mut stored = read(&file).map_err(TrustError::Broken)?;
        if stored.trusted.insert(real) {
            let text = serde_json::to_string_pretty(&stored)
                .map_err(|error| TrustError::Broken(error.to_string()))?;
            forelook_disk::replace(&file, format!("{text}\n").as_bytes(), Permissions::Private)?;
        }
        self.stored = Ok(stored);
        Ok(())
    }
}

fn file(home: &AbsPath) -> AbsPath {
    home.join("trust.json")
}

fn read(file: &AbsPath) -> Result<TrustFile, String> {
    let failed = |error: FileError| error.to_string();
    let Some(contents) = open(file, Accept::Files).map_err(failed)? else { return Ok(TrustFile::default()) };
    serde_json::from_str(contents.text(file).map_err(failed)?).map_err(|error| {
        format!("The file `{}` is invalid: {}", sanitized_path(file), sanitized_sentence(&error.to_string()))
    })
}

fn real(folder: &AbsPath) -> std::io::Result<AbsPath> {
    AbsPath::new(std::fs::canonicalize(folder)?).map_err(std::io::Error::other)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    fn place() -> (tempfile::TempDir, AbsPath) {
        let place = tempfile::tempdir().unwrap();
        let root = AbsPath::new(place.path().canonicalize().unwrap()).unwrap();
        (place, root)
    }

    #[test]
    fn exactly_what_was_trusted_is_trusted_after_loading_too() {
        let (_place, root) = place();
        let home = root.join("not yet/there");
        let strange = root.join(Path::new(OsStr::from_bytes(b"p \n\xff")));
        fs::create_dir_all(strange.join("inner")).unwrap();
        symlink(&strange, root.join("link")).unwrap();
        let mut store = TrustStore::load(&home);
        assert!(!store.is_trusted(&strange));
        store.trust(&root.join("link")).unwrap();
        for store in [store, TrustStore::load(&home)] {
            assert!(store.problem().is_none());
            assert!(store.is_trusted(&strange) && store.is_trusted(&root.join("link")));
            assert_eq!(store.of(&strange), Trust::Trusted);
            for other in [strange.join("inner"), root.clone(), root.join("absent")] {
                assert!(!store.is_trusted(&other), "{other}");
            }
        }
        let mode = fs::metadata(home.join("trust.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(TrustStore::load(&home).trust(&root.join("absent")).is_err());
    }

    #[test]
    fn a_link_that_is_turned_elsewhere_takes_no_trust_along() {
        let (_place, root) = place();
        fs::create_dir_all(root.join("good")).unwrap();
        fs::create_dir_all(root.join("evil")).unwrap();
        symlink(root.join("good"), root.join("link")).unwrap();
        let mut store = TrustStore::load(&root);
        store.trust(&root.join("link")).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        symlink(root.join("evil"), root.join("link")).unwrap();
        assert!(!store.is_trusted(&root.join("link")));
    }

    #[test]
    fn two_sessions_do_not_lose_each_others_word() {
        let (_place, root) = place();
        let (one, two) = (root.join("one"), root.join("two"));
        fs::create_dir_all(&one).unwrap();
        fs::create_dir_all(&two).unwrap();
        let (mut first, mut second) = (TrustStore::load(&root), TrustStore::load(&root));
        first.trust(&one).unwrap();
        second.trust(&two).unwrap();
        let store = TrustStore::load(&root);
        assert!(store.is_trusted(&one) && store.is_trusted(&two));
    }

    #[test]
    fn a_broken_file_trusts_nobody_is_reported_and_kept() {
        let (_place, root) = place();
        let file = root.join("trust.json");
        let fine = serde_json::to_string(&root).unwrap();
        for bytes in [
            &b"{"[..],
            b"",
            b"[]",
            b"{\"trusted\": \"/\"}",
            b"{\"trusted\": [\"relative\"]}",
            b"{\"trusted\": [3]}",
            b"\xff",
            format!("{{\"trusted\": [{fine}, null]}}").as_bytes(),
            "[".repeat(100_000).as_bytes(),
        ] {
            fs::write(&file, bytes).unwrap();
            let mut store = TrustStore::load(&root);
            assert!(!store.is_trusted(&root));
            assert!(store.problem().unwrap().text.contains("trust.json"), "{:?}", store.problem());
            assert!(matches!(store.trust(&root), Err(TrustError::Broken(_))));
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(TrustStore::load(&root).problem().is_some());
    }
}
