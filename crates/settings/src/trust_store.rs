//! Which folders the user trusts, saved in `trust.json` in Forelook's folder.
//!
//! Trust covers exactly one folder (the project's, where its `.forelook/` is), under its real path. Subfolders are not
//! trusted with it: a clone inside a trusted folder is untrusted again. It covers exactly what the folder had when the
//! user said yes ([`ProjectContents`]): if any of that changes, the folder is untrusted until they say so again. What they
//! save themselves is noted when it is saved (`save.rs`), and is theirs without trust ([`OwnItems`]). If anything goes
//! wrong, the answer is "not trusted".

use std::collections::BTreeSet;

use forelook_disk::{DiskError, LockError, Permissions};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use serde::{Deserialize, Serialize};

use crate::edit::SettingsChange;
use crate::file::{Accept, FileError, open};
use crate::load::SettingsPaths;
use crate::own_items::OwnItems;
use crate::project_contents::ProjectContents;
use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::settings_lock::lock_settings;
use crate::trust::Trust;

/// What the file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    /// Folders that were trusted when nothing was noted about what they had.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    trusted: BTreeSet<AbsPath>,
    #[serde(default)]
    folders: Vec<TrustRecord>,
    /// What the user saved in folders themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    own: Vec<OwnRecord>,
}

/// A folder that the user trusts.
#[derive(Debug, Serialize, Deserialize)]
struct TrustRecord {
    folder: AbsPath,
    contents: ProjectContents,
}

/// A folder that the user saved something in.
#[derive(Debug, Serialize, Deserialize)]
struct OwnRecord {
    folder: AbsPath,
    items: OwnItems,
}

/// What the user said about a folder, and whether it still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// Nothing.
    NotYet,
    /// They trust exactly what it has now.
    Trusted,
    /// They trusted it, but it was not noted what it had.
    Unrecorded,
    /// Nobody can trust it as it is; these are the reasons, in words.
    Impossible(Vec<String>),
    /// They trusted it when it had something else; these are the differences, in words.
    Changed(Vec<String>),
}

impl TrustState {
    /// What [`crate::load`] makes of it.
    pub fn trust(&self) -> Trust {
        match self {
            Self::Trusted => Trust::Trusted,
            Self::NotYet | Self::Unrecorded | Self::Impossible(_) | Self::Changed(_) => Trust::NotYet,
        }
    }
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
    /// It has something that nobody can judge.
    #[error("Cannot trust the folder `{}`: {}", sanitized_path(.folder), .reasons.join("; "))]
    Impossible {
        /// The folder.
        folder: AbsPath,
        /// What it has.
        reasons: Vec<String>,
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

    /// What the user said about exactly this folder, which has this now.
    pub fn state(&self, folder: &AbsPath, contents: &ProjectContents) -> TrustState {
        let Ok(stored) = &self.stored else { return TrustState::NotYet };
        stored.state(folder, contents)
    }

    /// What the user saved in exactly this folder themselves.
    pub fn own(&self, folder: &AbsPath) -> OwnItems {
        self.stored.as_ref().map(|stored| stored.own(folder)).unwrap_or_default()
    }

    /// Remembers that the user trusts this folder with these contents. It is on disk when this returns.
    pub fn trust(&mut self, folder: &AbsPath, contents: &ProjectContents) -> Result<(), TrustError> {
        let reasons = contents.obstacles();
        if !reasons.is_empty() {
            return Err(TrustError::Impossible { folder: folder.clone(), reasons });
        }
        let _guard = lock_settings(&self.home)?;
        self.stored = Ok(record(&self.home, folder, contents)?);
        Ok(())
    }
}

impl TrustStore {
    /// The user trusts this folder no longer. What they saved there themselves stays theirs.
    pub fn withdraw(&mut self, folder: &AbsPath) -> Result<(), TrustError> {
        let _guard = lock_settings(&self.home)?;
        self.stored = Ok(forget(&self.home, folder)?);
        Ok(())
    }
}

impl TrustFile {
    fn state(&self, folder: &AbsPath, contents: &ProjectContents) -> TrustState {
        let obstacles = contents.obstacles();
        if !obstacles.is_empty() {
            return TrustState::Impossible(obstacles);
        }
        // As long as nothing is trusted, starting needs no look at the disk.
        if self.folders.is_empty() && self.trusted.is_empty() {
            return TrustState::NotYet;
        }
        let Ok(real) = real(folder) else { return TrustState::NotYet };
        let own = self.own(folder);
        match self.folders.iter().find(|record| record.folder == real) {
            Some(record) => {
                let (now, then) = (contents.without(&own), record.contents.without(&own));
                match now.is_covered_by(&then) {
                    true => TrustState::Trusted,
                    false => TrustState::Changed(now.differences(&then)),
                }
            }
            None if self.trusted.contains(&real) => TrustState::Unrecorded,
            None => TrustState::NotYet,
        }
    }

    fn own(&self, folder: &AbsPath) -> OwnItems {
        if self.own.is_empty() {
            return OwnItems::default();
        }
        let Ok(real) = real(folder) else { return OwnItems::default() };
        let found = self.own.iter().find(|record| record.folder == real);
        found.map(|record| record.items.clone()).unwrap_or_default()
    }
}

/// Notes what the user saved in a project's own settings: it is theirs from now on. `before` is what the project had: if
/// that was trusted, so is what is left of it. The caller holds the lock.
pub(crate) fn note_saved(
    settings_paths: &SettingsPaths,
    before: &ProjectContents,
    changes: &[SettingsChange],
) -> Result<(), TrustError> {
    let SettingsPaths { home, project, .. } = settings_paths;
    let mut stored = read(&file(home)).map_err(TrustError::Broken)?;
    let was_trusted = stored.state(project, before) == TrustState::Trusted;
    let mut own = stored.own(project);
    changes.iter().for_each(|change| own.note(change));
    let real = real_folder(project)?;
    stored.own.retain(|record| record.folder != real);
    stored.own.push(OwnRecord { folder: real, items: own.clone() });
    write(home, &stored)?;
    let after = ProjectContents::read(settings_paths).without(&own);
    if was_trusted && after.adds_nothing_to(&before.without(&own)) {
        record(home, project, &after)?;
    }
    Ok(())
}

/// Writes it down. Another session may have added a folder since the file was read; the caller holds the lock.
fn record(home: &AbsPath, folder: &AbsPath, contents: &ProjectContents) -> Result<TrustFile, TrustError> {
    let real = real_folder(folder)?;
    let mut stored = read(&file(home)).map_err(TrustError::Broken)?;
    stored.trusted.remove(&real);
    let before = stored.folders.extract_if(.., |record| record.folder == real).last();
    let contents = match before {
        Some(before) => contents.merged_with(&before.contents),
        None => contents.clone(),
    };
    stored.folders.push(TrustRecord { folder: real, contents });
    write(home, &stored)?;
    Ok(stored)
}

fn forget(home: &AbsPath, folder: &AbsPath) -> Result<TrustFile, TrustError> {
    let real = real_folder(folder)?;
    let mut stored = read(&file(home)).map_err(TrustError::Broken)?;
    stored.trusted.remove(&real);
    stored.folders.retain(|record| record.folder != real);
    write(home, &stored)?;
    Ok(stored)
}

fn write(home: &AbsPath, stored: &TrustFile) -> Result<(), TrustError> {
    let text = serde_json::to_string_pretty(stored).map_err(|error| TrustError::Broken(error.to_string()))?;
    Ok(forelook_disk::replace(file(home), format!("{text}\n").as_bytes(), Permissions::Private)?)
}

fn real_folder(folder: &AbsPath) -> Result<AbsPath, TrustError> {
    real(folder).map_err(|error| TrustError::NoFolder { folder: folder.clone(), error })
}

fn file(home: &AbsPath) -> AbsPath {
    home.join("trust.json")
}

fn read(file: &AbsPath) -> Result<TrustFile, String> {
    let failed = |error: FileError| error.to_string();
    let Some(contents) = open(file, Accept::Files).map_err(failed)? else { return Ok(TrustFile::default()) };
    // A list would pass for a file in which everything is left out.
    let parsed = serde_json::from_str::<serde_json::Map<_, _>>(contents.text(file).map_err(failed)?);
    parsed.and_then(|fields| serde_json::from_value(fields.into())).map_err(|error| {
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

    use crate::project_contents::{PowerItem, PowerKind};

    fn nothing() -> ProjectContents {
        ProjectContents::default()
    }

    fn item(name: &str, value: &str) -> PowerItem {
        PowerItem { kind: PowerKind::Hook, name: name.into(), value: value.into() }
    }

    fn is_trusted(store: &TrustStore, folder: &AbsPath) -> bool {
        store.state(folder, &nothing()) == TrustState::Trusted
    }

    #[test]
    fn trust_is_for_what_was_there() {
        let (_place, root) = place();
        let before = ProjectContents::new([item("one", "a"), item("two", "b")].into());
        let mut store = TrustStore::load(&root);
        store.trust(&root, &before).unwrap();
        let store = TrustStore::load(&root);
        assert_eq!(store.state(&root, &before), TrustState::Trusted);
        let after = ProjectContents::new([item("one", "c"), item("three", "d")].into());
        let words = ["new: hook `three` (d)", "changed: hook `one` (c)", "gone: hook `two` (b)"];
        assert_eq!(store.state(&root, &after), TrustState::Changed(words.map(str::to_owned).to_vec()));
        assert_eq!(store.state(&root, &after).trust(), Trust::NotYet);
    }

    #[test]
    fn trust_from_before_contents_were_noted_is_asked_for_again() {
        let (_place, root) = place();
        fs::write(root.join("trust.json"), format!("{{\"trusted\": [\"{root}\"]}}")).unwrap();
        let mut store = TrustStore::load(&root);
        assert_eq!(store.state(&root, &nothing()), TrustState::Unrecorded);
        store.trust(&root, &nothing()).unwrap();
        assert!(is_trusted(&TrustStore::load(&root), &root));
        assert!(!fs::read_to_string(root.join("trust.json")).unwrap().contains("\"trusted\""));
    }

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
        assert!(!is_trusted(&store, &strange));
        store.trust(&root.join("link"), &nothing()).unwrap();
        for store in [store, TrustStore::load(&home)] {
            assert!(store.problem().is_none());
            assert!(is_trusted(&store, &strange) && is_trusted(&store, &root.join("link")));
            for other in [strange.join("inner"), root.clone(), root.join("absent")] {
                assert!(!is_trusted(&store, &other), "{other}");
            }
        }
        let mode = fs::metadata(home.join("trust.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(TrustStore::load(&home).trust(&root.join("absent"), &nothing()).is_err());
    }

    #[test]
    fn a_link_that_is_turned_elsewhere_takes_no_trust_along() {
        let (_place, root) = place();
        fs::create_dir_all(root.join("good")).unwrap();
        fs::create_dir_all(root.join("evil")).unwrap();
        symlink(root.join("good"), root.join("link")).unwrap();
        let mut store = TrustStore::load(&root);
        store.trust(&root.join("link"), &nothing()).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        symlink(root.join("evil"), root.join("link")).unwrap();
        assert!(!is_trusted(&store, &root.join("link")));
    }

    #[test]
    fn two_sessions_do_not_lose_each_others_word() {
        let (_place, root) = place();
        let (one, two) = (root.join("one"), root.join("two"));
        fs::create_dir_all(&one).unwrap();
        fs::create_dir_all(&two).unwrap();
        let (mut first, mut second) = (TrustStore::load(&root), TrustStore::load(&root));
        first.trust(&one, &nothing()).unwrap();
        second.trust(&two, &nothing()).unwrap();
        let store = TrustStore::load(&root);
        assert!(is_trusted(&store, &one) && is_trusted(&store, &two));
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
            assert!(!is_trusted(&store, &root));
            assert!(store.problem().unwrap().text.contains("trust.json"), "{:?}", store.problem());
            assert!(matches!(store.trust(&root, &nothing()), Err(TrustError::Broken(_))));
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(TrustStore::load(&root).problem().is_some());
    }
}
