//! Saves changes of the permissions in the file that they belong to.
//!
//! When [`save`] returns, the change is on the disk, whole. The rest of the file, comments and formatting
//! included, is as it was; a file that cannot be read is not touched.

use forelook_disk::{DiskError, FileTarget, HeldFile, LockError, Permissions, confine, make_private};
use forelook_permissions::{PatternBases, Rule};
use forelook_protocol::{AbsPath, Behavior, Destination, Mode, PermissionUpdate, RuleValue, Source};

use crate::edit::{EditError, SavedItem, SettingsChange, SettingsList, edit};
use crate::examples::{Examples, check_examples};
use crate::file::{Accept, Origin, open};
use crate::load::SettingsPaths;
use crate::project_contents::ProjectContents;
use crate::roots::Roots;
use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::settings_lock::lock_settings;
use crate::trust_store::note_saved;

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
    let (change, destination) = change_of(update, settings_paths)?;
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

fn change_of(
    update: &PermissionUpdate,
    settings_paths: &SettingsPaths,
) -> Result<(SettingsChange, Destination), SaveError> {
    let texts = |rules: &[RuleValue]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(match update {
        PermissionUpdate::AddRules { rules, behavior, destination } => {
            let source = source_of(*destination).unwrap_or(Source::Session);
            let bases = Roots::of(settings_paths).bases(source, None);
            let saved = rules.iter().map(|rule| saved_rule(rule, *behavior, &bases)).collect();
            (SettingsChange::Add(SettingsList::Rules(*behavior), saved), *destination)
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
            (SettingsChange::Add(SettingsList::Folders, SavedItem::plain(directories)), *destination)
        }
        PermissionUpdate::RemoveDirectories { directories, destination } => {
            (SettingsChange::Remove(SettingsList::Folders, directories.clone()), *destination)
        }
    })
}

/// A rule with the examples that it matches. One that it does not match would make the rule invalid when it is loaded.
fn saved_rule(rule: &RuleValue, behavior: Behavior, bases: &PatternBases) -> SavedItem {
    let text = rule.to_string();
    let matches = |example: &&String| {
        let examples = Examples { matching: vec![(*example).clone()], not_matching: Vec::new() };
        Rule::parse(&text).is_ok_and(|rule| check_examples(&rule, behavior, &examples, bases).is_ok())
    };
    let examples = rule.examples.iter().filter(matches).cloned().collect();
    SavedItem { text, examples }
}

/// How often a file is read again because somebody else saved it at the same time.
const MAX_TRIES: usize = 5;

/// Makes these changes to the file of a source, in one write. What an editor saves at the same time is not undone: then the
/// changes are made to that.
pub(crate) fn write(
    source: Source,
    changes: &[SettingsChange],
    settings_paths: &SettingsPaths,
) -> Result<SaveOutcome, SaveError> {
    for _ in 1..MAX_TRIES {
        match write_once(source, changes, settings_paths) {
            Err(SaveError::Disk(DiskError::Changed { .. } | DiskError::Exists { .. })) => {}
            done => return done,
        }
    }
    write_once(source, changes, settings_paths)
}

fn write_once(
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

    let read = || open(&real, Accept::Files).map_err(|error| broken(error.to_string()));
    // Once before it is held, which is for files alone: what is none is told as such.
    drop(read()?);
    let place = FilePlace::hold(&real, stranger)?;
    let contents = read()?;
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
    let before = stranger.then(|| ProjectContents::read(settings_paths));
    if !saved.added.is_empty() || !saved.removed.is_empty() {
        place.put(text.as_bytes())?;
    }
    if let Some(before) = before {
        // What was saved is saved. If this fails, the user is asked about it at the next start.
        let _ = note_saved(settings_paths, &before, changes);
    }
    Ok(saved)
}

/// Where the file is, and what was there before it was read. A project's is written where it was found to be inside, through
/// no link that came since; the person's own may lie behind links of theirs.
struct FilePlace {
    real: AbsPath,
    stranger: bool,
    /// Nothing as long as its folder is not there.
    held: Option<(FileTarget, HeldFile)>,
}

impl FilePlace {
    fn hold(real: &AbsPath, stranger: bool) -> Result<Self, DiskError> {
        let real = if stranger { real.clone() } else { forelook_disk::resolve(real)? };
        let held = match FileTarget::at(&real) {
            Err(DiskError::NoFolder { .. } | DiskError::Missing { .. }) => None,
            target => {
                let target = target?;
                let held = target.hold()?;
                Some((target, held))
            }
        };
        Ok(Self { real, stranger, held })
    }

    /// Writes the file, if it is still what was held.
    fn put(&self, bytes: &[u8]) -> Result<(), DiskError> {
        let is_new = self.held.as_ref().is_none_or(|(_, held)| held.file().is_none());
        let permissions = if is_new && !self.stranger { Permissions::Private } else { Permissions::Keep };
        match &self.held {
            Some((target, held)) => target.prepare_over(held, &[bytes], permissions)?.commit(),
            None => {
                match self.real.parent() {
                    Some(folder) if !self.stranger => make_private(folder)?,
                    _ => {}
                }
                let target = FileTarget::with_folders(&self.real)?;
                let held = target.hold()?;
                match held.file() {
                    Some(_) => Err(DiskError::Exists { path: self.real.as_path().to_path_buf() }),
                    None => target.prepare_over(&held, &[bytes], permissions)?.commit(),
                }
            }
        }
    }
}

fn may_be_saved(change: &SettingsChange, stranger: bool) -> Result<(), SaveError> {
    match change {
        SettingsChange::Add(SettingsList::Rules(_), rules) => {
            rules.iter().try_for_each(|rule| must_be_rule(&rule.text))
        }
        SettingsChange::Replace(SettingsList::Rules(_), texts) => {
            texts.iter().try_for_each(|text| must_be_rule(text))
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

fn must_be_rule(text: &str) -> Result<(), SaveError> {
    match Rule::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(SaveError::Rule(sanitized_sentence(&error.to_string()))),
    }
}
