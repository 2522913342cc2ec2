//! What the plan gate tells the engine and the fences agrees with what it decides.

use forelook_permissions::plan_gate::{
    HELD_TO, begun_since, is_final, is_indifferent, may_begin, only_looks, outside, rehearses, yes_counts,
};
use forelook_permissions::{AgentKind, Kernel, Turning};
use forelook_protocol::{Confinement, Decision, Interrupted, Judge, Mode, Reason, Standing};
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

fn any_standing() -> impl Strategy<Value = Standing> {
    let judge = select(vec![Judge::Never, Judge::Was, Judge::Is]);
    (select(Mode::ALL.to_vec()), select(Mode::ALL.to_vec()), judge).prop_map(|(mode, before, judge)| {
        let standing = Standing::at(mode);
        if standing.is_planning() { standing.planning(Interrupted { before, judge }) } else { standing }
    })
}

fn any_case() -> impl Strategy<Value = World> {
    let agent = select(vec![AgentKind::Main, AgentKind::Sub, AgentKind::ReadOnly]);
    (any_world(), any_standing(), agent, any::<[bool; 3]>()).prop_map(
        |(world, standing, agent, [read_only, rehearsal, workspace])| {
            let mut world = if workspace { world.kept(&["docker:*"], false) } else { world };
            world.kernel = Kernel { read_only, rehearsal, ..world.kernel };
            World { standing, agent, ..world }
        },
    )
}

/// What was decided, without its words. In `dontAsk` nobody is asked, and that is all the difference it makes.
fn kind(standing: &Standing, decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow(_) => "allow",
        Decision::Deny(reason) if standing.mode() == Mode::DontAsk && reason.step.number() > 2 => "ask",
        Decision::Deny(_) => "deny",
        Decision::Ask(_) => "ask",
        Decision::Judge(_) => "judge",
        Decision::Need(_) => "need",
    }
}

fn may_run(decision: &Decision) -> Option<&Reason> {
    match decision {
        Decision::Allow(reason) | Decision::Ask(reason) | Decision::Judge(reason) => Some(reason),
        Decision::Deny(_) | Decision::Need(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// What is indifferent to planning is decided the same in every mode, and no kernel has a part in it.
    #[test]
    fn what_is_indifferent_is_decided_the_same(case in any_case(), other in any_standing(), call in any_call()) {
        let (_, action) = case.action(call);
        if !is_indifferent(&action) {
            return Ok(());
        }
        let there = World { standing: other, ..case.clone() };
        let (one, two) = (case.decide(call), there.decide(call));
        prop_assert_eq!(kind(&case.standing, &one), kind(&other, &two), "{} in {:?} and {:?}", call, case.standing, other);
        prop_assert!(may_run(&one).is_none_or(|reason| reason.within.is_off()));
    }

    /// A yes that still counts is a yes to something that is not denied now, unless it was then too. One that does not
    /// count was given before planning began.
    #[test]
    fn a_yes_that_counts_opens_nothing(case in any_case(), then in any_standing(), call in any_call()) {
        let (_, action) = case.action(call);
        let before = World { standing: then, ..case.clone() };
        let counts = yes_counts(&action, &then, &case.standing);
        prop_assert_eq!(counts, is_indifferent(&action) || !begun_since(&then, &case.standing));
        if counts && begun_since(&then, &case.standing) && before.says(call).starts_with("ask") {
            prop_assert!(case.says(call).starts_with("ask"), "{} was asked for in {:?}", call, then);
        }
        let begins = Turning::between(then.mode(), case.standing.mode()) == Turning::Begins;
        prop_assert_eq!(begins, begun_since(&then, &case.standing));
    }

    /// What a yes holds for whatever comes touches nothing that planning is about: it is let through, asked for, or no use
    /// any more, because planning has begun.
    #[test]
    fn a_final_yes_is_to_nothing_that_changes_files(case in any_case(), call in any_call()) {
        let (_, action) = case.action(call);
        if !is_final(&action) {
            return Ok(());
        }
        let decision = case.decide(call);
        prop_assert!(may_run(&decision).is_none_or(|reason| reason.within.is_off()));
        prop_assert!(is_indifferent(&action) || call == "EnterPlanMode");
    }

    /// Whatever is let through may begin, in the mode in which it was.
    #[test]
    fn what_is_let_through_may_begin(case in any_case(), call in any_call()) {
        if let Some(reason) = may_run(&case.decide(call)) {
            prop_assert!(may_begin(reason.within, &case.standing), "{} within {:?}", call, reason.within);
        }
    }

    /// Nothing is rehearsed but while planning, and then wherever the kernel can.
    #[test]
    fn rehearsals_are_decided_as_it_is_told(case in any_case()) {
        prop_assert_eq!(rehearses(&case.standing), may_begin(Confinement::Rehearsal, &case.standing));
        let call = "Rehearse(ls)";
        let (_, action) = case.action(call);
        let can = rehearses(&case.standing) && case.kernel.rehearsal;
        let decision = case.decide(call);
        prop_assert!(can || may_run(&decision).is_none(), "{:?}", decision);
        if let Some(reason) = may_run(&decision) {
            prop_assert_eq!(reason.within, Confinement::Rehearsal);
        }
        let unruled = World { rules: Vec::new(), ..case };
        prop_assert_eq!(may_run(&unruled.decide(call)).is_some(), can);
        prop_assert!(!is_indifferent(&action) && !is_final(&action));
    }

    /// Where the table holds and the kernel can hold too, no line runs that could change anything.
    #[test]
    fn what_is_held_here_cannot_change_anything(case in any_case(), call in any_call()) {
        let policy = case.policy();
        let held = case.kernel.read_only && only_looks(&policy);
        if !held || !(call.starts_with("Bash") || call.starts_with("PowerShell")) {
            return Ok(());
        }
        if let Some(reason) = may_run(&case.decide(call)) {
            prop_assert!(!reason.within.can_change(), "{} within {:?}", call, reason.within);
            prop_assert!(outside().all(|within| within != reason.within));
        }
    }
}

#[test]
fn confinements_are_what_they_are_said_to_be() {
    assert!(HELD_TO.is_read_only());
    for within in Confinement::ALL {
        assert!(!(within.is_read_only() && within.can_change()), "{within:?}");
        assert_eq!(outside().any(|it| it == within), within.can_change(), "{within:?}");
        for mode in Mode::ALL {
            let standing = Standing::at(mode);
            let layer = within == Confinement::Rehearsal;
            assert_eq!(may_begin(within, &standing), !layer || standing.is_planning(), "{within:?} {mode}");
        }
    }
}
