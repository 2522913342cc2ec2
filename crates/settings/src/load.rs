//! Reads every settings file there is, each once.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use forelook_disk::Owners;
use forelook_permissions::RuleEntry;
use forelook_protocol::{AbsPath, Behavior, Notice, NoticeLevel, Source};

use crate::file::{
    Accept, FileContents, FileError, Identity, Origin, Property, is_absent, open, parse, read,
};
use crate::keys::ValueKind;
use crate::layers::Layer;
use crate::own_items::OwnItems;
use crate::project_snapshot::{Doubt, ProjectSettingsFile, ProjectSettingsFiles, ProjectSnapshot};
use crate::read_keys::read_keys;
use crate::resolve::{LoadedLayers, Settings, resolve};
use crate::roots::Roots;
use crate::rules::rules_of;
use crate::sanitize::sanitized_path;
use crate::trust::{PendingTrust, Trust, filter_untrusted};

/// Where the administrator's settings lie. Tests give another place.
pub const MANAGED: &str = "/etc/forelook/managed-settings.json";

/// At most this many notices a file: somebody who points us at the wrong file needs to hear it once.
const MAX_NOTICES: usize = 20;

/// Where settings may lie.
#[derive(Debug, Clone)]
pub struct SettingsPaths {
    /// The program's folder ([`crate::Env::home`]): `settings.json` in it is the person's own.
    pub home: AbsPath,
    /// The person's home folder ([`crate::Env::user_home`]): what `~/` means.
    pub user_home: Option<AbsPath>,
    /// The project's folder: its files lie in `.forelook/`.
    pub project: AbsPath,
    /// The folder the session works in. A relative `--settings` starts here.
    pub working: AbsPath,
    /// The value of `--settings`: a path, or JSON text, which begins with `{`.
    pub flag: Option<OsString>,
    /// The administrator's file; further ones lie beside it in a folder that ends in `.d`.
    pub managed: AbsPath,
    /// Which of the user's, the project's and the local settings are read ([`crate::parse_setting_sources`]);
    /// nothing means all. `--settings` and the administrator's always are.
    pub setting_sources: Option<Vec<Source>>,
    /// Whose files are believed ([`crate::Env::owners`]); in a trusted folder its owner's, too.
    pub owners: Owners,
}

impl SettingsPaths {
    /// The file of a source that has exactly one.
    pub(crate) fn file(&self, source: Source) -> Option<AbsPath> {
        match source {
            Source::UserSettings => Some(self.home.join("settings.json")),
            Source::ProjectSettings => Some(self.project.join(".forelook/settings.json")),
            Source::LocalSettings => Some(self.project.join(".forelook/settings.local.json")),
            _ => None,
        }
    }

    /// The file that `--settings` names, if it names one.
    pub(crate) fn flag_file(&self) -> Option<AbsPath> {
        let flag = self.flag.as_ref()?;
        flag_text(flag).is_none().then(|| self.working.join(flag))
    }

    pub(crate) fn wants(&self, source: Source) -> bool {
        self.setting_sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

/// Why the program must not start with these settings.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The administrator's file is broken: to go on without it would be to go on without its limits.
    #[error("{0}\nForelook does not start with broken managed settings: ask your administrator to fix them")]
    Managed(String),
    /// The person named a file that is not there.
    #[error(
        "The settings file `{0}` does not exist\n`--settings` takes a path or JSON text that begins with `{{`"
    )]
    FlagMissing(String),
}

/// What the person said about a project.
#[derive(Debug, Clone)]
pub struct ProjectTrust {
    /// Whether they trust all of it.
    pub trust: Trust,
    /// What of it is their own, whether or not they do.
    pub own: OwnItems,
}

impl From<Trust> for ProjectTrust {
    fn from(trust: Trust) -> Self {
        Self { trust, own: OwnItems::default() }
    }
}

/// Reads all settings.
pub fn load(settings_paths: &SettingsPaths, trust: Trust) -> Result<Settings, LoadError> {
    load_after(settings_paths, &trust.into(), &ProjectSettingsFiles::read(settings_paths), &[])
}

/// Reads all settings; the project's are those that its contents were made of.
pub fn load_snapshot(
    settings_paths: &SettingsPaths,
    project_trust: &ProjectTrust,
    snapshot: &ProjectSnapshot,
) -> Result<Settings, LoadError> {
    load_after(settings_paths, project_trust, &snapshot.settings, &[])
}

/// Reads all settings again, in the middle of a session. [`crate::fingerprint`] tells whether that is worth it.
///
/// A file that is broken now may be half saved, so what it said before holds until it is mended. The same is true of a
/// `--settings` that cannot be read a second time: a pipe, or a file that its maker took away. After an error, keep
/// what there was.
pub fn reload(
    settings_paths: &SettingsPaths,
    trust: Trust,
    before: &Settings,
) -> Result<Settings, LoadError> {
    let files = ProjectSettingsFiles::read(settings_paths);
    load_after(settings_paths, &trust.into(), &files, &before.layers)
}

fn load_after(
    settings_paths: &SettingsPaths,
    project_trust: &ProjectTrust,
    files: &ProjectSettingsFiles,
    before: &[Layer],
) -> Result<Settings, LoadError> {
    let mut loader = Loader {
        settings_paths,
        project_trust,
        files,
        before,
        roots: Roots::of(settings_paths),
        users: None,
        layers: Vec::new(),
        rules: Vec::new(),
        pending_trust: PendingTrust::default(),
        problems: Vec::new(),
    };
    for source in [Source::UserSettings, Source::ProjectSettings, Source::LocalSettings] {
        loader.source(source);
    }
    if let Some(flag) = &settings_paths.flag {
        loader.flag(flag)?;
    }
    loader.managed(&settings_paths.managed)?;
    let Loader { roots, layers, rules, pending_trust, problems, .. } = loader;
    Ok(resolve(LoadedLayers { layers, rules, pending_trust, problems }, &roots))
}

struct Loader<'a> {
    settings_paths: &'a SettingsPaths,
    project_trust: &'a ProjectTrust,
    /// The project's own.
    files: &'a ProjectSettingsFiles,
    /// What files said before.
    before: &'a [Layer],
    roots: Roots,
    /// The person's own file.
    users: Option<Identity>,
    layers: Vec<Layer>,
    rules: Vec<RuleEntry>,
    pending_trust: PendingTrust,
    problems: Vec<Notice>,
}

impl Loader<'_> {
    /// The one file of a source.
    fn source(&mut self, source: Source) {
        let Some(path) = self.settings_paths.file(source) else { return };
        if !self.settings_paths.wants(source) {
            if source == Source::UserSettings {
                self.users = identity(&path);
            }
            return;
        }
        let added = match source {
            Source::UserSettings => self.user_file(&path),
            _ => self.project_file(source, &path),
        };
        if let Err(error) = added {
            self.report_broken(source, Origin::File(path), &error);
        }
    }

    fn user_file(&mut self, path: &AbsPath) -> Result<(), FileError> {
        let Some(contents) = open(path, Accept::Files)? else { return Ok(()) };
        self.users = Some(contents.identity);
        self.add_contents(Source::UserSettings, path, &contents)
    }

    fn project_file(&mut self, source: Source, path: &AbsPath) -> Result<(), FileError> {
        let files = self.files;
        let file = match files.of(source) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.report_broken(source, Origin::File(path.clone()), error);
                return Ok(());
            }
        };
        let ProjectSettingsFile { contents, doubt } = file;
        // In the home folder itself the project's file is the person's own, and already read.
        if self.users.is_some_and(|users| users == contents.identity) {
            return Ok(());
        }
        match doubt {
            None => self.add_contents(source, path, contents),
            Some(Doubt::Owner(owner)) if self.settings_paths.owners.believe(*owner) => {
                self.add_contents(source, path, contents)
            }
            Some(doubt) => self.doubtful_file(source, path, contents, doubt),
        }
    }

    /// Settings that somebody else may have written: only what makes Forelook stricter counts, and what the person saved.
    fn doubtful_file(
        &mut self,
        source: Source,
        path: &AbsPath,
        contents: &FileContents,
        doubt: &Doubt,
    ) -> Result<(), FileError> {
        let origin = Origin::File(path.clone());
        let (mut found, _) = read_keys(parse(contents.text(path)?, &origin)?, &origin);
        let own: Vec<_> = found.iter_mut().filter_map(|it| self.project_trust.own.take_from(it)).collect();
        found.retain(|it| matches!(it.key.kind, ValueKind::Rules(Behavior::Deny | Behavior::Ask)));
        found.extend(own);
        let text = match doubt {
            Doubt::Owner(owner) => format!(
                "Settings file `{origin}` belongs to another user (user ID {owner}): only its deny and ask rules apply\n\
                 If you trust the folder, start `forelook` there"
            ),
            Doubt::Place(error) => {
                format!("Only the deny and ask rules in the settings file `{origin}` apply: {error}")
            }
        };
        let notice = Notice { level: NoticeLevel::Warning, text };
        self.take(Layer { source, file: Some(path.clone()), found }, &origin, vec![notice]);
        Ok(())
    }

    fn add_contents(
        &mut self,
        source: Source,
        path: &AbsPath,
        contents: &FileContents,
    ) -> Result<(), FileError> {
        let origin = Origin::File(path.clone());
        let properties = parse(contents.text(path)?, &origin)?;
        self.add(source, origin, properties);
        Ok(())
    }

    fn flag(&mut self, flag: &OsStr) -> Result<(), LoadError> {
        if let Some(text) = flag_text(flag) {
            match parse(text, &Origin::Flag) {
                Ok(properties) => self.add(Source::FlagSettings, Origin::Flag, properties),
                Err(error) => self.report_broken(Source::FlagSettings, Origin::Flag, &error),
            }
            return Ok(());
        }
        let path = self.settings_paths.working.join(flag);
        let origin = Origin::File(path.clone());
        if !path.as_path().is_file() && self.reuse_previous(Source::FlagSettings, &origin) {
            return Ok(());
        }
        match read(&path, Accept::Pipes) {
            Ok(Some(properties)) => self.add(Source::FlagSettings, origin, properties),
            Ok(None) => return Err(LoadError::FlagMissing(sanitized_path(&path))),
            Err(error) => self.report_broken(Source::FlagSettings, origin, &error),
        }
        Ok(())
    }

    fn managed(&mut self, main: &AbsPath) -> Result<(), LoadError> {
        for path in std::iter::once(main.clone()).chain(managed_folder(main)?) {
            match read(&path, Accept::Files) {
                Ok(Some(properties)) => self.add(Source::PolicySettings, Origin::File(path), properties),
                Ok(None) => {}
                Err(error) => return Err(LoadError::Managed(error.to_string())),
            }
        }
        Ok(())
    }

    fn add(&mut self, source: Source, origin: Origin, properties: Vec<Property>) {
        let (found, notices) = read_keys(properties, &origin);
        self.take(Layer { source, file: file(&origin).cloned(), found }, &origin, notices);
    }

    /// Takes a layer, without what it may not say.
    fn take(&mut self, mut layer: Layer, origin: &Origin, mut notices: Vec<Notice>) {
        notices.extend(filter_untrusted(&mut layer, origin, self.project_trust, &mut self.pending_trust));
        let bases = self.roots.bases(layer.source, layer.file.as_ref());
        let (rules, wrong) = rules_of(&layer, origin, &bases);
        notices.extend(wrong);
        if notices.len() > MAX_NOTICES {
            let more = notices.len() - MAX_NOTICES;
            notices.truncate(MAX_NOTICES);
            let text =
                format!("Settings file `{origin}` has {more} more problems\nCheck that it is the right file");
            notices.push(Notice { level: NoticeLevel::Warning, text });
        }
        self.rules.extend(rules);
        self.problems.extend(notices);
        self.layers.push(layer);
    }

    /// Takes what was said here before, if anything was.
    fn reuse_previous(&mut self, source: Source, origin: &Origin) -> bool {
        let here = |layer: &&Layer| layer.source == source && layer.file.as_ref() == file(origin);
        let before = self.before.iter().find(here).cloned();
        before.map(|layer| self.take(layer, origin, Vec::new())).is_some()
    }

    fn report_broken(&mut self, source: Source, origin: Origin, error: &FileError) {
        let counts = if self.reuse_previous(source, &origin) {
            "Its previous contents apply until you fix it"
        } else {
            "The whole file is ignored until you fix it"
        };
        self.problems.push(Notice { level: NoticeLevel::Error, text: format!("{error}\n{counts}") });
    }
}

fn identity(path: &AbsPath) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

fn file(origin: &Origin) -> Option<&AbsPath> {
    if let Origin::File(path) = origin { Some(path) } else { None }
}

/// The JSON text that `--settings` holds, if it holds one.
fn flag_text(flag: &OsStr) -> Option<&str> {
    flag.to_str().filter(|text| text.trim_start().starts_with('{'))
}

/// The `*.json` of the folder beside the administrator's file, by name.
pub(crate) fn managed_folder(main: &AbsPath) -> Result<Vec<AbsPath>, LoadError> {
    let unreadable = |folder: &AbsPath, error: &std::io::Error| {
        LoadError::Managed(format!("Cannot read the folder `{}`: {error}", sanitized_path(folder)))
    };
    let folder = main.join(PathBuf::from(main.as_path()).with_extension("d"));
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(&folder, &error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = folder.join(entry.map_err(|error| unreadable(&folder, &error))?.file_name());
        if path.as_path().extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
