//! Saves changes of the permissions in the file that they belong to.
//!
//! When [`save`] returns, the change is on the disk, whole. The rest of the file, comments and formatting
//! included, is as it was; a file that cannot be read is not touched.

use forelook_disk::{DiskError, FileTarget, LockError, Permissions, confine, make_private};
use forelook_permissions::Rule;
use forelook_protocol::{AbsPath, Destination, Mode, PermissionUpdate, RuleValue, Source};

use crate::edit::{EditError, SettingsChange, SettingsList, edit};
use crate::file::{Accept, Origin, open};
use crate::load::SettingsPaths;
use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::settings_lock::lock_settings;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOutcome {
    /// The file.
    pub file: AbsPath,
    /// Rules, folders, the mode or hooks that are new in it. If nothing was added or removed, the file was not written.
    pub added: Vec<String>,
    /// What is no longer in it.
    pub removed: Vec<String>,
}

/// Why a change was not saved. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file is broken, or the key that should change is.
    #[error("{why}\nThe file `{}` was not changed; fix it first", sanitized_path(.file))]
    Broken {
        /// The file.
        file: AbsPath,
        /// What is wrong with it.
        why: String,
    },
    /// A rule that cannot be read.
    #[error("The rule was not saved: {0}\nCorrect it and try again")]
    Rule(String),
    /// A mode that a project may not choose.
    #[error("The mode `{0}` was not saved: project settings cannot choose it\nSave it in your user settings")]
    Mode(Mode),
    /// There is no such theme.
    #[error("Unknown theme `{0}`; nothing was saved")]
    Theme(String),
    /// Another process is writing.
    #[error(transparent)]
    Busy(#[from] LockError),
    /// It cannot be written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The file that a destination is kept in; nothing for those that are kept in memory.
pub fn file_of(destination: Destination, settings_paths: &SettingsPaths) -> Option<AbsPath> {
    settings_paths.file(source_of(destination)?)
}

/// Saves a change; nothing if its destination is no file.
pub fn save(
    update: &PermissionUpdate,
    settings_paths: &SettingsPaths,
) -> Result<Option<SaveOutcome>, SaveError> {
    let (change, destination) = change_of(update)?;
    let Some(source) = source_of(destination) else { return Ok(None) };
    write(source, &[change], settings_paths).map(Some)
}

fn source_of(destination: Destination) -> Option<Source> {
    match destination {
        Destination::UserSettings => Some(Source::UserSettings),
        Destination::ProjectSettings => Some(Source::ProjectSettings),
        Destination::LocalSettings => Some(Source::LocalSettings),
        Destination::Session | Destination::CliArg => None,
    }
}

fn change_of(update: &PermissionUpdate) -> Result<(SettingsChange, Destination), SaveError> {
    let texts = |rules: &[RuleValue]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(match update {
        PermissionUpdate::AddRules { rules, behavior, destination } => {
            (SettingsChange::Add(SettingsList::Rules(*behavior), texts(rules)), *destination)
        }
        PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
            (SettingsChange::Replace(SettingsList::Rules(*behavior), texts(rules)), *destination)
        }
        // A rule that cannot be read may be removed all the more.
        PermissionUpdate::RemoveRules { rules, behavior, destination } => {
            (SettingsChange::Remove(SettingsList::Rules(*behavior), texts(rules)), *destination)
        }
        PermissionUpdate::SetMode { mode, destination } => (SettingsChange::Mode(*mode), *destination),
        PermissionUpdate::AddDirectories { directories, destination } => {
            (SettingsChange::Add(SettingsList::Folders, directories.clone()), *destination)
        }
        PermissionUpdate::RemoveDirectories { directories, destination } => {
            (SettingsChange::Remove(SettingsList::Folders, directories.clone()), *destination)
        }
    })
}

/// Makes these changes to the file of a source, in one write.
pub(crate) fn write(
    source: Source,
    changes: &[SettingsChange],
    settings_paths: &SettingsPaths,
) -> Result<SaveOutcome, SaveError> {
    let stranger = source != Source::UserSettings;
    changes.iter().try_for_each(|change| may_be_saved(change, stranger))?;
    let file = settings_paths.file(source).unwrap_or_else(|| settings_paths.home.join("settings.json"));
    let _guard = lock_settings(&settings_paths.home)?;
    // A clone may bring a link to the person's own file: what is saved for a project must stay in it.
    let real = if stranger { confine(&settings_paths.project, &file)? } else { file.clone() };
    let origin = Origin::File(file.clone());
    let broken = |why: String| SaveError::Broken { file: file.clone(), why };

    let contents = open(&real, Accept::Files).map_err(|error| broken(error.to_string()))?;
    let mut text = match &contents {
        Some(contents) => contents.text(&real).map_err(|error| broken(error.to_string()))?.to_owned(),
        None => String::new(),
    };
    let mut saved = SaveOutcome { file: file.clone(), added: Vec::new(), removed: Vec::new() };
    for change in changes {
        let edited = edit(&text, &origin, change).map_err(|error: EditError| broken(error.to_string()))?;
        text = edited.text;
        saved.added.extend(edited.added);
        saved.removed.extend(edited.removed);
    }
    if !saved.added.is_empty() || !saved.removed.is_empty() {
        put(&real, text.as_bytes(), stranger, contents.is_none())?;
    }
    Ok(saved)
}

/// Writes the file. A project's is written where it was found to be inside, through no link that came since; the person's
/// own may lie behind links of theirs.
fn put(real: &AbsPath, bytes: &[u8], stranger: bool, is_new: bool) -> Result<(), DiskError> {
    if stranger {
        return FileTarget::with_folders(real)?.prepare(&[bytes], Permissions::Keep)?.commit();
    }
    if let Some(folder) = real.parent() {
        make_private(folder)?;
    }
    forelook_disk::replace(real, bytes, if is_new { Permissions::Private } else { Permissions::Keep })
}

fn may_be_saved(change: &SettingsChange, stranger: bool) -> Result<(), SaveError> {
    match change {
        SettingsChange::Add(SettingsList::Rules(_), texts)
        | SettingsChange::Replace(SettingsList::Rules(_), texts) => {
            texts.iter().try_for_each(|text| match Rule::parse(text) {
                Ok(_) => Ok(()),
                Err(error) => Err(SaveError::Rule(sanitized_sentence(&error.to_string()))),
            })
        }
        SettingsChange::Mode(mode @ (Mode::Auto | Mode::BypassPermissions)) if stranger => {
            Err(SaveError::Mode(*mode))
        }
        SettingsChange::Add(..)
        | SettingsChange::Replace(..)
        | SettingsChange::Remove(..)
        | SettingsChange::Mode(_)
        | SettingsChange::Theme(_)
        | SettingsChange::Sandbox(_)
        | SettingsChange::Hooks(_) => Ok(()),
    }
}
