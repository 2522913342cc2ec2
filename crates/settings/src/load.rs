//! Reads every settings file there is and resolves what the program needs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use forelook_protocol::{AbsPath, Mode, Notice, NoticeLevel, Source};

use crate::file::{Accept, FileError, Origin, Property, is_absent, parse, read};
use crate::keys::{self, Key, Value};
use crate::layers::{Layer, Layered, heaviest};
use crate::read_keys::read_keys;
use crate::shown::shown_path;
use crate::trust::{Trust, hold_back};

/// Where the administrator's settings lie. Tests give another place.
pub const MANAGED: &str = "/etc/forelook/managed-settings.json";

/// At most this many notices a file: somebody who points us at the wrong file needs to hear it once.
const MOST_NOTICES: usize = 20;

/// Where settings may lie.
#[derive(Debug, Clone)]
pub struct Places {
    /// The program's folder ([`crate::Env::home`]): `settings.json` in it is the person's own.
    pub home: AbsPath,
    /// The project's folder: its files lie in `.forelook/`. A relative `--settings` starts here too.
    pub project: AbsPath,
    /// The value of `--settings`: a path, or JSON text, which begins with `{`.
    pub flag: Option<OsString>,
    /// The administrator's file; further ones lie beside it in a folder that ends in `.d`.
    pub managed: AbsPath,
}

/// Why the program must not start with these settings.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The administrator's file is broken: to go on without it would be to go on without its limits.
    #[error("{0}\nManaged settings must be whole: ask whoever manages this machine to mend them")]
    Managed(String),
    /// The person named a file that is not there.
    #[error("There is no file `{0}`\n`--settings` takes a path or JSON text that begins with `{{`")]
    FlagMissing(String),
}

/// The settings, resolved.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The mode to start in.
    pub default_mode: Option<Layered<Mode>>,
    /// The model of the main agent.
    pub model: Option<Layered<String>>,
    /// Variables for child processes, to be set on top of what they get anyway. No keys among them.
    pub env: BTreeMap<String, Layered<String>>,
    /// What each file said, lightest first.
    pub layers: Vec<Layer>,
    /// What the person should hear.
    pub problems: Vec<Notice>,
}

/// Reads all settings.
pub fn load(places: &Places, trust: Trust) -> Result<Settings, LoadError> {
    let mut loader = Loader { trust, layers: Vec::new(), problems: Vec::new() };
    let user = places.home.join("settings.json");
    let folder = places.project.join(".forelook");
    loader.file(Source::UserSettings, &user);
    for (source, name) in
        [(Source::ProjectSettings, "settings.json"), (Source::LocalSettings, "settings.local.json")]
    {
        let path = folder.join(name);
        // In the home folder itself the project's file is the person's own, and already read.
        if !same_file(&path, &user) {
            loader.file(source, &path);
        }
    }
    if let Some(flag) = &places.flag {
        loader.flag(flag, &places.project)?;
    }
    loader.managed(&places.managed)?;
    Ok(resolve(loader.layers, loader.problems))
}

struct Loader {
    trust: Trust,
    layers: Vec<Layer>,
    problems: Vec<Notice>,
}

impl Loader {
    fn file(&mut self, source: Source, path: &AbsPath) {
        match read(path, Accept::Files) {
            Ok(Some(properties)) => self.add(source, Origin::File(path.clone()), properties),
            Ok(None) => {}
            Err(error) => self.left_out(&error),
        }
    }

    fn flag(&mut self, flag: &OsStr, project: &AbsPath) -> Result<(), LoadError> {
        if let Some(text) = flag.to_str().filter(|text| text.trim_start().starts_with('{')) {
            match parse(text, &Origin::Flag) {
                Ok(properties) => self.add(Source::FlagSettings, Origin::Flag, properties),
                Err(error) => self.left_out(&error),
            }
            return Ok(());
        }
        let path = project.join(flag);
        match read(&path, Accept::Pipes) {
            Ok(Some(properties)) => self.add(Source::FlagSettings, Origin::File(path), properties),
            Ok(None) => return Err(LoadError::FlagMissing(shown_path(&path))),
            Err(error) => self.left_out(&error),
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
        let (found, mut notices) = read_keys(properties, &origin);
        let file = if let Origin::File(path) = &origin { Some(path.clone()) } else { None };
        let mut layer = Layer { source, file, found };
        notices.extend(hold_back(&mut layer, &origin, self.trust));
        if notices.len() > MOST_NOTICES {
            let more = notices.len() - MOST_NOTICES;
            notices.truncate(MOST_NOTICES);
            let text = format!("Settings `{origin}` have {more} more problems\nIs it the right file?");
            notices.push(Notice { level: NoticeLevel::Warning, text });
        }
        self.problems.extend(notices);
        self.layers.push(layer);
    }

    fn left_out(&mut self, error: &FileError) {
        let text = format!("{error}\nNothing in this file counts until it is mended");
        self.problems.push(Notice { level: NoticeLevel::Error, text });
    }
}

/// The `*.json` of the folder beside the administrator's file, by name.
fn managed_folder(main: &AbsPath) -> Result<Vec<AbsPath>, LoadError> {
    let unreadable = |folder: &AbsPath, error: &std::io::Error| {
        LoadError::Managed(format!("Folder `{}` cannot be read: {error}", shown_path(folder)))
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

fn same_file(one: &AbsPath, other: &AbsPath) -> bool {
    let identity = |path: &AbsPath| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    one == other || identity(one).is_some_and(|id| Some(id) == identity(other))
}

fn resolve(layers: Vec<Layer>, problems: Vec<Notice>) -> Settings {
    Settings {
        default_mode: single(&layers, &keys::DEFAULT_MODE, Value::as_mode),
        model: single(&layers, &keys::MODEL_MAIN, |value| value.as_text().map(str::to_owned)),
        env: variables(&layers),
        layers,
        problems,
    }
}

fn single<T>(layers: &[Layer], key: &Key, value: impl Fn(&Value) -> Option<T>) -> Option<Layered<T>> {
    heaviest(layers.iter().filter_map(|layer| {
        let found = layer.get(key)?;
        Some(layer.sign(value(&found.value)?, found.line))
    }))
}

/// Variable by variable, so that a project that sets one does not take away the person's others.
fn variables(layers: &[Layer]) -> BTreeMap<String, Layered<String>> {
    let mut by_name: BTreeMap<String, Vec<Layered<String>>> = BTreeMap::new();
    for layer in layers {
        let variables =
            layer.get(&keys::ENV).and_then(|found| found.value.as_variables()).unwrap_or_default();
        for variable in variables {
            let said = layer.sign(variable.value.clone(), variable.line);
            by_name.entry(variable.name.clone()).or_default().push(said);
        }
    }
    by_name.into_iter().filter_map(|(name, said)| Some((name, heaviest(said)?))).collect()
}
