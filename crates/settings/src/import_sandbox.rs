//! What is taken over of the sandbox of Claude Code: its switch, its domains, its folders and the commands outside of it.

use forelook_protocol::Destination;

use crate::edit::{Change, List};
use crate::file::{Json, Node, Property};
use crate::read_commands::pattern;
use crate::read_domains::domain;
use crate::shown::{shown, shown_sentence};

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
    pub(crate) fn changes(&self) -> Vec<Change> {
        let lists = [
            (List::Domains, &self.network),
            (List::Writable, &self.writable),
            (List::Outside, &self.outside),
        ];
        let lists = lists.into_iter().filter(|(_, texts)| !texts.is_empty());
        let lists = lists.map(|(list, texts)| Change::Add(list, texts.clone()));
        self.enabled.map(Change::Sandbox).into_iter().chain(lists).collect()
    }
}

/// Something that is not taken: what, where, why.
pub(crate) type Left = (String, usize, String);

/// Takes what means the same here.
pub(crate) struct Sandbox {
    pub(crate) taken: ImportedSandbox,
    pub(crate) left: Vec<Left>,
    to: Destination,
}

impl Sandbox {
    pub(crate) fn of(properties: Vec<Property>, to: Destination) -> Self {
        let mut sandbox = Self { taken: ImportedSandbox::default(), left: Vec::new(), to };
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
                (name, _) => self.leave(format!("`{}`", shown(name)), line, reason(name)),
            }
        }
    }

    fn switch(&mut self, on: bool, line: usize) {
        match on || self.to == Destination::UserSettings {
            true => self.taken.enabled = Some(on),
            false => {
                let why = "a project may not switch the fence off; set it in your own settings";
                self.leave("`sandbox.enabled`".to_owned(), line, why);
            }
        }
    }

    fn each(&mut self, name: &str, items: Vec<Node>, take: fn(&mut Self, &str) -> Result<(), String>) {
        for Node { line, json } in items {
            let Json::Text(text) = json else {
                self.leave(format!("an item of `{name}`"), line, "it is not a text");
                continue;
            };
            if let Err(why) = take(self, text.trim()) {
                self.left.push((format!("`{}` of `{name}`", shown(&text)), line, why));
            }
        }
    }

    /// A bare name stood for the command with any arguments. More commands outside means more questions, and nothing else.
    fn command(&mut self, text: &str) -> Result<(), String> {
        let text = if text.contains('*') { text.to_owned() } else { format!("{text}:*") };
        pattern(&text).map_err(|wanted| format!("it must be {wanted}"))?;
        self.taken.outside.push(text);
        Ok(())
    }

    fn domain(&mut self, text: &str) -> Result<(), String> {
        self.taken.network.push(domain(text).map_err(|wanted| format!("it must be {wanted}"))?);
        Ok(())
    }

    /// `//x` was the older form of `/x`. In the person's own file a relative path began at the folder of that file, and
    /// would begin somewhere else here.
    fn folder(&mut self, text: &str) -> Result<(), String> {
        let text = if text.starts_with("//") { &text[1..] } else { text };
        let whole = text.starts_with('/') || text.starts_with("~/");
        match text {
            _ if text.contains(['*', '?', '[']) => Err("patterns of folders are not known here".to_owned()),
            _ if !whole && self.to == Destination::UserSettings => {
                Err("its path is relative to the folder of the file; give the whole path".to_owned())
            }
            _ => {
                self.taken.writable.push(text.to_owned());
                Ok(())
            }
        }
    }

    fn leave(&mut self, what: String, line: usize, why: &str) {
        self.left.push((what, line, shown_sentence(why)));
    }
}

/// Why a key is not taken.
fn reason(name: &str) -> &'static str {
    match name {
        "sandbox.autoAllowBashIfSandboxed" => {
            "what stays in the fence is never asked for; an ask rule such as `Bash` asks all the same"
        }
        "sandbox.allowUnsandboxedCommands" => {
            "what cannot run in the fence is always asked for; deny rules forbid it"
        }
        _ => "there is nothing like it here",
    }
}
