//! What a file holds for a key, checked against the key's kind.

use std::time::Duration;

use forelook_permissions::ShellPattern;
use forelook_protocol::{HookEvent, Mode, Price};

use crate::examples::Examples;

/// What a file holds for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// For [`crate::keys::ValueKind::Mode`].
    Mode(Mode),
    /// For [`crate::keys::ValueKind::Cycle`]; not empty.
    Cycle(Vec<Mode>),
    /// For [`crate::keys::ValueKind::Text`] and [`crate::keys::ValueKind::Path`].
    Text(String),
    /// For [`crate::keys::ValueKind::Word`]: one of the key's words.
    Word(&'static str),
    /// For [`crate::keys::ValueKind::Count`]: within the key's bounds.
    Count(u16),
    /// For [`crate::keys::ValueKind::Switch`].
    Switch(bool),
    /// For [`crate::keys::ValueKind::Disable`]: it says `disable`.
    Disable,
    /// For [`crate::keys::ValueKind::Variables`].
    Variables(Vec<Assignment>),
    /// For [`crate::keys::ValueKind::Rules`].
    Rules(Vec<RuleItem>),
    /// For [`crate::keys::ValueKind::Folders`].
    Folders(Vec<FolderItem>),
    /// For [`crate::keys::ValueKind::Hosts`]: each with or without a port; for [`crate::keys::ValueKind::Domains`]: each perhaps with
    /// `*.` or a port.
    Hosts(Vec<String>),
    /// For [`crate::keys::ValueKind::Commands`].
    Commands(Vec<CommandItem>),
    /// For [`crate::keys::ValueKind::Hooks`].
    Hooks(Vec<HookItem>),
    /// For [`crate::keys::ValueKind::StatusLine`].
    StatusLine(StatusLineItem),
    /// For [`crate::keys::ValueKind::Providers`]; each id once.
    Providers(Vec<ProviderItem>),
    /// For [`crate::keys::ValueKind::Known`]; each name once.
    Known(Vec<ModelOverrideItem>),
}

/// A command whose first line of output is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLineItem {
    /// For the shell.
    pub command: String,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// The line it stands on.
    pub line: usize,
}

/// What is said of one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderItem {
    /// What stands before the slash in the name of a model.
    pub id: String,
    /// How it is spoken to: one of [`crate::keys::WIRE_FORMATS`].
    pub wire_format: Option<&'static str>,
    /// Its base address, without a slash at its end.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_variable: Option<String>,
    /// The file that holds its key.
    pub key_file: Option<String>,
    /// The command that prints its key.
    pub key_helper: Option<String>,
    /// The line it stands on.
    pub line: usize,
}

/// What is said of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOverrideItem {
    /// As `provider/name`.
    pub name: String,
    /// How many tokens it reads and writes together.
    pub window: Option<u64>,
    /// How many tokens it can write at once.
    pub output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// Whether it sees pictures.
    pub images: Option<bool>,
    /// By what means it thinks: one of [`crate::keys::THINKING_SUPPORT`].
    pub thinking: Option<&'static str>,
    /// The line it stands on.
    pub line: usize,
}

/// One environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its name: not empty, without `=`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The line it stands on.
    pub line: usize,
}

/// One item of a list of rules, not yet read as a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleItem {
    /// The rule, as it is written.
    pub text: String,
    /// What it must and must not match.
    pub examples: Examples,
    /// The line it stands on.
    pub line: usize,
}

/// One folder, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderItem {
    /// Its path.
    pub text: String,
    /// The line it stands on.
    pub line: usize,
}

/// One pattern of shell commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandItem {
    /// Which commands; each begins with a name that the pattern fixes.
    pub pattern: ShellPattern,
    /// The line it stands on.
    pub line: usize,
}

/// One command of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookItem {
    /// When it runs.
    pub event: HookEvent,
    /// For which tools; nothing means for all.
    pub matcher: Option<String>,
    /// What runs.
    pub command: String,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// Its failure denies.
    pub fail_closed: bool,
    /// The line it stands on.
    pub line: usize,
}

impl Value {
    /// The mode, if this is one.
    pub fn as_mode(&self) -> Option<Mode> {
        if let Value::Mode(mode) = self { Some(*mode) } else { None }
    }

    /// The cycle, if this is one.
    pub fn as_cycle(&self) -> Option<&[Mode]> {
        if let Value::Cycle(modes) = self { Some(modes) } else { None }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The word, if this is one.
    pub fn as_word(&self) -> Option<&'static str> {
        if let Value::Word(word) = self { Some(word) } else { None }
    }

    /// The number, if this is one.
    pub fn as_count(&self) -> Option<u16> {
        if let Value::Count(count) = self { Some(*count) } else { None }
    }

    /// The switch, if this is one.
    pub fn as_switch(&self) -> Option<bool> {
        if let Value::Switch(on) = self { Some(*on) } else { None }
    }

    /// The variables, if these are some.
    pub fn as_variables(&self) -> Option<&[Assignment]> {
        if let Value::Variables(variables) = self { Some(variables) } else { None }
    }

    /// The rules, if these are some.
    pub fn as_rules(&self) -> Option<&[RuleItem]> {
        if let Value::Rules(rules) = self { Some(rules) } else { None }
    }

    /// The folders, if these are some.
    pub fn as_folders(&self) -> Option<&[FolderItem]> {
        if let Value::Folders(folders) = self { Some(folders) } else { None }
    }

    /// The hosts, if these are some.
    pub fn as_hosts(&self) -> Option<&[String]> {
        if let Value::Hosts(hosts) = self { Some(hosts) } else { None }
    }

    /// The patterns of commands, if these are some.
    pub fn as_commands(&self) -> Option<&[CommandItem]> {
        if let Value::Commands(commands) = self { Some(commands) } else { None }
    }

    /// The hooks, if these are some.
    pub fn as_hooks(&self) -> Option<&[HookItem]> {
        if let Value::Hooks(hooks) = self { Some(hooks) } else { None }
    }

    /// The status line, if this is one.
    pub fn as_status_line(&self) -> Option<&StatusLineItem> {
        if let Value::StatusLine(item) = self { Some(item) } else { None }
    }

    /// The providers, if these are some.
    pub fn as_providers(&self) -> Option<&[ProviderItem]> {
        if let Value::Providers(providers) = self { Some(providers) } else { None }
    }

    /// What is known of models, if this is it.
    pub fn as_model_overrides(&self) -> Option<&[ModelOverrideItem]> {
        if let Value::Known(known) = self { Some(known) } else { None }
    }
}

/// A pattern as it is written.
pub(crate) fn pattern_words(pattern: &ShellPattern) -> String {
    match pattern {
        ShellPattern::Any => "*".to_owned(),
        ShellPattern::Exact(text) => text.clone(),
        ShellPattern::Prefix(text) => format!("{text}:*"),
        ShellPattern::Glob(pieces) => pieces.join("*"),
    }
}
