//! How the permission system stands: the mode, what planning interrupted, and what is due to be said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Mode;

/// How the permission system stands. Changed by `permissions/src/transition.rs` alone, written to the journal whole.
///
/// Mode and interruption are private and go together: there is one while planning and none otherwise, and what was
/// interrupted was not planning. So no way of making one leads to anything else; a journal that says otherwise cannot be
/// read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Written")]
#[schemars(!try_from)]
pub struct Standing {
    /// The mode.
    mode: Mode,
    /// What planning interrupted; only while the mode is `plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted: Option<Interrupted>,
    /// The model is to be told once that planning is over.
    pub exit_reminder_due: bool,
    /// The model is to be told once that auto mode is over.
    pub auto_exit_reminder_due: bool,
    /// Plan mode was left and not yet entered again: coming back, the model is told that there is a plan.
    pub has_left_plan_mode: bool,
}

/// What planning interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Interrupted {
    /// The mode to go back to; never `plan`.
    pub before: Mode,
    /// What the classifier does meanwhile.
    pub judge: Judge,
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

impl Standing {
    /// In this mode, with nothing due. `plan` is as if it had been entered from `default`, without a classifier.
    pub fn at(mode: Mode) -> Self {
        Self::default().in_mode(mode)
    }

    /// The same in this mode. Planning that goes on keeps what it interrupted; planning that begins interrupts the mode
    /// of now, without a classifier ([`Standing::planning`] says otherwise).
    pub fn in_mode(self, mode: Mode) -> Self {
        match mode.is_plan() {
            true if self.is_planning() => self,
            true => self.planning(Interrupted { before: self.mode, judge: Judge::Never }),
            false => Self { mode, interrupted: None, ..self },
        }
    }

    /// The same while planning, with what that interrupted. Planning cannot interrupt itself; `default` stands for that.
    pub fn planning(self, interrupted: Interrupted) -> Self {
        let before = if interrupted.before.is_plan() { Mode::Default } else { interrupted.before };
        Self { mode: Mode::Plan, interrupted: Some(Interrupted { before, ..interrupted }), ..self }
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the mode is `plan`.
    pub fn is_planning(&self) -> bool {
        self.mode.is_plan()
    }

    /// What planning interrupted, while the mode is `plan`.
    pub fn interrupted(&self) -> Option<Interrupted> {
        self.interrupted
    }

    /// The mode that planning interrupted.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        self.interrupted.map(|it| it.before)
    }

    /// Whether the classifier is on. The one authority on that.
    pub fn classifier_on(&self) -> bool {
        self.mode == Mode::Auto || self.interrupted.is_some_and(|it| it.judge == Judge::Is)
    }
}

/// As it stands in a journal, before it is known to make sense.
#[derive(Deserialize)]
struct Written {
    mode: Mode,
    #[serde(default)]
    interrupted: Option<Interrupted>,
    exit_reminder_due: bool,
    auto_exit_reminder_due: bool,
    has_left_plan_mode: bool,
}

/// A standing that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("`interrupted` stands beside the mode `plan` and no other, and never names `plan`")]
struct Impossible;

impl TryFrom<Written> for Standing {
    type Error = Impossible;

    fn try_from(written: Written) -> Result<Self, Impossible> {
        let Written { mode, interrupted, exit_reminder_due, auto_exit_reminder_due, has_left_plan_mode } =
            written;
        let whole = mode.is_plan() == interrupted.is_some();
        if !whole || interrupted.is_some_and(|it| it.before.is_plan()) {
            return Err(Impossible);
        }
        Ok(Self { mode, interrupted, exit_reminder_due, auto_exit_reminder_due, has_left_plan_mode })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planning_and_what_it_interrupted_go_together() {
        for mode in Mode::ALL {
            let standing = Standing::at(mode);
            assert_eq!(standing.mode(), mode);
            assert_eq!(standing.interrupted().is_some(), standing.is_planning());
            for next in Mode::ALL {
                let then = standing.in_mode(next);
                assert_eq!(then.mode(), next);
                assert_eq!(then.interrupted().is_some(), next.is_plan());
                assert_ne!(then.pre_plan_mode(), Some(Mode::Plan));
            }
            let plans = standing.planning(Interrupted { before: mode, judge: Judge::Is });
            assert!(plans.is_planning() && plans.classifier_on());
            assert_ne!(plans.pre_plan_mode(), Some(Mode::Plan));
            for standing in [standing, plans] {
                let json = serde_json::to_string(&standing).unwrap();
                assert_eq!(serde_json::from_str::<Standing>(&json).unwrap(), standing);
            }
        }
    }

    #[test]
    fn a_journal_makes_no_standing_that_cannot_be() {
        let with = |mode: &str| {
            let due =
                r#""exit_reminder_due":false,"auto_exit_reminder_due":false,"has_left_plan_mode":false"#;
            serde_json::from_str::<Standing>(&format!("{{{mode},{due}}}")).is_ok()
        };
        assert!(with(r#""mode":"auto""#));
        assert!(with(r#""mode":"plan","interrupted":{"before":"default","judge":"never"}"#));
        assert!(!with(r#""mode":"plan""#));
        assert!(!with(r#""mode":"auto","interrupted":{"before":"default","judge":"never"}"#));
        assert!(!with(r#""mode":"plan","interrupted":{"before":"plan","judge":"never"}"#));
    }
}
