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

use forelook_protocol::{Interrupted, Judge, Mode, NoticeLevel, ReminderKind, Standing};

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

impl Change {
    /// Planning begins: what every command, call and key that wants to plan asks for.
    pub const ENTER_PLAN: Change = Change::To(Mode::Plan);
}

/// What a change from one mode to another does to planning. Whatever follows from that asks here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// It begins.
    Begins,
    /// It ends.
    Ends,
    /// It goes on, or there is none.
    Stays,
}

impl Turning {
    /// From this mode to that one.
    pub fn between(from: Mode, to: Mode) -> Self {
        match (from.is_plan(), to.is_plan()) {
            (false, true) => Turning::Begins,
            (true, false) => Turning::Ends,
            (true, true) | (false, false) => Turning::Stays,
        }
    }
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
        Change::LeavePlan(target) => match now.interrupted() {
            Some(it) => Ok(leave_plan(now, target.unwrap_or(it.before), it.judge, conditions)),
            None => Err(NotChanged::NotPlanning(mode)),
        },
        Change::Resumed | Change::ConditionsChanged => Ok(settle(now, conditions)),
    }
}

/// What is still due once the model was told this. It depends on nothing but the standing, so that the fold of a
/// journal can use it: a reminder that stands in the journal was sent.
pub fn reminded(mut now: Standing, kind: &ReminderKind) -> Standing {
    match kind {
        ReminderKind::PlanModeExit { .. } => now.exit_reminder_due = false,
        // Where no plan exists there is nothing to say of an earlier one; the word that planning is on settles it too.
        ReminderKind::PlanModeReentry { .. } | ReminderKind::PlanMode { subagent: false, .. } => {
            now.has_left_plan_mode = false;
        }
        ReminderKind::AutoModeExit => now.auto_exit_reminder_due = false,
        ReminderKind::Hook
        | ReminderKind::PlanMode { .. }
        | ReminderKind::PlanFileReference { .. }
        | ReminderKind::ReadOnlyAgent
        | ReminderKind::ShellEnded { .. }
        | ReminderKind::FromBefore
        | ReminderKind::OwnLine { .. }
        | ReminderKind::ToolsChanged { .. } => {}
    }
    now
}

fn quiet(standing: Standing) -> Changed {
    Changed { standing, said: None }
}

fn to(now: &Standing, target: Mode, conditions: &Conditions) -> Result<Changed, NotChanged> {
    if target == now.mode() {
        return Ok(quiet(*now));
    }
    match (now.interrupted(), target) {
        (_, Mode::Plan) => Ok(quiet(enter_plan(now, conditions))),
        (Some(it), _) => Ok(leave_plan(now, target, it.judge, conditions)),
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
    let mut standing = now.in_mode(target);
    standing.auto_exit_reminder_due =
        target != Mode::Auto && (now.auto_exit_reminder_due || now.mode() == Mode::Auto);
    standing
}

fn enter_plan(now: &Standing, conditions: &Conditions) -> Standing {
    let before = now.mode();
    let judge = match before {
        Mode::BypassPermissions => Judge::Never,
        _ if conditions.plan_uses_auto() => Judge::Is,
        _ => Judge::Never,
    };
    let went_off = before == Mode::Auto && judge != Judge::Is;
    let mut standing = now.planning(Interrupted { before, judge });
    // A quick leave-and-return must not send both messages.
    standing.exit_reminder_due = false;
    standing.auto_exit_reminder_due = judge != Judge::Is && (now.auto_exit_reminder_due || went_off);
    standing
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
    let mut standing = now.in_mode(target);
    standing.exit_reminder_due = true;
    standing.auto_exit_reminder_due = target != Mode::Auto && (now.auto_exit_reminder_due || judged);
    standing.has_left_plan_mode = true;
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
    if let Some(interrupted) = now.interrupted() {
        return quiet(settle_plan(now, interrupted, conditions));
    }
    match now.mode() {
        Mode::Auto => match conditions.gate {
            Ok(()) => quiet(*now),
            Err(why) => lost(now, Mode::Auto, &why.to_string()),
        },
        Mode::BypassPermissions => match &conditions.bypass {
            Ok(()) => quiet(*now),
            Err(why) => lost(now, Mode::BypassPermissions, why),
        },
        Mode::Plan | Mode::DontAsk | Mode::Default | Mode::AcceptEdits => quiet(*now),
    }
}

fn settle_plan(now: &Standing, interrupted: Interrupted, conditions: &Conditions) -> Standing {
    let Interrupted { before, judge } = interrupted;
    let wanted = before != Mode::BypassPermissions && conditions.plan_uses_auto();
    let judge = match (judge, wanted) {
        (_, true) => Judge::Is,
        (Judge::Is, false) => Judge::Was,
        (judge, false) => judge,
    };
    let mut standing = now.planning(Interrupted { before, judge });
    // What is on again need not be said to be over.
    standing.auto_exit_reminder_due = now.auto_exit_reminder_due && judge != Judge::Is;
    standing
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
            let planning = go(&Standing::at(mode), Change::ENTER_PLAN, &conditions);
            assert_eq!(
                planning.interrupted(),
                Some(Interrupted { before: mode, judge }),
                "{mode} {uses_auto}"
            );
            assert_eq!(planning.auto_exit_reminder_due, reminder, "{mode} {uses_auto}");
            assert_eq!(go(&planning, Change::ENTER_PLAN, &conditions), planning);
        }
    }

    #[test]
    fn the_breaker_is_not_walked_round() {
        let planning = go(&Standing::at(Mode::Auto), Change::ENTER_PLAN, &conditions(true, true));
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
            assert!(transition(&Standing::at(Mode::Default), Change::To(mode), &closed).is_err());
            let changed = transition(&Standing::at(mode), Change::ConditionsChanged, &closed).unwrap();
            assert_eq!(changed.standing.mode(), Mode::Default);
            assert!(changed.said.is_some());
            assert_eq!(transition(&Standing::at(mode), Change::Resumed, &closed).unwrap(), changed);
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
                    prop_assert_eq!((after.mode(), after.interrupted()), (now.mode(), now.interrupted()));
                    prop_assert!(now.exit_reminder_due || !after.exit_reminder_due);
                    now = after;
                }
            }
        }
    }
}
