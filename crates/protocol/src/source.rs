//! Where a setting or rule came from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The eight places a rule can come from. Lists show the variants in reverse order, last first.
///
/// For rules, the effect (deny, ask, or allow) decides, not the source. For single values (a mode, a number),
/// [`Source::precedence`] decides which source wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// `settings.json` in Forelook's home folder.
    UserSettings,
    /// `.forelook/settings.json` in the project.
    ProjectSettings,
    /// `.forelook/settings.local.json` in the project.
    LocalSettings,
    /// The file or text given with `--settings`.
    FlagSettings,
    /// The administrator's file.
    PolicySettings,
    /// A flag on the command line.
    CliArg,
    /// Granted by a slash command or skill, while it runs.
    Command,
    /// Approved for this session.
    Session,
}

impl Source {
    /// The precedence for single values: the highest wins (policy, cli, flag, local, project, user).
    pub fn precedence(self) -> u8 {
        match self {
            Source::UserSettings => 0,
            Source::ProjectSettings => 1,
            Source::LocalSettings => 2,
            Source::FlagSettings => 3,
            Source::Command | Source::Session => 4,
            Source::CliArg => 5,
            Source::PolicySettings => 6,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::UserSettings => "user settings",
            Source::ProjectSettings => "project settings",
            Source::LocalSettings => "local settings",
            Source::FlagSettings => "--settings",
            Source::PolicySettings => "managed settings",
            Source::CliArg => "command line",
            Source::Command => "command",
            Source::Session => "session",
        })
    }
}
