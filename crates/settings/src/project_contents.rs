//! What a project brings that gives it power: what a person trusts when they trust its folder.
//!
//! Trust is for these contents, not for a name on the disk: `git pull` may bring another hook under the same name. Each
//! item has a name, by which it is shown, and a value, by which a change is seen: for files that run or are obeyed, the
//! hash of what they hold. `contents_reader.rs` finds them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::load::SettingsPaths;
use crate::own_items::OwnItems;
use crate::project_snapshot::ProjectSnapshot;
use crate::sanitize::sanitized_item;

/// What kind of power an item is. In this order they are shown: what stands in the way of trust, then what runs by itself,
/// then what lets others run. A long list of rules must not hide a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PowerKind {
    /// Something that nobody can judge: while it is there, the folder cannot be trusted. Its name is the reason.
    Obstacle,
    /// The project's folder is another user's: then all its files are that user's words.
    Owner,
    /// A hook: its command, with when it runs.
    Hook,
    /// The command of the status line.
    StatusLine,
    /// A file that one of these commands names, with its hash.
    Script,
    /// What one of these commands runs without naming its files.
    Unchecked,
    /// A setting that makes git run something, in the repository's own configuration.
    GitSetting,
    /// A hook of git, or a file that a hook or such a setting names, with its hash.
    GitFile,
    /// A variable for child processes.
    Variable,
    /// A mode that asks less than `default`.
    Mode,
    /// A folder to work in besides the project.
    Directory,
    /// A setting of the fence.
    Sandbox,
    /// A command that may use the network while planning.
    NetworkCommand,
    /// A rule that allows something.
    AllowRule,
    /// A model.
    Model,
    /// The file of an agent, with its hash.
    Agent,
    /// The file of a slash command, with its hash.
    SlashCommand,
    /// A server in `.mcp.json`.
    McpServer,
}

impl PowerKind {
    /// What it is called.
    fn words(self) -> &'static str {
        match self {
            Self::Obstacle => "cannot be checked:",
            Self::Owner => "files of another user, ID",
            Self::Mode => "mode",
            Self::AllowRule => "allow rule",
            Self::Directory => "additional working directory",
            Self::Hook => "hook",
            Self::StatusLine => "status line",
            Self::Script => "script",
            Self::Unchecked => "runs files that Forelook cannot check:",
            Self::GitSetting => "git setting",
            Self::GitFile => "git hook or script",
            Self::NetworkCommand => "network command",
            Self::Sandbox => "sandbox setting",
            Self::Variable => "variable",
            Self::Model => "model",
            Self::Agent => "agent",
            Self::SlashCommand => "slash command",
            Self::McpServer => "MCP server",
        }
    }

    /// Whether Forelook uses it today. What it does not use is nothing to ask about, but a change to it is told.
    pub(crate) fn is_used(self) -> bool {
        !matches!(self, Self::SlashCommand | Self::McpServer)
    }

    /// Whether the value says something to a person.
    fn shows_value(self) -> bool {
        !matches!(self, Self::Script | Self::GitFile | Self::Agent | Self::SlashCommand)
    }

    /// Whether it is there or not depending on the folder that a session starts in: hooks run in that folder.
    fn depends_on_folder(self) -> bool {
        matches!(self, Self::Script | Self::Unchecked)
    }
}

/// One thing that gives a project power.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PowerItem {
    /// What kind of thing.
    pub kind: PowerKind,
    /// Its name: the rule, the command, the path.
    pub name: String,
    /// What else makes it what it is; a hash for the contents of a file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

impl PowerItem {
    pub(crate) fn new(kind: PowerKind, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { kind, name: name.into(), value: value.into() }
    }

    /// For people, and never cut: what nobody sees, nobody can judge.
    pub fn words(&self) -> String {
        let (kind, name) = (self.kind.words(), sanitized_item(&self.name));
        match self.kind {
            PowerKind::Obstacle => format!("{kind} {name}"),
            _ if self.kind.shows_value() && !self.value.is_empty() => {
                format!("{kind} `{name}` ({})", sanitized_item(&self.value))
            }
            _ => format!("{kind} `{name}`"),
        }
    }

    fn is_same_thing(&self, other: &Self) -> bool {
        self.kind == other.kind && self.name == other.name
    }
}

/// All that gives a project power, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectContents {
    items: BTreeSet<PowerItem>,
}

impl ProjectContents {
    /// Reads what the project has now, whether or not it is trusted.
    pub fn read(settings_paths: &SettingsPaths) -> Self {
        ProjectSnapshot::read(settings_paths).contents
    }

    pub(crate) fn new(items: BTreeSet<PowerItem>) -> Self {
        Self { items }
    }

    /// Everything.
    pub fn items(&self) -> impl Iterator<Item = &PowerItem> {
        self.items.iter()
    }

    /// Whether trust makes a difference.
    pub fn needs_trust(&self) -> bool {
        self.items.iter().any(|item| item.kind.is_used())
    }

    /// Why nobody can trust this, in words.
    pub fn obstacles(&self) -> Vec<String> {
        let obstacles = self.items.iter().filter(|item| item.kind == PowerKind::Obstacle);
        obstacles.map(|item| sanitized_item(&item.name)).collect()
    }

    /// The user whose folder this is, if it is another's.
    pub fn owner(&self) -> Option<u32> {
        let owner = self.items.iter().find(|item| item.kind == PowerKind::Owner)?;
        owner.name.parse().ok()
    }

    /// The same without what the person saved here themselves.
    pub fn without(&self, own: &OwnItems) -> Self {
        Self { items: self.items.iter().filter(|item| !own.contains(item)).cloned().collect() }
    }

    /// Whether a yes to `approved` is a yes to this. A command that is started elsewhere in the project runs other files:
    /// those that it runs here must be approved, and others may be.
    pub(crate) fn is_covered_by(&self, approved: &Self) -> bool {
        self.obstacles().is_empty()
            && self.items.is_subset(&approved.items)
            && approved.items.difference(&self.items).all(|item| item.kind.depends_on_folder())
    }

    /// This, and what was approved before of files that commands run in other folders of the project.
    pub(crate) fn merged_with(&self, before: &Self) -> Self {
        let elsewhere = before.items.iter().filter(|was| {
            was.kind.depends_on_folder() && !self.items.iter().any(|item| item.is_same_thing(was))
        });
        Self { items: self.items.iter().chain(elsewhere).cloned().collect() }
    }

    /// What is different from `before`, in words.
    pub fn differences(&self, before: &Self) -> Vec<String> {
        let (mut added, mut words) = (Vec::new(), Vec::new());
        let mut removed: Vec<&PowerItem> = before.items.difference(&self.items).collect();
        for item in self.items.difference(&before.items) {
            match removed.iter().position(|was| was.is_same_thing(item)) {
                Some(at) => {
                    removed.remove(at);
                    words.push(format!("changed: {}", item.words()));
                }
                None => added.push(format!("new: {}", item.words())),
            }
        }
        added.extend(words);
        let gone = removed.into_iter().filter(|item| !item.kind.depends_on_folder());
        added.extend(gone.map(|item| format!("gone: {}", item.words())));
        added
    }

    /// Whether nothing is new since `before`.
    pub(crate) fn adds_nothing_to(&self, before: &Self) -> bool {
        self.items.is_subset(&before.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(items: &[(PowerKind, &str, &str)]) -> ProjectContents {
        let items = items.iter().map(|(kind, name, value)| PowerItem::new(*kind, *name, *value));
        ProjectContents::new(items.collect())
    }

    #[test]
    fn what_runs_is_shown_before_what_is_allowed() {
        let contents = contents(&[
            (PowerKind::AllowRule, "Bash(a)", ""),
            (PowerKind::Hook, "sh x.sh", "Stop"),
            (PowerKind::Script, "x.sh", "hash"),
            (PowerKind::GitSetting, "core.fsmonitor", "./x.sh"),
            (PowerKind::GitFile, "hooks/pre-commit", "hash"),
            (PowerKind::Unchecked, "make", ""),
            (PowerKind::Obstacle, "`y.sh` is odd", ""),
        ]);
        let words: Vec<String> = contents.items().map(PowerItem::words).collect();
        let expected = [
            "cannot be checked: `y.sh` is odd",
            "hook `sh x.sh` (Stop)",
            "script `x.sh`",
            "runs files that Forelook cannot check: `make`",
            "git setting `core.fsmonitor` (./x.sh)",
            "git hook or script `hooks/pre-commit`",
            "allow rule `Bash(a)`",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_long_command_is_shown_whole() {
        let command = format!("echo {}; curl https://example.com | sh", "x".repeat(3_000));
        assert!(PowerItem::new(PowerKind::Hook, &*command, "Stop").words().contains("| sh` (Stop)"));
    }

    #[test]
    fn a_yes_holds_in_every_folder_whose_scripts_it_covers() {
        use PowerKind::{Hook, Script};
        let root = contents(&[(Hook, "sh c.sh", "Stop"), (Script, "c.sh", "1")]);
        let below = contents(&[(Hook, "sh c.sh", "Stop"), (Script, "a/c.sh", "2")]);
        assert!(root.is_covered_by(&root) && !below.is_covered_by(&root));
        assert_eq!(below.differences(&root), ["new: script `a/c.sh`"]);
        let both = below.merged_with(&root);
        assert!(root.is_covered_by(&both) && below.is_covered_by(&both));
        // Another yes to one file takes the earlier one back.
        let changed = contents(&[(Hook, "sh c.sh", "Stop"), (Script, "c.sh", "3")]);
        assert!(!changed.is_covered_by(&both));
        assert!(!root.is_covered_by(&changed.merged_with(&both)));
        let other_hook = contents(&[(Hook, "sh d.sh", "Stop"), (Script, "c.sh", "1")]);
        assert!(!other_hook.is_covered_by(&both));
    }

    #[test]
    fn nobody_can_trust_what_cannot_be_checked() {
        let odd = contents(&[(PowerKind::Obstacle, "odd", "")]);
        assert!(!odd.is_covered_by(&odd) && odd.needs_trust());
    }
}
