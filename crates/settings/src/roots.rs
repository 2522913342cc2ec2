//! The folders that paths in settings are relative to.

use forelook_permissions::PatternBases;
use forelook_protocol::{AbsPath, Source};

use crate::SettingsPaths;

/// The folders, every link followed.
///
/// What an action touches is judged by where it really lies. A rule that begins at a link would miss it:
/// an allow would be useless, a deny would let it through.
#[derive(Debug)]
pub(crate) struct Roots {
    user_home: Option<AbsPath>,
    home: AbsPath,
    working: AbsPath,
    project: AbsPath,
}

impl Roots {
    pub(crate) fn of(settings_paths: &SettingsPaths) -> Self {
        let project = real(&settings_paths.project);
        let working = if settings_paths.working == settings_paths.project {
            project.clone()
        } else {
            real(&settings_paths.working)
        };
        Self {
            user_home: settings_paths.user_home.as_ref().map(real),
            home: real(&settings_paths.home),
            working,
            project,
        }
    }

    /// What the paths in rules of this source, in this file, are relative to.
    pub(crate) fn bases(&self, source: Source, file: Option<&AbsPath>) -> PatternBases {
        let written = match source {
            Source::UserSettings => self.home.clone(),
            Source::ProjectSettings | Source::LocalSettings => self.project.clone(),
            Source::PolicySettings => {
                file.and_then(AbsPath::parent).map_or_else(|| self.working.clone(), |folder| real(&folder))
            }
            Source::FlagSettings | Source::CliArg | Source::Command | Source::Session => self.working.clone(),
        };
        PatternBases { home: self.user_home.clone(), working: self.working.clone(), written }
    }

    /// A folder as it is written in settings of this source; nothing if it needs a home and there is none.
    pub(crate) fn folder(&self, source: Source, text: &str) -> Option<AbsPath> {
        let start = match source {
            Source::ProjectSettings | Source::LocalSettings => &self.project,
            _ => &self.working,
        };
        self.from(start, text)
    }

    /// A path that starts at the project, whoever wrote it; nothing if it needs a home and there is none.
    pub(crate) fn in_project(&self, text: &str) -> Option<AbsPath> {
        self.from(&self.project, text)
    }

    /// Whether a path lies inside the project.
    pub(crate) fn has(&self, path: &AbsPath) -> bool {
        path.is_inside(&self.project)
    }

    /// The program's own folder, and the person's home.
    pub(crate) fn own(&self) -> (AbsPath, Option<AbsPath>) {
        (self.home.clone(), self.user_home.clone())
    }

    fn from(&self, start: &AbsPath, text: &str) -> Option<AbsPath> {
        match text.strip_prefix('~') {
            Some("") => self.user_home.clone(),
            Some(rest) if rest.starts_with('/') => {
                self.user_home.as_ref().map(|home| home.join(rest.trim_start_matches('/')))
            }
            _ => Some(start.join(text)),
        }
    }
}

/// The path with every link followed, or as it is where that fails.
pub(crate) fn real(path: &AbsPath) -> AbsPath {
    std::fs::canonicalize(path).ok().and_then(|real| AbsPath::new(real).ok()).unwrap_or_else(|| path.clone())
}
