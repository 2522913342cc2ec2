//! Every way in which asking to plan can go.

use forelook_plan::WorkflowStyle;
use forelook_protocol::{Action, PlanAnswer, QuestionAnswer};
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{BuiltinToolOptions, Toolbox, WebAccess};

fn tools() -> Toolbox {
    crate::testing::built(BuiltinToolOptions {
        eagerness: Eagerness::Eager,
        agents: vec![],
        channels: false,
        web: WebAccess::default(),
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
        HostAnswer::Chosen { choices: vec![QuestionAnswer::FreeText("yes".into())] },
        HostAnswer::Plan(PlanAnswer::Park),
    ]
    .map(|answer| format!("{answer:?}\n{}", refused(&declined(call(), &answer))));
    insta::assert_snapshot!(refusals.join("\n\n"));
}

#[test]
fn the_result_follows_the_workflow() {
    let said = |style| {
        let outcome = entered(call(), &Workflow { style, ..Workflow::default() });
        assert!(!outcome.result.is_error);
        outcome.result.text()
    };
    assert_eq!(said(WorkflowStyle::default()), enter_result(&Workflow::default()));
    assert_ne!(said(WorkflowStyle::Interview), enter_result(&Workflow::default()));
}

#[test]
fn a_session_that_cannot_says_so() {
    assert_eq!(refused(&not_entered(call(), "Plan mode is off here")), "Plan mode is off here");
}

#[test]
fn a_subagent_never_enters() {
    let text = refused(&for_subagent(call()));
    assert!(text.contains("cannot enter plan mode"), "{text}");
}

#[tokio::test]
async fn the_input_is_empty_and_strict() {
    let mut bench = Bench::new().with(tools());
    let text = bench.failure("EnterPlanMode", json!({"plan": "x"})).await;
    assert!(text.contains("unknown field `plan`") && text.ends_with("takes no fields: send `{}`"), "{text}");
    bench.failure("EnterPlanMode", json!("now")).await;
}
