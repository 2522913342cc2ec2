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
//! gate is closed it becomes `default`, so that leaving plan mode is no way around the breaker; the same holds for
//! `bypassPermissions` once that is not available anymore. `docs/mode-transitions.md` has the whole table.

use std::time::Duration;

use forelook_protocol::{ClassifierInPlan, Mode, ModeState, NoticeLevel, PrePlanState, ReminderKind};

use crate::breaker::GateClosed;
use crate::mode::next_in_cycle;

/// What a change of mode depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeConditions {
    /// Whether auto mode is available.
    pub gate: Result<(), GateClosed>,
    /// Whether bypass is available, or why not.
    pub bypass: Result<(), String>,
    /// The setting `useAutoModeDuringPlan`.
    pub auto_during_plan: bool,
    /// The order of Shift+Tab.
    pub cycle: Vec<Mode>,
}

impl ModeConditions {
    /// "Plan uses auto mode".
    fn plan_uses_auto(&self) -> bool {
        self.gate.is_ok() && self.auto_during_plan
    }
}

/// A requested change of mode, or an event that can cause one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeTrigger {
    /// To this mode, by name: a flag, `/mode`, `/plan`, a host.
    To(Mode),
    /// To the next in the cycle.
    Cycle,
    /// A review ended planning: to this mode, or back to the one before.
    LeavePlan(Option<Mode>),
    /// A plan was approved while planning is not on: to this mode, by name.
    Approved(Mode),
    /// A subagent wants to plan.
    SubagentEntersPlan,
    /// The session was loaded again.
    Resumed,
    /// The gate, a setting or a policy changed.
    ConditionsChanged,
}

impl ModeTrigger {
    /// Planning begins: what every command, call and key that wants to plan asks for.
    pub const ENTER_PLAN: ModeTrigger = ModeTrigger::To(Mode::Plan);
}

/// What a change from one mode to another means for planning. All code that depends on it asks here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanTransition {
    /// It begins.
    Enters,
    /// It ends.
    Leaves,
    /// It continues, or there is none.
    Unchanged,
}

impl PlanTransition {
    /// From this mode to that one.
    pub fn between(from: Mode, to: Mode) -> Self {
        match (from.is_plan(), to.is_plan()) {
            (false, true) => PlanTransition::Enters,
            (true, false) => PlanTransition::Leaves,
            (true, true) | (false, false) => PlanTransition::Unchanged,
        }
    }
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeTransition {
    /// The new mode state.
    pub mode_state: ModeState,
    /// What the user is told.
    pub notice: Option<ModeNotice>,
}

/// Something the user is told about a change of mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeNotice {
    /// Identifies it, so that a newer one can replace it on the screen.
    pub key: &'static str,
    /// How serious.
    pub level: NoticeLevel,
    /// How long it stays.
    pub duration: Duration,
    /// The text.
    pub text: String,
}

/// A change that was not made; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransitionError {
    /// Auto mode is not available.
    #[error("Mode `auto` is not available: {0}")]
    Gate(#[from] GateClosed),
    /// Bypass is not available.
    #[error("Mode `bypassPermissions` is not available: {0}")]
    Bypass(String),
    /// Only the main agent plans.
    #[error("A subagent cannot enter plan mode; it uses its parent's mode")]
    Subagent,
    /// There is nothing to exit.
    #[error("Plan mode is not on; the mode is `{0}`")]
    NotPlanning(Mode),
}

/// Makes a change, or says why not.
pub fn transition(
    now: &ModeState,
    change: ModeTrigger,
    conditions: &ModeConditions,
) -> Result<ModeTransition, TransitionError> {
    let mode = now.mode();
    match change {
        ModeTrigger::SubagentEntersPlan => Err(TransitionError::Subagent),
        ModeTrigger::Cycle => change_to(now, next_in_cycle(mode, &conditions.cycle, conditions), conditions),
        ModeTrigger::To(target) => change_to(now, target, conditions),
        ModeTrigger::LeavePlan(target) => match now.pre_plan() {
            Some(it) => Ok(leave_plan(now, target.unwrap_or(it.mode), it.classifier, conditions)),
            None => Err(TransitionError::NotPlanning(mode)),
        },
        ModeTrigger::Approved(target) => approved(now, target, conditions),
        ModeTrigger::Resumed | ModeTrigger::ConditionsChanged => Ok(revalidate(now, conditions)),
    }
}

/// What is still due after the model got this reminder. It depends only on the mode state, so that folding a journal can
/// use it: a reminder in the journal was sent.
pub fn after_reminder(mut now: ModeState, kind: &ReminderKind) -> ModeState {
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
        | ReminderKind::Todos { .. }
        | ReminderKind::SessionState
        | ReminderKind::ReadOnlyAgent
        | ReminderKind::EmptyAnswer
        | ReminderKind::ShellEnded { .. }
        | ReminderKind::PrePlanProcesses
        | ReminderKind::UserShell { .. }
        | ReminderKind::ToolsChanged { .. } => {}
    }
    now
}

fn without_notice(mode_state: ModeState) -> ModeTransition {
    ModeTransition { mode_state, notice: None }
}

fn change_to(
    now: &ModeState,
    target: Mode,
    conditions: &ModeConditions,
) -> Result<ModeTransition, TransitionError> {
    if target == now.mode() {
        return Ok(without_notice(*now));
    }
    match (now.pre_plan(), target) {
        (_, Mode::Plan) => Ok(without_notice(enter_plan(now, conditions))),
        (Some(it), _) => Ok(leave_plan(now, target, it.classifier, conditions)),
        (_, Mode::Auto) => {
            conditions.gate?;
            Ok(without_notice(switch_mode(now, target)))
        }
        (_, Mode::BypassPermissions) => {
            conditions.bypass.clone().map_err(TransitionError::Bypass)?;
            Ok(without_notice(switch_mode(now, target)))
        }
        _ => Ok(without_notice(switch_mode(now, target))),
    }
}

/// Where an approval leads that ends no planning. As there, a mode that cannot be had becomes `default`: the yes was to
/// the plan, and counts.
fn approved(
    now: &ModeState,
    target: Mode,
    conditions: &ModeConditions,
) -> Result<ModeTransition, TransitionError> {
    let Some(why) = why_not_after_approval(target, conditions) else {
        return change_to(now, target, conditions);
    };
    let changed = change_to(now, Mode::Default, conditions)?;
    let notice = fallback(format!("Switched to `default`; `{target}` is not available: {why}"));
    Ok(ModeTransition { notice: Some(notice), ..changed })
}

/// Why an approval cannot lead to this mode, if it cannot.
fn why_not_after_approval(target: Mode, conditions: &ModeConditions) -> Option<String> {
    match target {
        // `plan` to leave plan mode for is no answer; the safest is.
        Mode::Plan => Some("the plan is approved".to_owned()),
        target => conditions.available(target).err(),
    }
}

/// A mode that is not `plan`, with the reminder that leaving `auto` makes due.
fn switch_mode(now: &ModeState, target: Mode) -> ModeState {
    let mut mode_state = now.with_mode(target);
    mode_state.auto_exit_reminder_due =
        target != Mode::Auto && (now.auto_exit_reminder_due || now.mode() == Mode::Auto);
    mode_state
}

fn enter_plan(now: &ModeState, conditions: &ModeConditions) -> ModeState {
    let before = now.mode();
    let classifier = match before {
        Mode::BypassPermissions => ClassifierInPlan::NeverOn,
        _ if conditions.plan_uses_auto() => ClassifierInPlan::On,
        _ => ClassifierInPlan::NeverOn,
    };
    let went_off = before == Mode::Auto && classifier != ClassifierInPlan::On;
    let mut mode_state = now.with_pre_plan(PrePlanState { mode: before, classifier });
    // A quick leave-and-return must not send both messages.
    mode_state.exit_reminder_due = false;
    mode_state.auto_exit_reminder_due =
        classifier != ClassifierInPlan::On && (now.auto_exit_reminder_due || went_off);
    mode_state
}

fn leave_plan(
    now: &ModeState,
    target: Mode,
    classifier: ClassifierInPlan,
    conditions: &ModeConditions,
) -> ModeTransition {
    let (target, notice) = match why_not_after_approval(target, conditions) {
        Some(why) => {
            let text = format!("Switched from plan mode to `default`; `{target}` is not available: {why}");
            (Mode::Default, Some(fallback(text)))
        }
        None => (target, None),
    };
    let was_on = classifier != ClassifierInPlan::NeverOn;
    let mut mode_state = now.with_mode(target);
    mode_state.exit_reminder_due = true;
    mode_state.auto_exit_reminder_due = target != Mode::Auto && (now.auto_exit_reminder_due || was_on);
    mode_state.has_left_plan_mode = true;
    ModeTransition { mode_state, notice }
}

fn fallback(text: String) -> ModeNotice {
    ModeNotice {
        key: "auto-mode-gate-plan-exit-fallback",
        level: NoticeLevel::Warning,
        duration: Duration::from_secs(10),
        text,
    }
}

/// The mode state after checking it against the current conditions.
fn revalidate(now: &ModeState, conditions: &ModeConditions) -> ModeTransition {
    if let Some(pre_plan) = now.pre_plan() {
        return without_notice(revalidate_plan(now, pre_plan, conditions));
    }
    match conditions.available(now.mode()) {
        Ok(()) => without_notice(*now),
        Err(why) => mode_lost(now, now.mode(), &why),
    }
}

fn revalidate_plan(now: &ModeState, pre_plan: PrePlanState, conditions: &ModeConditions) -> ModeState {
    let PrePlanState { mode: before, classifier } = pre_plan;
    let wanted = before != Mode::BypassPermissions && conditions.plan_uses_auto();
    let classifier = match (classifier, wanted) {
        (_, true) => ClassifierInPlan::On,
        (ClassifierInPlan::On, false) => ClassifierInPlan::TurnedOff,
        (classifier, false) => classifier,
    };
    let mut mode_state = now.with_pre_plan(PrePlanState { mode: before, classifier });
    // What is on again need not be said to be over.
    mode_state.auto_exit_reminder_due = now.auto_exit_reminder_due && classifier != ClassifierInPlan::On;
    mode_state
}

fn mode_lost(now: &ModeState, mode: Mode, why: &str) -> ModeTransition {
    let notice = ModeNotice {
        key: "mode-lost",
        level: NoticeLevel::Warning,
        duration: Duration::from_secs(10),
        text: format!("Switched to mode `default`; `{mode}` is no longer available: {why}"),
    };
    ModeTransition { mode_state: switch_mode(now, Mode::Default), notice: Some(notice) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::mode::CYCLE;
    use proptest::prelude::*;

    pub(crate) fn conditions(gate: bool, bypass: bool) -> ModeConditions {
        ModeConditions {
            gate: if gate { Ok(()) } else { Err(GateClosed::Breaker) },
            bypass: if bypass { Ok(()) } else { Err("no".into()) },
            auto_during_plan: true,
            cycle: CYCLE.to_vec(),
        }
    }

    fn go(now: &ModeState, change: ModeTrigger, conditions: &ModeConditions) -> ModeState {
        transition(now, change, conditions).unwrap().mode_state
    }

    #[test]
    fn entering_row_by_row() {
        use Mode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk};
        for (mode, uses_auto, classifier, reminder) in [
            (Auto, true, ClassifierInPlan::On, false),
            (Auto, false, ClassifierInPlan::NeverOn, true),
            (Default, true, ClassifierInPlan::On, false),
            (AcceptEdits, true, ClassifierInPlan::On, false),
            (DontAsk, true, ClassifierInPlan::On, false),
            (BypassPermissions, true, ClassifierInPlan::NeverOn, false),
            (Default, false, ClassifierInPlan::NeverOn, false),
            (BypassPermissions, false, ClassifierInPlan::NeverOn, false),
        ] {
            let conditions = ModeConditions { auto_during_plan: uses_auto, ..conditions(true, true) };
            let planning = go(&ModeState::new(mode), ModeTrigger::ENTER_PLAN, &conditions);
            assert_eq!(planning.pre_plan(), Some(PrePlanState { mode, classifier }), "{mode} {uses_auto}");
            assert_eq!(planning.auto_exit_reminder_due, reminder, "{mode} {uses_auto}");
            assert_eq!(go(&planning, ModeTrigger::ENTER_PLAN, &conditions), planning);
        }
    }

    #[test]
    fn the_breaker_is_not_walked_round() {
        let planning = go(&ModeState::new(Mode::Auto), ModeTrigger::ENTER_PLAN, &conditions(true, true));
        for change in [
            ModeTrigger::LeavePlan(None),
            ModeTrigger::LeavePlan(Some(Mode::Auto)),
            ModeTrigger::To(Mode::Auto),
        ] {
            let changed = transition(&planning, change, &conditions(false, true)).unwrap();
            assert_eq!(changed.mode_state.mode(), Mode::Default);
            let notice = changed.notice.unwrap();
            assert_eq!((notice.key, notice.duration.as_secs()), ("auto-mode-gate-plan-exit-fallback", 10));
        }
    }

    #[test]
    fn a_mode_that_cannot_be_had_is_refused_outside_of_planning() {
        let closed = conditions(false, false);
        for mode in [Mode::Auto, Mode::BypassPermissions] {
            assert!(transition(&ModeState::new(Mode::Default), ModeTrigger::To(mode), &closed).is_err());
            let changed = transition(&ModeState::new(mode), ModeTrigger::ConditionsChanged, &closed).unwrap();
            assert_eq!(changed.mode_state.mode(), Mode::Default);
            assert!(changed.notice.is_some());
            assert_eq!(transition(&ModeState::new(mode), ModeTrigger::Resumed, &closed).unwrap(), changed);
        }
    }

    fn any_change() -> impl Strategy<Value = ModeTrigger> {
        let mode = || proptest::sample::select(Mode::ALL.to_vec());
        prop_oneof![
            mode().prop_map(ModeTrigger::To),
            Just(ModeTrigger::Cycle),
            proptest::option::of(mode()).prop_map(ModeTrigger::LeavePlan),
            Just(ModeTrigger::SubagentEntersPlan),
            Just(ModeTrigger::Resumed),
            Just(ModeTrigger::ConditionsChanged),
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
            let mut now = ModeState::default();
            let mut before_plan = None;
            for (change, [gate, bypass, during_plan], told) in steps {
                let conditions = ModeConditions { auto_during_plan: during_plan, ..conditions(gate, bypass) };
                // The engine settles whenever conditions change; a change meets settled ground.
                now = go(&now, ModeTrigger::ConditionsChanged, &conditions);
                let was = now;
                match transition(&now, change, &conditions) {
                    Ok(changed) => now = changed.mode_state,
                    Err(_) => prop_assert!(!matches!(change, ModeTrigger::Cycle | ModeTrigger::Resumed | ModeTrigger::ConditionsChanged)),
                }
                if was.mode() != Mode::Plan && now.mode() == Mode::Plan {
                    before_plan = Some(was.mode());
                    prop_assert!(change != ModeTrigger::SubagentEntersPlan);
                    prop_assert!(!now.exit_reminder_due);
                }
                prop_assert_eq!(now.pre_plan_mode().is_some(), now.mode() == Mode::Plan);
                if now.mode() == Mode::Plan {
                    prop_assert_eq!(now.pre_plan_mode(), before_plan);
                    prop_assert_ne!(now.pre_plan_mode(), Some(Mode::Plan));
                }
                if was.mode() == Mode::Plan && now.mode() != Mode::Plan {
                    let chosen = match change {
                        ModeTrigger::To(mode) => Some(mode),
                        ModeTrigger::Cycle => Some(next_in_cycle(Mode::Plan, &CYCLE, &conditions)),
                        ModeTrigger::LeavePlan(mode) => mode.or(before_plan),
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
                    let after = after_reminder(now, &kind);
                    prop_assert_eq!((after.mode(), after.pre_plan()), (now.mode(), now.pre_plan()));
                    prop_assert!(now.exit_reminder_due || !after.exit_reminder_due);
                    now = after;
                }
            }
        }
    }
}
