//! One reading of a project's files: whether the folder is trusted, what its settings say and which files its commands run
//! all come from it. To read a file twice would be to trust one version and to use another.

use forelook_disk::{ProjectFiles, ReadError, owner_of};
use forelook_protocol::{AbsPath, Source};

use crate::bound_files::BoundProject;
use crate::contents_reader::ContentsReader;
use crate::file::{Accept, FileContents, FileError, open, open_project};
use crate::load::SettingsPaths;
use crate::project_contents::{PowerItem, PowerKind, ProjectContents};
use crate::roots::real;

/// Why only what makes Forelook stricter counts in a settings file.
#[derive(Debug)]
pub(crate) enum Doubt {
    /// The whole project is this user's, and nobody trusted it.
    Owner(u32),
    /// Somebody else can change it, or it is not in the project.
    Place(ReadError),
}

/// A settings file of the project.
#[derive(Debug)]
pub(crate) struct ProjectSettingsFile {
    pub(crate) contents: FileContents,
    pub(crate) doubt: Option<Doubt>,
}

type SettingsRead = Result<Option<ProjectSettingsFile>, FileError>;

/// The two settings files of a project, as they were read.
#[derive(Debug)]
pub(crate) struct ProjectSettingsFiles {
    shared: SettingsRead,
    local: SettingsRead,
}

impl ProjectSettingsFiles {
    pub(crate) fn read(settings_paths: &SettingsPaths) -> Self {
        let read = |source| match settings_paths.file(source) {
            Some(path) => read_settings(settings_paths, &path),
            None => Ok(None),
        };
        Self { shared: read(Source::ProjectSettings), local: read(Source::LocalSettings) }
    }

    pub(crate) fn of(&self, source: Source) -> &SettingsRead {
        match source {
            Source::LocalSettings => &self.local,
            _ => &self.shared,
        }
    }
}

fn read_settings(settings_paths: &SettingsPaths, path: &AbsPath) -> SettingsRead {
    let SettingsPaths { project, owners, .. } = settings_paths;
    let believed = |contents: Option<FileContents>, doubt| {
        contents.map(|contents| ProjectSettingsFile { contents, doubt })
    };
    let strict = open_project(&ProjectFiles::new(project, owners.clone()), path);
    let (read, doubt) = match strict {
        Err(FileError::NotBelieved { error: ReadError::Owner(owner), .. })
            if owner_of(real(project)) == Some(owner) =>
        {
            let files = ProjectFiles::new(project, owners.with(owner));
            (open_project(&files, path), Some(Doubt::Owner(owner)))
        }
        read => (read, None),
    };
    match read {
        // What forbids something counts, whoever could have written it: without it, Forelook would allow more.
        Err(FileError::NotBelieved {
            error: error @ (ReadError::Writable | ReadError::Outside(_)), ..
        }) => Ok(believed(open(path, Accept::Files)?, Some(Doubt::Place(error)))),
        read => Ok(believed(read?, doubt)),
    }
}

/// A project as it was at one moment.
#[derive(Debug)]
pub struct ProjectSnapshot {
    /// What gives it power.
    pub contents: ProjectContents,
    /// The files that a yes to it is bound to.
    pub bound: BoundProject,
    pub(crate) settings: ProjectSettingsFiles,
}

impl ProjectSnapshot {
    /// Reads the project, whether or not it is trusted.
    pub fn read(settings_paths: &SettingsPaths) -> Self {
        let owner = owner_of(real(&settings_paths.project));
        let foreign = owner.filter(|owner| !settings_paths.owners.believe(*owner));
        let owners = settings_paths.owners.clone();
        let owners = foreign.map_or_else(|| owners.clone(), |owner| owners.with(owner));
        let settings = ProjectSettingsFiles::read(settings_paths);
        let mut reader = ContentsReader::new(settings_paths, owners);
        let own = settings_paths.file(Source::UserSettings).map(|path| real(&path));
        for source in [Source::ProjectSettings, Source::LocalSettings] {
            let Some(path) = settings_paths.file(source) else { continue };
            let Ok(Some(ProjectSettingsFile { contents, doubt: None | Some(Doubt::Owner(_)) })) =
                settings.of(source)
            else {
                continue;
            };
            // In the home folder itself the project's file is the person's own.
            if Some(real(&path)) == own {
                continue;
            }
            if let Ok(text) = contents.text(&path) {
                reader.settings(&path, text);
            }
        }
        for (folder, kind) in [
            (".claude/agents", PowerKind::Agent),
            (".forelook/agents", PowerKind::Agent),
            (".claude/commands", PowerKind::SlashCommand),
            (".forelook/commands", PowerKind::SlashCommand),
        ] {
            reader.folder(folder, kind);
        }
        reader.servers();
        reader.repository();
        if let Some(owner) = foreign.filter(|_| reader.has_words()) {
            reader.items.insert(PowerItem::new(PowerKind::Owner, owner.to_string(), ""));
        }
        Self { contents: ProjectContents::new(reader.items), bound: reader.bound, settings }
    }
}
