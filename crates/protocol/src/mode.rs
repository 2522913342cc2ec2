//! The permission modes, ordered by how much they allow.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nearest;

/// How much is allowed without asking.
///
/// The variants are ordered from most to least restrictive: a subagent's mode never allows more than its parent's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Allows reads, read-only commands, and edits to the plan file; nothing else.
    Plan,
    /// Allows reads and what rules allow; denies anything that would need approval.
    DontAsk,
    /// Allows reads and provably read-only commands; asks about everything else.
    #[default]
    Default,
    /// Also allows edits in the working directories.
    AcceptEdits,
    /// Allows everything that the classifier approves.
    Auto,
    /// Allows everything except what hits a wall.
    BypassPermissions,
}

/// A name that is not a mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown permission mode `{name}`{}", suggestion(.0), name = .0)]
pub struct UnknownMode(pub String);

/// The mode that was probably meant, or all of them.
fn suggestion(given: &str) -> String {
    match nearest(given, Mode::ALL.map(Mode::name)) {
        Some(near) => format!(". Did you mean `{near}`?"),
        None => "; use default, acceptEdits, plan, auto, dontAsk, or bypassPermissions".to_owned(),
    }
}

impl Mode {
    /// All modes, most restrictive first.
    pub const ALL: [Mode; 6] =
        [Mode::Plan, Mode::DontAsk, Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions];

    /// Whether only the plan can be changed.
    pub fn is_plan(self) -> bool {
        self == Mode::Plan
    }

    /// The name in settings, flags, and journals.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plan => "plan",
            Mode::DontAsk => "dontAsk",
            Mode::Default => "default",
            Mode::AcceptEdits => "acceptEdits",
            Mode::Auto => "auto",
            Mode::BypassPermissions => "bypassPermissions",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;
    fn from_str(word: &str) -> Result<Self, UnknownMode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == word).ok_or_else(|| UnknownMode(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_json_and_on_the_command_line() {
        for mode in Mode::ALL {
            assert_eq!(serde_json::to_string(&mode).unwrap(), format!("\"{mode}\""));
            assert_eq!(mode.name().parse::<Mode>(), Ok(mode));
        }
        for (word, expected) in
            [("Plan", "mean `plan`"), ("acceptedit", "mean `acceptEdits`"), ("warp", "use default,")]
        {
            let error = word.parse::<Mode>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn order_is_the_width_of_the_spec() {
        assert!(Mode::ALL.is_sorted());
    }
}
