//! The permission modes, and which is wider.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much may be done without asking.
///
/// The order of the variants is the width: a subagent's mode is never greater than its parent's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads, read-only commands and the plan file; nothing else.
    Plan,
    /// What rules allow, and reads; what would ask is denied.
    DontAsk,
    /// Reads and provably read-only commands; the rest asks.
    #[default]
    Default,
    /// Also edits inside the working folders.
    AcceptEdits,
    /// Everything that the classifier allows.
    Auto,
    /// Everything but the walls.
    BypassPermissions,
}

/// A word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a permission mode; known are default, acceptEdits, plan, auto, dontAsk and bypassPermissions"
)]
pub struct UnknownMode(pub String);

impl Mode {
    /// All modes, narrowest first.
    pub const ALL: [Mode; 6] =
        [Mode::Plan, Mode::DontAsk, Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions];

    /// Whether nothing may be changed but the plan.
    pub fn is_plan(self) -> bool {
        self == Mode::Plan
    }

    /// The name used in settings, flags and journals.
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
        assert!("Plan".parse::<Mode>().is_err());
    }

    #[test]
    fn order_is_the_width_of_the_spec() {
        assert!(Mode::ALL.is_sorted());
    }
}
