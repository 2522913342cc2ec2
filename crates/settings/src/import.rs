//! Takes over what a person has set up for Claude Code: rules, the mode, additional working directories, hooks.
//!
//! [`plan_import`] only reads and says what it would write where, and what it cannot take and why;
//! [`Import::apply`] writes. What is there already is not written twice, so importing again is harmless.

use forelook_permissions::{Matcher, Rule};
use forelook_protocol::{AbsPath, Behavior, Destination, Mode, Source};

use crate::edit::{SavedItem, SettingsChange, SettingsList};
use crate::file::{Accept, Json, Node, Origin, Property, read};
use crate::import_sandbox::{ImportedSandbox, SandboxImporter};
use crate::keys;
use crate::layers::SettingEntry;
use crate::load::SettingsPaths;
use crate::read_keys::read_keys;
use crate::rules::TOOLS;
use crate::sanitize::{sanitized, sanitized_sentence};
use crate::save::{SaveError, SaveOutcome, write};
use crate::values::{HookItem, Value};

/// The keys of `permissions` that mean the same here.
const IMPORTED_KEYS: &[&str] = &["allow", "ask", "deny", "defaultMode", "additionalDirectories"];

/// What an import would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Import {
    /// What it takes, file by file.
    pub files: Vec<ImportedFile>,
    /// What it cannot take.
    pub skipped: Vec<SkippedItem>,
}

/// What is taken from one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// The file it comes from.
    pub from: AbsPath,
    /// Where it goes ([`crate::file_of`] says which file that is).
    pub destination: Destination,
    /// Rules that allow.
    pub allow: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// The mode to start in.
    pub mode: Option<Mode>,
    /// Additional directories.
    pub directories: Vec<String>,
    /// Hooks.
    pub hooks: Vec<HookItem>,
    /// What is said of the sandbox.
    pub sandbox: ImportedSandbox,
}

/// Something that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedItem {
    /// The file it stands in.
    pub from: AbsPath,
    /// The line, if it has one.
    pub line: Option<usize>,
    /// What it is, fit to be shown.
    pub what: String,
    /// Why it is not taken.
    pub why: String,
}

impl Import {
    /// Writes what is taken; says what was new.
    pub fn apply(&self, settings_paths: &SettingsPaths) -> Result<Vec<SaveOutcome>, SaveError> {
        self.files.iter().map(|file| write(file.source(), &file.changes(), settings_paths)).collect()
    }
}

impl ImportedFile {
    /// Nothing is taken from it.
    pub fn is_empty(&self) -> bool {
        self.changes().is_empty()
    }

    fn source(&self) -> Source {
        match self.destination {
            Destination::ProjectSettings => Source::ProjectSettings,
            Destination::LocalSettings => Source::LocalSettings,
            _ => Source::UserSettings,
        }
    }

    fn changes(&self) -> Vec<SettingsChange> {
        let lists = [
            (SettingsList::Rules(Behavior::Allow), &self.allow),
            (SettingsList::Rules(Behavior::Ask), &self.ask),
            (SettingsList::Rules(Behavior::Deny), &self.deny),
            (SettingsList::Folders, &self.directories),
        ];
        let lists = lists.into_iter().filter(|(_, texts)| !texts.is_empty());
        let lists = lists.map(|(list, texts)| SettingsChange::Add(list, SavedItem::plain(texts)));
        let hooks = (!self.hooks.is_empty()).then(|| SettingsChange::Hooks(self.hooks.clone()));
        let sandbox = self.sandbox.changes();
        self.mode.map(SettingsChange::Mode).into_iter().chain(lists).chain(hooks).chain(sandbox).collect()
    }
}

/// Reads the settings of Claude Code (its folder in the home folder, and the project's `.claude/`) and says what an import
/// would do.
pub fn plan_import(claude_home: &AbsPath, project: &AbsPath) -> Import {
    let mut import = Import::default();
    let folder = project.join(".claude");
    let user = claude_home.join("settings.json");
    let files = [
        (user.clone(), Destination::UserSettings),
        (folder.join("settings.json"), Destination::ProjectSettings),
        (folder.join("settings.local.json"), Destination::LocalSettings),
    ];
    for (from, destination) in files {
        // In the home folder the project's file is the person's own.
        if destination == Destination::UserSettings || from != user {
            Importer::new(from, destination, &mut import.skipped).file(&mut import.files);
        }
    }
    import
}

struct Importer<'a> {
    imported: ImportedFile,
    skipped: &'a mut Vec<SkippedItem>,
}

impl<'a> Importer<'a> {
    fn new(from: AbsPath, destination: Destination, skipped: &'a mut Vec<SkippedItem>) -> Self {
        let (allow, ask, deny, directories) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (hooks, sandbox) = (Vec::new(), ImportedSandbox::default());
        let imported =
            ImportedFile { from, destination, allow, ask, deny, mode: None, directories, hooks, sandbox };
        Self { imported, skipped }
    }

    fn file(mut self, files: &mut Vec<ImportedFile>) {
        let properties = match read(&self.imported.from, Accept::Files) {
            Ok(Some(properties)) => properties,
            Ok(None) => return,
            Err(error) => return self.skip("the whole file", None, sanitized_sentence(&error.to_string())),
        };
        let supported = self.supported(properties);
        let (found, notices) = read_keys(supported, &Origin::File(self.imported.from.clone()));
        for notice in notices {
            let (what, hint) = notice.text.split_once('\n').unwrap_or((&notice.text, ""));
            // What is taken in spite of a slip is not left out.
            let ignored = what.strip_suffix(" and was ignored").or(what.strip_suffix(", which was ignored"));
            let Some(what) = ignored else { continue };
            let foreign = what.ends_with("is unknown");
            let why = if foreign { "Forelook has no such setting" } else { hint };
            self.skip(what, None, sanitized_sentence(why));
        }
        for found in found {
            self.take(found);
        }
        if !self.imported.is_empty() {
            files.push(self.imported);
        }
    }

    /// The properties that mean something here; the others are left out.
    fn supported(&mut self, properties: Vec<Property>) -> Vec<Property> {
        let mut supported = Vec::new();
        for Property { name, line, value } in properties {
            match (name.as_str(), value.json) {
                ("permissions", Json::Object(inner)) => {
                    let (imported, skipped): (Vec<_>, Vec<_>) = inner
                        .into_iter()
                        .partition(|property| IMPORTED_KEYS.contains(&property.name.as_str()));
                    for Property { name, line, .. } in skipped {
                        let why = "this setting is not imported";
                        self.skip(&format!("`permissions.{}`", sanitized(&name)), Some(line), why.to_owned());
                    }
                    let value = Node { line, json: Json::Object(imported) };
                    supported.push(Property { name, line, value });
                }
                ("sandbox", Json::Object(inner)) => self.sandbox(inner),
                ("permissions" | "hooks", json) => {
                    supported.push(Property { name, line, value: Node { line, json } });
                }
                ("$schema", _) => {}
                (name, _) => {
                    let why = if name.to_lowercase().contains("mcp") {
                        "MCP servers are not supported yet"
                    } else {
                        "only rules, the mode, additional working directories, hooks, and the sandbox are imported"
                    };
                    self.skip(&format!("`{}`", sanitized(name)), Some(line), why.to_owned());
                }
            }
        }
        supported
    }

    /// It is called the same here and is of another form, so it is not read as ours.
    fn sandbox(&mut self, inner: Vec<Property>) {
        let SandboxImporter { imported, skipped, .. } = SandboxImporter::of(inner, self.imported.destination);
        self.imported.sandbox = imported;
        for (what, line, why) in skipped {
            self.skip(&what, Some(line), why);
        }
    }

    fn take(&mut self, SettingEntry { key, value, line }: SettingEntry) {
        match value {
            Value::Rules(rules) => {
                let keys::ValueKind::Rules(behavior) = key.kind else { return };
                for rule in rules {
                    self.rule(behavior, &rule.text, rule.line);
                }
            }
            Value::Mode(mode) => self.mode(mode, line),
            Value::Folders(folders) => {
                self.imported.directories.extend(folders.into_iter().map(|folder| folder.text));
            }
            Value::Hooks(hooks) => self.imported.hooks.extend(hooks),
            _ => {}
        }
    }

    fn mode(&mut self, mode: Mode, line: usize) {
        let own = self.imported.destination == Destination::UserSettings;
        match mode {
            Mode::Auto | Mode::BypassPermissions if !own => {
                let why = "a project cannot choose this mode; set it in your user settings";
                self.skip(&format!("the mode `{mode}`"), Some(line), why.to_owned());
            }
            mode => self.imported.mode = Some(mode),
        }
    }

    fn rule(&mut self, behavior: Behavior, text: &str, line: usize) {
        let what = format!("{behavior} `{}`", sanitized(text.trim()));
        let rule = match Rule::parse(text) {
            Ok(rule) => rule,
            Err(error) => return self.skip(&what, Some(line), sanitized_sentence(&error.to_string())),
        };
        let text = match &rule.matcher {
            // A deny or ask for a tool that is not here costs nothing, and holds if it comes one day.
            Matcher::Tool(name) if behavior == Behavior::Allow && !TOOLS.contains(&name.as_str()) => {
                let why = format!("Forelook has no tool `{}`", sanitized(name));
                return self.skip(&what, Some(line), why);
            }
            Matcher::Files { pattern: Some(_), .. } => match self.anchored(&rule.text) {
                Some(text) => text,
                None => {
                    let why =
                        "its path is relative to the file's folder, whose name cannot be part of a rule";
                    return self.skip(&what, Some(line), why.to_owned());
                }
            },
            _ => rule.text,
        };
        match behavior {
            Behavior::Allow => &mut self.imported.allow,
            Behavior::Ask => &mut self.imported.ask,
            Behavior::Deny => &mut self.imported.deny,
        }
        .push(text);
    }

    /// `/x` is relative to where the rule is written: in the person's own file that is the folder of the file, and it is
    /// about to move. Elsewhere it is the project, which stays.
    fn anchored(&self, rule: &str) -> Option<String> {
        let relative = rule.split_once('(').filter(|(_, path)| {
            let path = path.trim_start();
            path.starts_with('/') && !path.starts_with("//")
        });
        match relative {
            Some((tool, path)) if self.imported.destination == Destination::UserSettings => {
                let folder = self.imported.from.parent()?;
                let folder = folder.as_path().to_str().filter(|folder| !folder.contains(GLOB))?.to_owned();
                Some(format!("{tool}(/{folder}{}", path.trim_start()))
            }
            _ => Some(rule.to_owned()),
        }
    }

    fn skip(&mut self, what: &str, line: Option<usize>, why: String) {
        let from = self.imported.from.clone();
        self.skipped.push(SkippedItem { from, line, what: what.to_owned(), why });
    }
}

/// What means something in a pattern.
const GLOB: [char; 8] = ['*', '?', '[', ']', '{', '}', '\\', '!'];
