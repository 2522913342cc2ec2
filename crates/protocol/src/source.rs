//! Where a setting or a rule came from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The eight places a rule can come from. The order of the variants is the order of display: later first.
///
/// Deny, ask and allow decide among rules, not the source. For single values (a mode, a number)
/// [`Source::weight`] says who wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// `settings.json` in the home folder of the program.
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
    /// A slash command's or skill's own grant, for its duration.
    Command,
    /// Approved for this session.
    Session,
}

impl Source {
    /// For single values: the greatest weight wins (policy, cli, flag, local, project, user).
    pub fn weight(self) -> u8 {
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
