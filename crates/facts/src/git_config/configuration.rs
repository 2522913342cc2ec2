//! What a file of git's configuration says, with all that it includes.
//!
//! Within bounds: a stranger's configuration can include itself in any number of files, and who is asked about it waits. What
//! is behind a bound is not known, which is never the same as nothing: [`ConfigGap`].

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forelook_disk::{ReadError, read_bounded};

use super::parse::{ParseError, Setting, parse};

/// A configuration is not longer than this, with all that it includes; nobody writes a longer one.
const MAX_BYTES: u64 = 1024 * 1024;

/// Nor does it have more files.
const MAX_FILES: usize = 64;

/// Why the settings of a configuration are not all known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigGap {
    /// This file, or what it includes, is more than we follow. Git reads it all.
    TooMuch(PathBuf),
    /// This file cannot be read, by git neither.
    Unreadable(PathBuf),
    /// A file includes one whose place only git knows.
    Unresolved { file: PathBuf, included: OsString },
}

impl ConfigGap {
    /// The file that it is about.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::TooMuch(file) | Self::Unreadable(file) | Self::Unresolved { file, .. } => file,
        }
    }

    /// Whether git reads what we do not know.
    pub(super) fn is_too_much(&self) -> bool {
        matches!(self, Self::TooMuch(_))
    }
}

impl fmt::Display for ConfigGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file().display();
        match self {
            Self::TooMuch(_) => write!(f, "`{file}` is too much to check"),
            Self::Unreadable(_) => write!(f, "`{file}` cannot be read"),
            Self::Unresolved { included, .. } => {
                write!(f, "`{file}` includes `{}`, which Forelook cannot resolve", included.display())
            }
        }
    }
}

/// What a file and all that it includes say.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// These files. They need not be there.
    pub(super) files: BTreeSet<PathBuf>,
    /// What they set, as far as it is known.
    pub(super) settings: Vec<Setting>,
    /// Why something is not known. What is too much comes before other reasons.
    pub(super) gap: Option<ConfigGap>,
}

impl Configuration {
    /// Reads a file and all that it includes, whatever the conditions: one of them may hold.
    pub(super) fn read(file: PathBuf, home: Option<&OsStr>) -> Self {
        let mut all = Self { files: BTreeSet::from([file.clone()]), ..Self::default() };
        let (mut queue, mut left) = (vec![file], MAX_BYTES);
        while let Some(file) = queue.pop() {
            match settings_within(&file, &mut left) {
                Ok(settings) => {
                    for path in settings.iter().filter_map(include_path) {
                        queue.extend(all.include(&file, path, home));
                    }
                    all.settings.extend(settings);
                }
                Err(gap) => all.note(gap),
            }
        }
        all
    }

    /// All settings, if all are known.
    pub(super) fn whole(self) -> Result<Vec<Setting>, ConfigGap> {
        self.gap.map_or(Ok(self.settings), Err)
    }

    /// Adds a file that this one includes; what is still to be read.
    fn include(&mut self, file: &Path, path: &OsStr, home: Option<&OsStr>) -> Option<PathBuf> {
        match included(file, path, home) {
            Ok(path) if self.files.contains(&path) => None,
            Ok(path) if self.files.len() < MAX_FILES => {
                self.files.insert(path.clone());
                Some(path)
            }
            Ok(_) => {
                self.note(ConfigGap::TooMuch(file.to_path_buf()));
                None
            }
            Err(gap) => {
                self.note(gap);
                None
            }
        }
    }

    fn note(&mut self, gap: ConfigGap) {
        let says_more = |before: &ConfigGap| gap.is_too_much() && !before.is_too_much();
        if self.gap.as_ref().is_none_or(says_more) {
            self.gap = Some(gap);
        }
    }
}

/// The settings of one file; none if it is not there.
pub(super) fn settings(file: &Path) -> Result<Vec<Setting>, ConfigGap> {
    let mut left = MAX_BYTES;
    settings_within(file, &mut left)
}

/// The same of a file that has no more bytes than are left.
fn settings_within(file: &Path, left: &mut u64) -> Result<Vec<Setting>, ConfigGap> {
    let bytes = match read_bounded(file, *left) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing) => return Ok(Vec::new()),
        Err(ReadError::TooLarge { .. } | ReadError::TooSlow) => {
            return Err(ConfigGap::TooMuch(file.to_path_buf()));
        }
        Err(_) => return Err(ConfigGap::Unreadable(file.to_path_buf())),
    };
    *left = left.saturating_sub(bytes.len() as u64);
    parse(&bytes).map_err(|error| match error {
        ParseError::Refused => ConfigGap::Unreadable(file.to_path_buf()),
        ParseError::NotFollowed => ConfigGap::TooMuch(file.to_path_buf()),
    })
}

/// What a setting includes.
fn include_path(setting: &Setting) -> Option<&OsStr> {
    match setting.parts() {
        (b"include" | b"includeif", _, b"path") => setting.value.as_deref().map(OsStr::from_bytes),
        _ => None,
    }
}

fn included(file: &Path, path: &OsStr, home: Option<&OsStr>) -> Result<PathBuf, ConfigGap> {
    let unclear = || ConfigGap::Unresolved { file: file.to_path_buf(), included: path.to_owned() };
    let bytes = path.as_bytes();
    if let Some(below) = bytes.strip_prefix(b"~/") {
        return Ok(Path::new(home.ok_or_else(unclear)?).join(OsStr::from_bytes(below)));
    }
    // Somebody else's home, or the folder that git was installed to.
    if bytes.starts_with(b"~") || bytes.starts_with(b"%(") {
        return Err(unclear());
    }
    Ok(file.parent().unwrap_or(Path::new("/")).join(path))
}
