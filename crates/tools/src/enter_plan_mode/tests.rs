//! Every way in which asking to plan can go.

use forelook_plan::Way;
use forelook_protocol::{Action, Choice, PlanAnswer};
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{BuiltTools, Toolbox, Web};

fn tools() -> Toolbox {
    crate::testing::built(BuiltTools {
        eagerness: Eagerness::Eager,
        agents: vec![],
        channels: false,
        web: Web::default(),
    })
}

fn call() -> CallId {
    CallId("call".into())
}

fn refused(outcome: &ToolOutcome) -> String {
    assert!(outcome.result.is_error, "{outcome:?}");
    outcome.result.text()
}

#[test]
fn it_is_for_the_engine_to_begin() {
    let call = tools().get("EnterPlanMode").unwrap().parse(&json!({})).unwrap();
    assert!(matches!(call.kind, CallKind::EnterPlan) && call.concurrency_safe);
    assert_eq!(call.action(&Bench::new().cx.place), Ok(Action::EnterPlan));
}

#[test]
fn what_is_no_yes_is_a_refusal() {
    let refusals = [
        HostAnswer::Deny { message: None },
        HostAnswer::Deny { message: Some("just do it".into()) },
        HostAnswer::Dismissed,
        HostAnswer::Interrupted,
        HostAnswer::Nobody,
        HostAnswer::Outdated,
        HostAnswer::Chosen { choices: vec![Choice::Words("yes".into())] },
        HostAnswer::Plan(PlanAnswer::Park),
    ]
    .map(|answer| format!("{answer:?}\n{}", refused(&declined(call(), &answer))));
    insta::assert_snapshot!(refusals.join("\n\n"));
}

#[test]
fn the_result_follows_the_workflow() {
    let said = |way| {
        let outcome = entered(call(), &Workflow { way, ..Workflow::default() });
        assert!(!outcome.result.is_error);
        outcome.result.text()
    };
    assert_eq!(said(Way::default()), enter_result(&Workflow::default()));
    assert_ne!(said(Way::Interview), enter_result(&Workflow::default()));
}

#[test]
fn a_session_that_cannot_says_so() {
    assert_eq!(refused(&not_entered(call(), "Plan mode is off here")), "Plan mode is off here");
}

#[test]
fn a_subagent_never_enters() {
    let text = refused(&for_subagent(call()));
    assert!(text.contains("cannot begin to plan"), "{text}");
}

#[tokio::test]
async fn the_input_is_empty_and_strict() {
    let mut bench = Bench::new().with(tools());
    let text = bench.failure("EnterPlanMode", json!({"plan": "x"})).await;
    assert!(text.contains("unknown field `plan`") && text.ends_with("takes no fields: send `{}`"), "{text}");
    bench.failure("EnterPlanMode", json!("now")).await;
}
