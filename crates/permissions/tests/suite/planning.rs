//! What the plan gate tells the engine and the fences agrees with what it decides.

use forelook_permissions::plan_gate::{
    DEFAULT_CONFINEMENT, allows_rehearsal, approval_still_valid, enforces_read_only, is_mode_independent,
    may_start, plan_began_since, stays_authorized, writable_confinements,
};
use forelook_permissions::{AgentKind, PlanTransition};
use forelook_protocol::{
    ClassifierInPlan, Confinement, Decision, Mode, ModeState, PrePlanState, Reason, SandboxSupport,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::laws::{CALLS, any_world};
use crate::world::World;

const MORE: &[&str] = &[
    "Read(.env)",
    "Read(~/.ssh/id_ed25519)",
    "Rehearse(make)",
    "Rehearse",
    "EnterPlanMode",
    "PowerShell(ls)",
    "mcp__s__t(destroy)",
    "Edit(~/.forelook/plans/plan.md)",
];

fn any_call() -> impl Strategy<Value = &'static str> {
    select([CALLS, MORE].concat())
}

fn any_mode_state() -> impl Strategy<Value = ModeState> {
    let classifier =
        select(vec![ClassifierInPlan::NeverOn, ClassifierInPlan::TurnedOff, ClassifierInPlan::On]);
    (select(Mode::ALL.to_vec()), select(Mode::ALL.to_vec()), classifier).prop_map(
        |(mode, before, classifier)| {
            let mode_state = ModeState::new(mode);
            if mode_state.is_planning() {
                mode_state.with_pre_plan(PrePlanState { mode: before, classifier })
            } else {
                mode_state
            }
        },
    )
}

fn any_case() -> impl Strategy<Value = World> {
    let agent = select(vec![AgentKind::Main, AgentKind::Sub, AgentKind::ReadOnly]);
    (any_world(), any_mode_state(), agent, any::<[bool; 4]>()).prop_map(
        |(world, mode_state, agent, [read_only, rehearsal, workspace, masked])| {
            let mut world = if workspace { world.kept(&["docker:*"], false) } else { world };
            world.kernel = SandboxSupport { read_only, rehearsal, workspace, masked };
            World { mode_state, agent, ..world }
        },
    )
}

/// What was decided, without its words. In `dontAsk` nobody is asked, and that is all the difference it makes.
fn kind(mode_state: &ModeState, decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow(_) => "allow",
        Decision::Deny(reason) if mode_state.mode() == Mode::DontAsk && reason.step.number() > 2 => "ask",
        Decision::Deny(_) => "deny",
        Decision::Ask(_) => "ask",
        Decision::Classify(_) => "judge",
        Decision::NeedFacts(_) => "need",
    }
}

fn may_run(decision: &Decision) -> Option<&Reason> {
    match decision {
        Decision::Allow(reason) | Decision::Ask(reason) | Decision::Classify(reason) => Some(reason),
        Decision::Deny(_) | Decision::NeedFacts(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// What is indifferent to planning is decided the same in every mode, and no kernel has a part in it.
    #[test]
    fn what_is_indifferent_is_decided_the_same(case in any_case(), other in any_mode_state(), call in any_call()) {
        let (_, action) = case.action(call);
        if !is_mode_independent(&action) {
            return Ok(());
        }
        let there = World { mode_state: other, ..case.clone() };
        let (one, two) = (case.decide(call), there.decide(call));
        prop_assert_eq!(kind(&case.mode_state, &one), kind(&other, &two), "{} in {:?} and {:?}", call, case.mode_state, other);
        prop_assert!(may_run(&one).is_none_or(|reason| reason.sandbox.is_off()));
    }

    /// A yes that still counts is a yes to something that is not denied now, unless it was then too. One that does not
    /// count was given before planning began.
    #[test]
    fn a_yes_that_counts_opens_nothing(case in any_case(), then in any_mode_state(), call in any_call()) {
        let (_, action) = case.action(call);
        let before = World { mode_state: then, ..case.clone() };
        let counts = approval_still_valid(&action, &then, &case.mode_state);
        prop_assert_eq!(counts, is_mode_independent(&action) || !plan_began_since(&then, &case.mode_state));
        if counts && plan_began_since(&then, &case.mode_state) && before.says(call).starts_with("ask") {
            prop_assert!(case.says(call).starts_with("ask"), "{} was asked for in {:?}", call, then);
        }
        let begins = PlanTransition::between(then.mode(), case.mode_state.mode()) == PlanTransition::Enters;
        prop_assert_eq!(begins, plan_began_since(&then, &case.mode_state));
    }

    /// What a yes holds for whatever comes touches nothing that planning is about: it is let through, asked for, or no use
    /// any more, because planning has begun.
    #[test]
    fn a_final_yes_is_to_nothing_that_changes_files(case in any_case(), call in any_call()) {
        let (_, action) = case.action(call);
        if !stays_authorized(&action) {
            return Ok(());
        }
        let decision = case.decide(call);
        prop_assert!(may_run(&decision).is_none_or(|reason| reason.sandbox.is_off()));
        prop_assert!(is_mode_independent(&action) || call == "EnterPlanMode");
    }

    /// Whatever is let through may begin, in the mode in which it was.
    #[test]
    fn what_is_let_through_may_begin(case in any_case(), call in any_call()) {
        if let Some(reason) = may_run(&case.decide(call)) {
            prop_assert!(may_start(reason.sandbox, &case.mode_state), "{} within {:?}", call, reason.sandbox);
        }
    }

    /// Nothing is rehearsed but while planning, and then wherever the kernel can.
    #[test]
    fn rehearsals_are_decided_as_it_is_told(case in any_case()) {
        prop_assert_eq!(allows_rehearsal(&case.mode_state), may_start(Confinement::Rehearsal, &case.mode_state));
        let call = "Rehearse(ls)";
        let (_, action) = case.action(call);
        let can = allows_rehearsal(&case.mode_state) && case.kernel.rehearsal;
        let decision = case.decide(call);
        prop_assert!(can || may_run(&decision).is_none(), "{:?}", decision);
        if let Some(reason) = may_run(&decision) {
            prop_assert_eq!(reason.sandbox, Confinement::Rehearsal);
        }
        let unruled = World { rules: Vec::new(), ..case };
        prop_assert_eq!(may_run(&unruled.decide(call)).is_some(), can);
        prop_assert!(!is_mode_independent(&action) && !stays_authorized(&action));
    }

    /// Where the table holds and the kernel can hold too, no line runs that could change anything.
    #[test]
    fn what_is_held_here_cannot_change_anything(case in any_case(), call in any_call()) {
        let policy = case.policy();
        let held = case.kernel.read_only && enforces_read_only(&policy);
        if !held || !(call.starts_with("Bash") || call.starts_with("PowerShell")) {
            return Ok(());
        }
        if let Some(reason) = may_run(&case.decide(call)) {
            prop_assert!(!reason.sandbox.can_change(), "{} within {:?}", call, reason.sandbox);
            prop_assert!(writable_confinements().all(|within| within != reason.sandbox));
        }
    }
}

#[test]
fn confinements_are_what_they_are_said_to_be() {
    assert!(DEFAULT_CONFINEMENT.is_read_only());
    for within in Confinement::ALL {
        assert!(!(within.is_read_only() && within.can_change()), "{within:?}");
        assert_eq!(writable_confinements().any(|it| it == within), within.can_change(), "{within:?}");
        for mode in Mode::ALL {
            let mode_state = ModeState::new(mode);
            let layer = within == Confinement::Rehearsal;
            assert_eq!(
                may_start(within, &mode_state),
                !layer || mode_state.is_planning(),
                "{within:?} {mode}"
            );
        }
    }
}
