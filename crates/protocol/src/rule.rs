//! Words about rules: what they say, where they go, how they change.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Mode, Source};

/// What a rule says about what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// It may run.
    Allow,
    /// A person decides.
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

/// A change to the permissions, from a dialog, a hook or a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules {
        /// Which.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: Behavior,
        /// Where they go.
        destination: Destination,
    },
    /// Puts rules in the place of all of the same kind there.
    ReplaceRules {
        /// Which.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: Behavior,
        /// Where they go.
        destination: Destination,
    },
    /// Removes rules.
    RemoveRules {
        /// Which.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: Behavior,
        /// Where they are.
        destination: Destination,
    },
    /// Changes the mode.
    SetMode {
        /// To this.
        mode: Mode,
        /// Where it is kept.
        destination: Destination,
    },
    /// Adds working folders.
    AddDirectories {
        /// Which.
        directories: Vec<String>,
        /// Where they are kept.
        destination: Destination,
    },
    /// Removes working folders.
    RemoveDirectories {
        /// Which.
        directories: Vec<String>,
        /// Where they are kept.
        destination: Destination,
    },
}

/// A rule in the two pieces that hosts send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleValue {
    /// The tool.
    pub tool_name: String,
    /// What stands in the parentheses, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl PermissionUpdate {
    /// The change that adds an allow rule such as `Bash(npm test)`; nothing if that is no rule.
    pub fn allow(rule: &str, destination: Destination) -> Option<Self> {
        let value = match rule.split_once('(') {
            Some((tool, content)) => RuleValue {
                tool_name: tool.to_owned(),
                rule_content: Some(content.strip_suffix(')')?.to_owned()),
            },
            None => RuleValue { tool_name: rule.to_owned(), rule_content: None },
        };
        Some(PermissionUpdate::AddRules { rules: vec![value], behavior: Behavior::Allow, destination })
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

/// Where a change to the permissions is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// In this session only.
    Session,
    /// In the project, for this person.
    LocalSettings,
    /// In the project, for everybody.
    ProjectSettings,
    /// In the person's own settings.
    UserSettings,
    /// As if it had been given on the command line: for this process.
    CliArg,
}

impl PermissionUpdate {
    /// Where it is kept.
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
    /// The source that a rule kept there has.
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
