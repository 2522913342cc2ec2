//! Finds what gives a project power: in its settings, its folders of agents and commands, and the files that its commands
//! run. All within bounds: what is too much to check, or too much to show, is said, and cannot be trusted.

use std::collections::BTreeSet;

use forelook_disk::{Owners, ProjectFiles};
use forelook_facts::git_config::{GitPartKind, GitReach, git_runs};
use forelook_protocol::{AbsPath, Behavior, Mode};

use crate::bound_files::{BoundFiles, BoundProject, CommandReader, Looked, loaded_in_project};
use crate::command_files::{CommandPlace, command_files};
use crate::file::{Origin, parse};
use crate::file_hasher::{FileHasher, HashError, hash_of};
use crate::keys::ValueKind;
use crate::layers::SettingEntry;
use crate::load::SettingsPaths;
use crate::project_contents::{PowerItem, PowerKind};
use crate::read_keys::read_keys;
use crate::roots::real;
use crate::sandbox;
use crate::trust::is_model_key;
use crate::values::{HookItem, Value, pattern_words};

/// `.mcp.json` is not longer than this.
const MAX_SERVERS_FILE: u64 = 4 << 20;
/// More files in a folder of agents or commands are not used either.
const MAX_FILES: usize = 200;
/// Names in such a folder, and in those below it.
const MAX_NAMES: usize = 10_000;
/// Nobody reads a longer list.
const MAX_ITEMS: usize = 1_000;
/// Nobody reads a longer command.
const MAX_ITEM_LENGTH: usize = 4_000;

/// What is read, and what was found so far.
pub(crate) struct ContentsReader<'a> {
    settings_paths: &'a SettingsPaths,
    files: ProjectFiles,
    commands: CommandReader,
    hasher: FileHasher,
    pub(crate) items: BTreeSet<PowerItem>,
    pub(crate) bound: BoundProject,
    is_full: bool,
}

impl<'a> ContentsReader<'a> {
    pub(crate) fn new(settings_paths: &'a SettingsPaths, owners: Owners) -> Self {
        let project = &settings_paths.project;
        Self {
            settings_paths,
            files: ProjectFiles::new(project, owners.clone()),
            commands: CommandReader::new(project, owners),
            hasher: FileHasher::new(),
            items: BTreeSet::new(),
            bound: BoundProject::default(),
            is_full: false,
        }
    }

    /// What a settings file of the project says. One that cannot be used has no power, and is told when it is loaded.
    pub(crate) fn settings(&mut self, path: &AbsPath, text: &str) {
        let origin = Origin::File(path.clone());
        let Ok(properties) = parse(text, &origin) else { return };
        for found in read_keys(properties, &origin).0 {
            self.setting(&found, path);
        }
    }

    fn setting(&mut self, found: &SettingEntry, file: &AbsPath) {
        use PowerKind::{
            AllowRule, Directory, Mode as WiderMode, Model, NetworkCommand, Sandbox, StatusLine, Variable,
        };
        let place = format!("{}:{}", self.shown(file), found.line);
        let mut add = |kind, name: &str, value: String| self.add(PowerItem::new(kind, name, value), &place);
        match (&found.value, found.key.kind) {
            (value, _) if sandbox::is_sandbox_key(found.key) => add(Sandbox, found.key.name, plain(value)),
            (Value::Mode(mode), _) if *mode > Mode::Default => add(WiderMode, mode.name(), String::new()),
            (Value::Rules(rules), ValueKind::Rules(Behavior::Allow)) => {
                rules.iter().for_each(|rule| add(AllowRule, rule.text.trim(), String::new()));
            }
            (Value::Folders(folders), _) => {
                folders.iter().for_each(|folder| add(Directory, folder.text.trim(), String::new()));
            }
            (Value::Variables(variables), _) => {
                variables.iter().for_each(|one| add(Variable, &one.name, one.value.clone()));
            }
            (Value::Commands(commands), _) => {
                let names = commands.iter().map(|one| pattern_words(&one.pattern));
                names.for_each(|name| add(NetworkCommand, &name, String::new()));
            }
            (Value::Text(name), _) if is_model_key(found.key) => add(Model, name, found.key.name.to_owned()),
            (Value::StatusLine(line), _) => {
                add(StatusLine, &line.command, line.timeout.map(|it| format!("{it:?}")).unwrap_or_default());
                self.command(&line.command);
            }
            (Value::Hooks(hooks), _) => hooks.iter().for_each(|hook| self.hook(hook, file)),
            _ => {}
        }
    }

    fn hook(&mut self, hook: &HookItem, file: &AbsPath) {
        let mut value = hook.event.name().to_owned();
        value.extend(hook.matcher.as_ref().map(|matcher| format!(" for {matcher}")));
        value.extend(hook.timeout.map(|timeout| format!(", timeout {timeout:?}")));
        value.extend(hook.fail_closed.then_some(", failClosed"));
        let place = format!("{}:{}", self.shown(file), hook.line);
        // One command may be the hook of several events.
        self.add(PowerItem::new(PowerKind::Hook, &hook.command, value), &place);
        self.command(&hook.command);
    }

    /// Adds an item, if a person can still judge it.
    fn add(&mut self, item: PowerItem, place: &str) {
        if item.name.len() + item.value.len() > MAX_ITEM_LENGTH {
            let words = format!("`{place}` has a value of more than {MAX_ITEM_LENGTH} characters");
            self.items.insert(PowerItem::new(PowerKind::Obstacle, words, ""));
        } else if self.items.len() < MAX_ITEMS || self.items.contains(&item) {
            self.items.insert(item);
        } else {
            self.full(&format!("there are more than {MAX_ITEMS} rules, hooks, and files"));
        }
    }

    /// There is more than is looked at.
    fn full(&mut self, words: &str) {
        self.is_full = true;
        self.items.insert(PowerItem::new(PowerKind::Obstacle, words, ""));
    }

    fn too_much(&mut self) {
        self.full("there are too many files, or too large ones");
    }

    /// The files that a command runs.
    fn command(&mut self, command: &str) {
        if self.is_full || command.len() > MAX_ITEM_LENGTH || self.bound.commands.contains_key(command) {
            return;
        }
        let SettingsPaths { working, user_home, .. } = self.settings_paths;
        let found = command_files(command, &CommandPlace { folder: working, home: user_home.as_ref() });
        let loaded = loaded_in_project(&found, self.settings_paths);
        let mut bound = BoundFiles::new(self.commands.clone(), loaded);
        for path in found.named.iter().chain(&found.folders) {
            if self.is_full {
                return;
            }
            match self.commands.look(path, &mut self.hasher) {
                Looked::File { hash, real } => {
                    self.add(PowerItem::new(PowerKind::Script, self.shown(path), &*hash), command);
                    bound.add_file(path.clone(), real, hash);
                }
                Looked::Nothing if found.started.contains(path) => bound.add_missing(path.clone()),
                Looked::Nothing => {}
                Looked::NotRegular if found.folders.contains(path) && self.is_in_project(path) => {
                    self.add(PowerItem::new(PowerKind::Unchecked, self.shown(path), ""), command);
                }
                Looked::NotRegular => {}
                Looked::Unreadable(error) if self.is_in_project(path) => {
                    let words = format!("`{}`: {error}", self.shown(path));
                    self.add(PowerItem::new(PowerKind::Obstacle, words, ""), command);
                }
                Looked::Unreadable(_) => {
                    self.add(PowerItem::new(PowerKind::Unchecked, self.shown(path), ""), command);
                }
                Looked::TooMuch => self.too_much(),
            }
        }
        let missing = found.if_files.into_iter().filter(|(script, _)| !script.as_path().is_file());
        for words in found.unchecked.into_iter().chain(missing.map(|(_, text)| text)) {
            self.add(PowerItem::new(PowerKind::Unchecked, words, ""), command);
        }
        self.bound.commands.insert(command.to_owned(), bound);
    }

    /// What git runs in the project when it changes something. Only counts end that look: what a person trusts must not depend
    /// on how fast the machine is.
    pub(crate) fn repository(&mut self) {
        let SettingsPaths { project, user_home, .. } = self.settings_paths;
        let runs = git_runs(&real(project), user_home.as_ref(), GitReach::Own);
        for part in runs.parts {
            let kind = match part.kind {
                GitPartKind::Setting => PowerKind::GitSetting,
                GitPartKind::File => PowerKind::GitFile,
            };
            self.add(PowerItem::new(kind, part.name, part.value), ".git");
        }
        for what in &runs.unchecked {
            self.add(PowerItem::new(PowerKind::Unchecked, what.name(), ""), ".git");
        }
    }

    /// The Markdown files of a folder, and of folders in it.
    pub(crate) fn folder(&mut self, name: &str, kind: PowerKind) {
        let folder = self.settings_paths.project.join(name);
        if folder.parent().is_some_and(|parent| real(&parent) == real(&self.settings_paths.home)) {
            return;
        }
        if kind == PowerKind::Agent {
            self.bound.folders.insert(real(&folder));
        }
        let (mut folders, mut left, mut names) = (vec![folder], MAX_FILES, MAX_NAMES);
        while let Some(folder) = folders.pop() {
            if self.is_full || self.files.check_folder(&folder).is_err() {
                continue;
            }
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut paths: Vec<AbsPath> =
                entries.flatten().take(names + 1).map(|it| folder.join(it.file_name())).collect();
            let Some(rest) = names.checked_sub(paths.len()) else { return self.too_much() };
            names = rest;
            paths.sort();
            for path in paths {
                if left == 0 {
                    return;
                }
                if path.as_path().extension().is_some_and(|ending| ending == "md") {
                    left -= 1;
                    self.text_file(&path, kind);
                } else if kind == PowerKind::SlashCommand && path.as_path().is_dir() {
                    left -= 1;
                    folders.push(path);
                }
            }
        }
    }

    /// One that cannot be read is not used either.
    fn text_file(&mut self, path: &AbsPath, kind: PowerKind) {
        match self.hasher.hash(&self.files, path) {
            Ok((hash, real)) => {
                let name = self.shown(path);
                self.add(PowerItem::new(kind, &*name, &*hash), &name);
                self.bound.read_later.insert(real, hash);
            }
            Err(HashError::TooMuch) => self.too_much(),
            Err(HashError::Read(_)) => {}
        }
    }

    /// The servers in `.mcp.json`. They are not used today, so one that is too long to be shown stands in no way.
    pub(crate) fn servers(&mut self) {
        const FILE: &str = ".mcp.json";
        let path = self.settings_paths.project.join(FILE);
        let Ok(text) = self.files.text(&path, MAX_SERVERS_FILE) else { return };
        let parsed = serde_json::from_str::<serde_json::Value>(&text).ok();
        let Some(servers) = parsed.as_ref().and_then(|value| value.get("mcpServers")?.as_object()) else {
            return self.add(PowerItem::new(PowerKind::McpServer, FILE, hash_of(text.as_bytes())), FILE);
        };
        for (name, server) in servers {
            let value = Some(server.to_string()).filter(|value| value.len() + name.len() <= MAX_ITEM_LENGTH);
            let value = value.unwrap_or_else(|| hash_of(server.to_string().as_bytes()));
            self.add(PowerItem::new(PowerKind::McpServer, name, value), FILE);
        }
    }

    /// Whether there is anything that would be obeyed if its owner were believed.
    pub(crate) fn has_words(&self) -> bool {
        let SettingsPaths { project, working, .. } = self.settings_paths;
        let folders = working.as_path().ancestors().take_while(|above| above.starts_with(project.as_path()));
        let named = |folder: &std::path::Path| {
            ["AGENTS.md", "CLAUDE.md"].iter().any(|name| folder.join(name).is_file())
        };
        !self.items.is_empty() || folders.into_iter().any(named)
    }

    fn is_in_project(&self, path: &AbsPath) -> bool {
        path.is_inside(&self.settings_paths.project)
    }

    fn shown(&self, path: &AbsPath) -> String {
        let project = self.settings_paths.project.as_path();
        match path.as_path().strip_prefix(project) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.to_string(),
        }
    }
}

/// A setting's value, on one line.
fn plain(value: &Value) -> String {
    match value {
        Value::Switch(on) => on.to_string(),
        Value::Hosts(hosts) => hosts.join(", "),
        Value::Folders(folders) => {
            folders.iter().map(|folder| folder.text.as_str()).collect::<Vec<_>>().join(", ")
        }
        Value::Commands(commands) => {
            commands.iter().map(|it| pattern_words(&it.pattern)).collect::<Vec<_>>().join(", ")
        }
        other => format!("{other:?}"),
    }
}
