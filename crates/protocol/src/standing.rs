//! How the permission system stands: the mode, what planning interrupted, and what is due to be said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Mode;

/// How the permission system stands. Changed by `permissions/src/transition.rs` alone, written to the journal whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The mode, with what belongs to it.
    pub phase: Phase,
    /// The model is to be told once that planning is over.
    pub exit_reminder_due: bool,
    /// The model is to be told once that auto mode is over.
    pub auto_exit_reminder_due: bool,
    /// Plan mode was left and not yet entered again: coming back, the model is told that there is a plan.
    pub has_left_plan_mode: bool,
}

/// The mode, with what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "camelCase")]
pub enum Phase {
    /// `plan`.
    Plan {
        /// The mode to go back to; never `plan`.
        before: Mode,
        /// What the classifier does meanwhile.
        judge: Judge,
    },
    /// `dontAsk`.
    DontAsk,
    /// `default`.
    Default,
    /// `acceptEdits`.
    AcceptEdits,
    /// `auto`: the classifier is on.
    Auto,
    /// `bypassPermissions`.
    BypassPermissions,
}

/// The classifier while planning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// It was never on since planning began.
    Never,
    /// It was on, and is off again.
    Was,
    /// It is on.
    Is,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            phase: Phase::Default,
            exit_reminder_due: false,
            auto_exit_reminder_due: false,
            has_left_plan_mode: false,
        }
    }
}

impl Standing {
    /// The mode.
    pub fn mode(&self) -> Mode {
        self.phase.mode()
    }

    /// The mode that planning interrupted.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        match self.phase {
            Phase::Plan { before, .. } => Some(before),
            _ => None,
        }
    }

    /// Whether the classifier is on. The one authority on that.
    pub fn classifier_on(&self) -> bool {
        matches!(self.phase, Phase::Auto | Phase::Plan { judge: Judge::Is, .. })
    }
}

impl Phase {
    /// The mode.
    pub fn mode(self) -> Mode {
        match self {
            Phase::Plan { .. } => Mode::Plan,
            Phase::DontAsk => Mode::DontAsk,
            Phase::Default => Mode::Default,
            Phase::AcceptEdits => Mode::AcceptEdits,
            Phase::Auto => Mode::Auto,
            Phase::BypassPermissions => Mode::BypassPermissions,
        }
    }

    /// The phase of a mode that carries nothing; nothing for `plan`.
    pub fn of(mode: Mode) -> Option<Self> {
        Some(match mode {
            Mode::Plan => return None,
            Mode::DontAsk => Phase::DontAsk,
            Mode::Default => Phase::Default,
            Mode::AcceptEdits => Phase::AcceptEdits,
            Mode::Auto => Phase::Auto,
            Mode::BypassPermissions => Phase::BypassPermissions,
        })
    }
}
