//! Every change of mode, in one function.
//!
//! Entering plan mode from mode M, with P = "plan uses auto mode" (the gate is open and the setting wants it):
//!
//! | M | P | afterwards |
//! |---|---|---|
//! | plan | any | unchanged |
//! | auto | yes | the classifier stays on |
//! | auto | no | the classifier goes off; the model is to be told |
//! | default, acceptEdits, dontAsk | yes | the classifier goes on |
//! | bypassPermissions | any | the classifier stays off |
//! | any other | no | nothing but the mode changes |
//!
//! Leaving, whichever way, goes to the mode that was named, else to the one before planning. If that is `auto` and the
//! gate is closed it becomes `default`, so that leaving plan mode is no way round the breaker; the same holds for
//! `bypassPermissions` once that cannot be had any more. The whole table is walked in `docs/mode-transitions.md`.

use std::time::Duration;

use forelook_protocol::{Judge, Mode, NoticeLevel, Phase, ReminderKind, Standing};

use crate::breaker::GateClosed;
use crate::mode::next_in_cycle;

/// What a change of mode depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditions {
    /// Whether auto mode can be had.
    pub gate: Result<(), GateClosed>,
    /// Whether bypass can be had, or why not.
    pub bypass: Result<(), String>,
    /// The setting `useAutoModeDuringPlan`.
    pub auto_during_plan: bool,
    /// The order of Shift+Tab.
    pub cycle: Vec<Mode>,
}

impl Conditions {
    /// "Plan uses auto mode".
    fn plan_uses_auto(&self) -> bool {
        self.gate.is_ok() && self.auto_during_plan
    }
}

/// A change that somebody wants, or that has come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// To this mode, by name: a flag, `/mode`, `/plan`, a host.
    To(Mode),
    /// To the next in the cycle.
    Cycle,
    /// A review ended planning: to this mode, or back to the one before.
    LeavePlan(Option<Mode>),
    /// A subagent wants to plan.
    SubagentPlans,
    /// The session was loaded again.
    Resumed,
    /// The gate, a setting or a policy changed.
    ConditionsChanged,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// How things stand now.
    pub standing: Standing,
    /// What the person is told.
    pub said: Option<Said>,
}

/// Something the person is told about a change of mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Names it, so that a newer one can take its place on the screen.
    pub key: &'static str,
    /// How serious.
    pub level: NoticeLevel,
    /// How long it stays.
    pub stays: Duration,
    /// The words.
    pub text: String,
}

/// A change that was not made; everything stands as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotChanged {
    /// Auto mode cannot be had.
    #[error("Mode `auto` is not available: {0}")]
    Gate(#[from] GateClosed),
    /// Bypass cannot be had.
    #[error("Mode `bypassPermissions` is not available: {0}")]
    Bypass(String),
    /// Only the main agent plans.
    #[error("A subagent cannot enter plan mode; it has its parent's mode")]
    Subagent,
    /// There is nothing to leave.
    #[error("Plan mode is not on; the mode is `{0}`")]
    NotPlanning(Mode),
}

/// Makes a change, or says why not.
pub fn transition(now: &Standing, change: Change, conditions: &Conditions) -> Result<Changed, NotChanged> {
    let mode = now.mode();
    match change {
        Change::SubagentPlans => Err(NotChanged::Subagent),
        Change::Cycle => to(now, next_in_cycle(mode, &conditions.cycle, conditions), conditions),
        Change::To(target) => to(now, target, conditions),
        Change::LeavePlan(target) => match now.phase {
            Phase::Plan { before, judge } => Ok(leave_plan(now, target.unwrap_or(before), judge, conditions)),
            _ => Err(NotChanged::NotPlanning(mode)),
        },
        Change::Resumed | Change::ConditionsChanged => Ok(settle(now, conditions)),
    }
}

/// What is still due once the model was told this. It depends on nothing but the standing, so that the fold of a
/// journal can use it: a reminder that stands in the journal was sent.
pub fn reminded(now: Standing, kind: &ReminderKind) -> Standing {
    match kind {
        ReminderKind::PlanModeExit { .. } => Standing { exit_reminder_due: false, ..now },
        // Where no plan exists there is nothing to say of an earlier one; the word that planning is on settles it too.
        ReminderKind::PlanModeReentry { .. } | ReminderKind::PlanMode { subagent: false, .. } => {
            Standing { has_left_plan_mode: false, ..now }
        }
        ReminderKind::AutoModeExit => Standing { auto_exit_reminder_due: false, ..now },
        ReminderKind::Hook
        | ReminderKind::PlanMode { .. }
        | ReminderKind::PlanFileReference { .. }
        | ReminderKind::ReadOnlyAgent
        | ReminderKind::ShellEnded { .. }
        | ReminderKind::FromBefore
        | ReminderKind::OwnLine { .. } => now,
    }
}

fn quiet(standing: Standing) -> Changed {
    Changed { standing, said: None }
}

fn to(now: &Standing, target: Mode, conditions: &Conditions) -> Result<Changed, NotChanged> {
    if target == now.mode() {
        return Ok(quiet(*now));
    }
    match (now.phase, target) {
        (_, Mode::Plan) => Ok(quiet(enter_plan(now, conditions))),
        (Phase::Plan { judge, .. }, _) => Ok(leave_plan(now, target, judge, conditions)),
        (_, Mode::Auto) => {
            conditions.gate?;
            Ok(quiet(stand(now, target)))
        }
        (_, Mode::BypassPermissions) => {
            conditions.bypass.clone().map_err(NotChanged::Bypass)?;
            Ok(quiet(stand(now, target)))
        }
        _ => Ok(quiet(stand(now, target))),
    }
}

/// A mode that is not `plan`, with the reminder that leaving `auto` makes due.
fn stand(now: &Standing, target: Mode) -> Standing {
    let left_auto = now.phase == Phase::Auto && target != Mode::Auto;
    let auto_exit_reminder_due = target != Mode::Auto && (now.auto_exit_reminder_due || left_auto);
    Standing { phase: Phase::of(target).unwrap_or(Phase::Default), auto_exit_reminder_due, ..*now }
}

fn enter_plan(now: &Standing, conditions: &Conditions) -> Standing {
    let before = now.mode();
    let judge = match before {
        Mode::BypassPermissions | Mode::Plan => Judge::Never,
        _ if conditions.plan_uses_auto() => Judge::Is,
        _ => Judge::Never,
    };
    let went_off = before == Mode::Auto && judge != Judge::Is;
    Standing {
        phase: Phase::Plan { before, judge },
        // A quick leave-and-return must not send both messages.
        exit_reminder_due: false,
        auto_exit_reminder_due: judge != Judge::Is && (now.auto_exit_reminder_due || went_off),
        ..*now
    }
}

fn leave_plan(now: &Standing, target: Mode, judge: Judge, conditions: &Conditions) -> Changed {
    let (target, said) = match (target, conditions.gate, &conditions.bypass) {
        (Mode::Auto, Err(why), _) => (Mode::Default, Some(fallback(&why.to_string(), Mode::Auto))),
        (Mode::BypassPermissions, _, Err(why)) => {
            (Mode::Default, Some(fallback(why, Mode::BypassPermissions)))
        }
        // `plan` to leave plan mode for is no answer; the safest is.
        (Mode::Plan, ..) => (Mode::Default, None),
        (target, ..) => (target, None),
    };
    let judged = judge != Judge::Never;
    let standing = Standing {
        phase: Phase::of(target).unwrap_or(Phase::Default),
        exit_reminder_due: true,
        auto_exit_reminder_due: target != Mode::Auto && (now.auto_exit_reminder_due || judged),
        has_left_plan_mode: true,
    };
    Changed { standing, said }
}

fn fallback(why: &str, wanted: Mode) -> Said {
    Said {
        key: "auto-mode-gate-plan-exit-fallback",
        level: NoticeLevel::Warning,
        stays: Duration::from_secs(10),
        text: format!("Plan mode was left for `default`, not `{wanted}`: {why}"),
    }
}

/// What the present conditions make of how things stand.
fn settle(now: &Standing, conditions: &Conditions) -> Changed {
    match now.phase {
        Phase::Auto => match conditions.gate {
            Ok(()) => quiet(*now),
            Err(why) => lost(now, Mode::Auto, &why.to_string()),
        },
        Phase::BypassPermissions => match &conditions.bypass {
            Ok(()) => quiet(*now),
            Err(why) => lost(now, Mode::BypassPermissions, why),
        },
        Phase::Plan { before, judge } => quiet(settle_plan(now, before, judge, conditions)),
        Phase::DontAsk | Phase::Default | Phase::AcceptEdits => quiet(*now),
    }
}

fn settle_plan(now: &Standing, before: Mode, judge: Judge, conditions: &Conditions) -> Standing {
    let wanted = before != Mode::BypassPermissions && conditions.plan_uses_auto();
    let judge = match (judge, wanted) {
        (_, true) => Judge::Is,
        (Judge::Is, false) => Judge::Was,
        (judge, false) => judge,
    };
    // What is on again need not be said to be over.
    let auto_exit_reminder_due = now.auto_exit_reminder_due && judge != Judge::Is;
    Standing { phase: Phase::Plan { before, judge }, auto_exit_reminder_due, ..*now }
}

fn lost(now: &Standing, mode: Mode, why: &str) -> Changed {
    let said = Said {
        key: "mode-lost",
        level: NoticeLevel::Warning,
        stays: Duration::from_secs(10),
        text: format!("The mode is `default` now, not `{mode}`: {why}"),
    };
    Changed { standing: stand(now, Mode::Default), said: Some(said) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::mode::CYCLE;
    use proptest::prelude::*;

    pub(crate) fn conditions(gate: bool, bypass: bool) -> Conditions {
        Conditions {
            gate: if gate { Ok(()) } else { Err(GateClosed::Breaker) },
            bypass: if bypass { Ok(()) } else { Err("no".into()) },
            auto_during_plan: true,
            cycle: CYCLE.to_vec(),
        }
    }

    fn at(mode: Mode) -> Standing {
        Standing { phase: Phase::of(mode).unwrap(), ..Standing::default() }
    }

    fn go(now: &Standing, change: Change, conditions: &Conditions) -> Standing {
        transition(now, change, conditions).unwrap().standing
    }

    #[test]
    fn entering_row_by_row() {
        use Mode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk};
        for (mode, uses_auto, judge, reminder) in [
            (Auto, true, Judge::Is, false),
            (Auto, false, Judge::Never, true),
            (Default, true, Judge::Is, false),
            (AcceptEdits, true, Judge::Is, false),
            (DontAsk, true, Judge::Is, false),
            (BypassPermissions, true, Judge::Never, false),
            (Default, false, Judge::Never, false),
            (BypassPermissions, false, Judge::Never, false),
        ] {
            let conditions = Conditions { auto_during_plan: uses_auto, ..conditions(true, true) };
            let planning = go(&at(mode), Change::To(Mode::Plan), &conditions);
            assert_eq!(planning.phase, Phase::Plan { before: mode, judge }, "{mode} {uses_auto}");
            assert_eq!(planning.auto_exit_reminder_due, reminder, "{mode} {uses_auto}");
            assert_eq!(go(&planning, Change::To(Mode::Plan), &conditions), planning);
        }
    }

    #[test]
    fn the_breaker_is_not_walked_round() {
        let planning = go(&at(Mode::Auto), Change::To(Mode::Plan), &conditions(true, true));
        for change in [Change::LeavePlan(None), Change::LeavePlan(Some(Mode::Auto)), Change::To(Mode::Auto)] {
            let changed = transition(&planning, change, &conditions(false, true)).unwrap();
            assert_eq!(changed.standing.mode(), Mode::Default);
            let said = changed.said.unwrap();
            assert_eq!((said.key, said.stays.as_secs()), ("auto-mode-gate-plan-exit-fallback", 10));
        }
    }

    #[test]
    fn a_mode_that_cannot_be_had_is_refused_outside_of_planning() {
        let closed = conditions(false, false);
        for mode in [Mode::Auto, Mode::BypassPermissions] {
            assert!(transition(&at(Mode::Default), Change::To(mode), &closed).is_err());
            let changed = transition(&at(mode), Change::ConditionsChanged, &closed).unwrap();
            assert_eq!(changed.standing.mode(), Mode::Default);
            assert!(changed.said.is_some());
            assert_eq!(transition(&at(mode), Change::Resumed, &closed).unwrap(), changed);
        }
    }

    fn any_change() -> impl Strategy<Value = Change> {
        let mode = || proptest::sample::select(Mode::ALL.to_vec());
        prop_oneof![
            mode().prop_map(Change::To),
            Just(Change::Cycle),
            proptest::option::of(mode()).prop_map(Change::LeavePlan),
            Just(Change::SubagentPlans),
            Just(Change::Resumed),
            Just(Change::ConditionsChanged),
        ]
    }

    fn any_reminder() -> impl Strategy<Value = ReminderKind> {
        let path = || forelook_protocol::AbsPath::new("/p.md").unwrap();
        prop_oneof![
            Just(ReminderKind::PlanModeExit { path: path(), exists: true }),
            Just(ReminderKind::PlanModeReentry { path: path() }),
            Just(ReminderKind::AutoModeExit),
            Just(ReminderKind::Hook),
        ]
    }

    proptest! {
        /// All that `plan-mode.md` wants to hold over any sequence of changes, gate flips and settings changes.
        #[test]
        fn the_laws_hold(
            steps in proptest::collection::vec(
                (any_change(), any::<[bool; 3]>(), proptest::option::of(any_reminder())),
                1..60,
            )
        ) {
            let mut now = Standing::default();
            let mut before_plan = None;
            for (change, [gate, bypass, during_plan], told) in steps {
                let conditions = Conditions { auto_during_plan: during_plan, ..conditions(gate, bypass) };
                // The engine settles whenever conditions change; a change meets settled ground.
                now = go(&now, Change::ConditionsChanged, &conditions);
                let was = now;
                match transition(&now, change, &conditions) {
                    Ok(changed) => now = changed.standing,
                    Err(_) => prop_assert!(!matches!(change, Change::Cycle | Change::Resumed | Change::ConditionsChanged)),
                }
                if was.mode() != Mode::Plan && now.mode() == Mode::Plan {
                    before_plan = Some(was.mode());
                    prop_assert!(change != Change::SubagentPlans);
                    prop_assert!(!now.exit_reminder_due);
                }
                prop_assert_eq!(now.pre_plan_mode().is_some(), now.mode() == Mode::Plan);
                if now.mode() == Mode::Plan {
                    prop_assert_eq!(now.pre_plan_mode(), before_plan);
                    prop_assert_ne!(now.pre_plan_mode(), Some(Mode::Plan));
                }
                if was.mode() == Mode::Plan && now.mode() != Mode::Plan {
                    let chosen = match change {
                        Change::To(mode) => Some(mode),
                        Change::Cycle => Some(next_in_cycle(Mode::Plan, &CYCLE, &conditions)),
                        Change::LeavePlan(mode) => mode.or(before_plan),
                        _ => None,
                    };
                    let fell = now.mode() == Mode::Default;
                    prop_assert!(Some(now.mode()) == chosen || fell, "{:?} led to {:?}", change, now);
                    prop_assert!(now.exit_reminder_due && now.has_left_plan_mode);
                }
                let from_bypass = now.pre_plan_mode() == Some(Mode::BypassPermissions);
                let may_judge = now.mode() == Mode::Auto
                    || (now.mode() == Mode::Plan && conditions.plan_uses_auto() && !from_bypass);
                prop_assert_eq!(now.classifier_on(), may_judge);
                prop_assert!(!(now.mode() == Mode::Plan && now.exit_reminder_due));
                prop_assert!(!(now.classifier_on() && now.auto_exit_reminder_due));
                prop_assert!(now.mode() != Mode::Auto || gate);
                // Being told changes nothing but what is due.
                if let Some(kind) = told {
                    let after = reminded(now, &kind);
                    prop_assert_eq!(after.phase, now.phase);
                    prop_assert!(now.exit_reminder_due || !after.exit_reminder_due);
                    now = after;
                }
            }
        }
    }
}
