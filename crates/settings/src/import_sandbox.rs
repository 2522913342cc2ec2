//! What is taken over of the sandbox of Claude Code: its switch, its domains, its folders and the commands outside of it.

use forelook_protocol::Destination;

use crate::edit::{SavedItem, SettingsChange, SettingsList};
use crate::file::{Json, Node, Property};
use crate::read_commands::pattern;
use crate::read_domains::domain;
use crate::sanitize::{sanitized, sanitized_sentence};

/// What is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedSandbox {
    /// Whether it is on.
    pub enabled: Option<bool>,
    /// Domains that can be reached.
    pub network: Vec<String>,
    /// Folders that may be written to.
    pub writable: Vec<String>,
    /// Commands that run outside.
    pub outside: Vec<String>,
}

impl ImportedSandbox {
    pub(crate) fn changes(&self) -> Vec<SettingsChange> {
        let lists = [
            (SettingsList::Domains, &self.network),
            (SettingsList::Writable, &self.writable),
            (SettingsList::Outside, &self.outside),
        ];
        let lists = lists.into_iter().filter(|(_, texts)| !texts.is_empty());
        let lists = lists.map(|(list, texts)| SettingsChange::Add(list, SavedItem::plain(texts)));
        self.enabled.map(SettingsChange::Sandbox).into_iter().chain(lists).collect()
    }
}

/// Something that is not taken: what, where, why.
pub(crate) type SkippedEntry = (String, usize, String);

/// Takes what means the same here.
pub(crate) struct SandboxImporter {
    pub(crate) imported: ImportedSandbox,
    pub(crate) skipped: Vec<SkippedEntry>,
    to: Destination,
}

impl SandboxImporter {
    pub(crate) fn of(properties: Vec<Property>, to: Destination) -> Self {
        let mut sandbox = Self { imported: ImportedSandbox::default(), skipped: Vec::new(), to };
        sandbox.section("sandbox", properties);
        sandbox
    }

    fn section(&mut self, section: &str, properties: Vec<Property>) {
        for Property { name, line, value } in properties {
            let full = format!("{section}.{name}");
            match (full.as_str(), value.json) {
                ("sandbox.enabled", Json::Bool(on)) => self.switch(on, line),
                ("sandbox.network" | "sandbox.filesystem", Json::Object(inner)) => self.section(&full, inner),
                ("sandbox.excludedCommands", Json::List(items)) => self.each(&full, items, Self::command),
                ("sandbox.network.allowedDomains", Json::List(items)) => {
                    self.each(&full, items, Self::domain)
                }
                ("sandbox.filesystem.allowWrite", Json::List(items)) => self.each(&full, items, Self::folder),
                (name, _) => self.skip(format!("`{}`", sanitized(name)), line, reason(name)),
            }
        }
    }

    fn switch(&mut self, on: bool, line: usize) {
        match on || self.to == Destination::UserSettings {
            true => self.imported.enabled = Some(on),
            false => {
                let why = "a project cannot turn off the fence; set it in your user settings";
                self.skip("`sandbox.enabled`".to_owned(), line, why);
            }
        }
    }

    fn each(&mut self, name: &str, items: Vec<Node>, take: fn(&mut Self, &str) -> Result<(), String>) {
        for Node { line, json } in items {
            let Json::Text(text) = json else {
                self.skip(format!("an item of `{name}`"), line, "it is not a string");
                continue;
            };
            if let Err(why) = take(self, text.trim()) {
                self.skipped.push((format!("`{}` of `{name}`", sanitized(&text)), line, why));
            }
        }
    }

    /// A bare name stood for the command with any arguments. More commands outside means more questions, and nothing else.
    fn command(&mut self, text: &str) -> Result<(), String> {
        let text = if text.contains('*') { text.to_owned() } else { format!("{text}:*") };
        pattern(&text).map_err(|wanted| format!("it must be {wanted}"))?;
        self.imported.outside.push(text);
        Ok(())
    }

    fn domain(&mut self, text: &str) -> Result<(), String> {
        self.imported.network.push(domain(text).map_err(|wanted| format!("it must be {wanted}"))?);
        Ok(())
    }

    /// `//x` was the older form of `/x`. In the person's own file a relative path began at the folder of that file, and
    /// would begin somewhere else here.
    fn folder(&mut self, text: &str) -> Result<(), String> {
        let text = if text.starts_with("//") { &text[1..] } else { text };
        let whole = text.starts_with('/') || text.starts_with("~/");
        match text {
            _ if text.contains(['*', '?', '[']) => Err("folder patterns are not supported".to_owned()),
            _ if !whole && self.to == Destination::UserSettings => {
                Err("its path is relative to the file's folder; use a full path".to_owned())
            }
            _ => {
                self.imported.writable.push(text.to_owned());
                Ok(())
            }
        }
    }

    fn skip(&mut self, what: String, line: usize, why: &str) {
        self.skipped.push((what, line, sanitized_sentence(why)));
    }
}

/// Why a key is not taken.
fn reason(name: &str) -> &'static str {
    match name {
        "sandbox.autoAllowBashIfSandboxed" => {
            "commands in the fence never need approval; an ask rule such as `Bash` still applies"
        }
        "sandbox.allowUnsandboxedCommands" => {
            "commands outside the fence always need approval; use deny rules to block them"
        }
        _ => "Forelook has no such setting",
    }
}
