//! The state of the permission system: the mode, what plan mode interrupted, and pending reminders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Mode;

/// The state of the permission system. Only `permissions/src/transition.rs` changes it, and the journal always records
/// all of it.
///
/// `mode` and `pre_plan` are private because they belong together: `pre_plan` is set in plan mode and only then, and
/// its mode is never `plan`. No constructor can break this, and a journal that does cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawModeState")]
#[schemars(!try_from)]
pub struct ModeState {
    /// The mode.
    mode: Mode,
    /// What plan mode interrupted; present only while the mode is `plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_plan: Option<PrePlanState>,
    /// Whether the model must still be told that plan mode is off.
    pub exit_reminder_due: bool,
    /// Whether the model must still be told that auto mode is off.
    pub auto_exit_reminder_due: bool,
    /// Whether plan mode was left and not entered again yet. On the next entry, the model is told that there is a plan.
    pub has_left_plan_mode: bool,
}

/// What plan mode interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct PrePlanState {
    /// The mode to return to; never `plan`.
    pub mode: Mode,
    /// The state of the classifier in the meantime.
    pub classifier: ClassifierInPlan,
}

/// The state of the classifier during plan mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClassifierInPlan {
    /// It has not been on since plan mode started.
    NeverOn,
    /// It was on and is off again.
    TurnedOff,
    /// It is on.
    On,
}

impl ModeState {
    /// A state with this mode and no pending reminders. `plan` behaves as if it was entered from `default`, without a
    /// classifier.
    pub fn new(mode: Mode) -> Self {
        Self::default().with_mode(mode)
    }

    /// This state with another mode. If plan mode is already on, `plan` keeps what it interrupted; otherwise `plan`
    /// interrupts the current mode, without a classifier (use [`ModeState::with_pre_plan`] to set one).
    pub fn with_mode(self, mode: Mode) -> Self {
        match mode.is_plan() {
            true if self.is_planning() => self,
            true => {
                self.with_pre_plan(PrePlanState { mode: self.mode, classifier: ClassifierInPlan::NeverOn })
            }
            false => Self { mode, pre_plan: None, ..self },
        }
    }

    /// This state in plan mode, with what it interrupted. Plan mode cannot interrupt itself; `default` is used instead.
    pub fn with_pre_plan(self, pre_plan: PrePlanState) -> Self {
        let before = if pre_plan.mode.is_plan() { Mode::Default } else { pre_plan.mode };
        Self { mode: Mode::Plan, pre_plan: Some(PrePlanState { mode: before, ..pre_plan }), ..self }
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the mode is `plan`.
    pub fn is_planning(&self) -> bool {
        self.mode.is_plan()
    }

    /// What plan mode interrupted, while the mode is `plan`.
    pub fn pre_plan(&self) -> Option<PrePlanState> {
        self.pre_plan
    }

    /// The mode that plan mode interrupted.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        self.pre_plan.map(|it| it.mode)
    }

    /// Whether the classifier is on. Nothing else decides this.
    pub fn classifier_on(&self) -> bool {
        self.mode == Mode::Auto || self.pre_plan.is_some_and(|it| it.classifier == ClassifierInPlan::On)
    }
}

/// The state as read from a journal, before it is validated.
#[derive(Deserialize)]
struct RawModeState {
    mode: Mode,
    #[serde(default)]
    pre_plan: Option<PrePlanState>,
    exit_reminder_due: bool,
    auto_exit_reminder_due: bool,
    has_left_plan_mode: bool,
}

/// A mode state that cannot exist.
#[derive(Debug, thiserror::Error)]
#[error("`pre_plan` must be set exactly when the mode is `plan`, and must not name `plan` itself")]
struct InvalidModeState;

impl TryFrom<RawModeState> for ModeState {
    type Error = InvalidModeState;

    fn try_from(raw: RawModeState) -> Result<Self, InvalidModeState> {
        let RawModeState { mode, pre_plan, exit_reminder_due, auto_exit_reminder_due, has_left_plan_mode } =
            raw;
        let whole = mode.is_plan() == pre_plan.is_some();
        if !whole || pre_plan.is_some_and(|it| it.mode.is_plan()) {
            return Err(InvalidModeState);
        }
        Ok(Self { mode, pre_plan, exit_reminder_due, auto_exit_reminder_due, has_left_plan_mode })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planning_and_what_it_interrupted_go_together() {
        for mode in Mode::ALL {
            let mode_state = ModeState::new(mode);
            assert_eq!(mode_state.mode(), mode);
            assert_eq!(mode_state.pre_plan().is_some(), mode_state.is_planning());
            for next in Mode::ALL {
                let then = mode_state.with_mode(next);
                assert_eq!(then.mode(), next);
                assert_eq!(then.pre_plan().is_some(), next.is_plan());
                assert_ne!(then.pre_plan_mode(), Some(Mode::Plan));
            }
            let plans = mode_state.with_pre_plan(PrePlanState { mode, classifier: ClassifierInPlan::On });
            assert!(plans.is_planning() && plans.classifier_on());
            assert_ne!(plans.pre_plan_mode(), Some(Mode::Plan));
            for mode_state in [mode_state, plans] {
                let json = serde_json::to_string(&mode_state).unwrap();
                assert_eq!(serde_json::from_str::<ModeState>(&json).unwrap(), mode_state);
            }
        }
    }

    #[test]
    fn a_journal_makes_no_mode_state_that_cannot_be() {
        let with = |mode: &str| {
            let due =
                r#""exit_reminder_due":false,"auto_exit_reminder_due":false,"has_left_plan_mode":false"#;
            serde_json::from_str::<ModeState>(&format!("{{{mode},{due}}}")).is_ok()
        };
        assert!(with(r#""mode":"auto""#));
        assert!(with(r#""mode":"plan","pre_plan":{"mode":"default","classifier":"never_on"}"#));
        assert!(!with(r#""mode":"plan""#));
        assert!(!with(r#""mode":"auto","pre_plan":{"mode":"default","classifier":"never_on"}"#));
        assert!(!with(r#""mode":"plan","pre_plan":{"mode":"plan","classifier":"never_on"}"#));
    }
}
