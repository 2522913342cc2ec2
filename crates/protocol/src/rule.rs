//! Permission rules: their effect, where they are stored, and how they change.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Mode, Source, SuggestedRule};

/// The effect of a rule on what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// It may run.
    Allow,
    /// The user decides.
    Ask,
    /// It must not run.
    Deny,
}

impl fmt::Display for Behavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Behavior::Allow => "allow",
            Behavior::Ask => "ask",
            Behavior::Deny => "deny",
        })
    }
}

/// A change to the permissions, from a dialog, a hook, or a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// Their effect.
        behavior: Behavior,
        /// Where to store them.
        destination: Destination,
    },
    /// Replaces all rules with the same effect at the destination.
    ReplaceRules {
        /// The new rules.
        rules: Vec<RuleValue>,
        /// Their effect.
        behavior: Behavior,
        /// Where to store them.
        destination: Destination,
    },
    /// Removes rules.
    RemoveRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// Their effect.
        behavior: Behavior,
        /// Where they are stored.
        destination: Destination,
    },
    /// Changes the mode.
    SetMode {
        /// The new mode.
        mode: Mode,
        /// Where to store it.
        destination: Destination,
    },
    /// Adds working directories.
    AddDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where to store them.
        destination: Destination,
    },
    /// Removes working directories.
    RemoveDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where they are stored.
        destination: Destination,
    },
}

/// A rule in two parts, as hosts send it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleValue {
    /// The tool.
    pub tool_name: String,
    /// The text in the parentheses, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
    /// What it was made from, and must match; saved with it.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

impl RuleValue {
    /// A rule such as `Bash(npm test)`, taken apart; `None` if it is not one.
    pub fn parse(rule: &str) -> Option<Self> {
        let (tool, content) = match rule.split_once('(') {
            Some((tool, content)) => (tool, Some(content.strip_suffix(')')?.to_owned())),
            None if rule.is_empty() => return None,
            None => (rule, None),
        };
        Some(Self { tool_name: tool.to_owned(), rule_content: content, examples: Vec::new() })
    }
}

impl PermissionUpdate {
    /// The change that adds these allow rules; `None` if one of them is not a rule.
    pub fn allow(rules: &[SuggestedRule], destination: Destination) -> Option<Self> {
        let value = |suggested: &SuggestedRule| {
            let examples = suggested.example.iter().cloned().collect();
            Some(RuleValue { examples, ..RuleValue::parse(&suggested.rule)? })
        };
        let rules = rules.iter().map(value).collect::<Option<Vec<_>>>()?;
        (!rules.is_empty()).then_some(PermissionUpdate::AddRules {
            rules,
            behavior: Behavior::Allow,
            destination,
        })
    }
}

impl fmt::Display for RuleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule_content {
            Some(content) => write!(f, "{}({content})", self.tool_name),
            None => f.write_str(&self.tool_name),
        }
    }
}

/// Where a change to the permissions is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// In this session only.
    Session,
    /// In the project, for this user only.
    LocalSettings,
    /// In the project, for everyone.
    ProjectSettings,
    /// In the user's settings.
    UserSettings,
    /// For this process only, like a command-line flag.
    CliArg,
}

impl PermissionUpdate {
    /// Where it is stored.
    pub fn destination(&self) -> Destination {
        match self {
            PermissionUpdate::AddRules { destination, .. }
            | PermissionUpdate::ReplaceRules { destination, .. }
            | PermissionUpdate::RemoveRules { destination, .. }
            | PermissionUpdate::SetMode { destination, .. }
            | PermissionUpdate::AddDirectories { destination, .. }
            | PermissionUpdate::RemoveDirectories { destination, .. } => *destination,
        }
    }
}

impl Destination {
    /// The source of rules that are stored there.
    pub fn source(self) -> Source {
        match self {
            Destination::Session => Source::Session,
            Destination::LocalSettings => Source::LocalSettings,
            Destination::ProjectSettings => Source::ProjectSettings,
            Destination::UserSettings => Source::UserSettings,
            Destination::CliArg => Source::CliArg,
        }
    }
}
