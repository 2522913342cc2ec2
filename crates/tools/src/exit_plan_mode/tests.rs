//! Every way in which a review can go, and none that approves by accident.

use forelook_plan::{Eagerness, plan_hash};
use forelook_protocol::{Action, AnsweredBy, Approval, ModeState, RequestId, Reviewer};
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{BuiltinToolOptions, Toolbox, WebAccess};

const PLAN: &str = "# Parser\n\n1. Write it\n";

fn tools() -> Toolbox {
    crate::testing::built(BuiltinToolOptions {
        eagerness: Eagerness::Eager,
        agents: vec![],
        channels: false,
        web: WebAccess::default(),
    })
}

fn all() -> ReaderTools {
    ReaderTools::of(|_| true)
}

fn call() -> CallId {
    CallId("call".into())
}

fn path() -> AbsPath {
    AbsPath::new("/home/plans/calm-weaving-otter.md").unwrap()
}

/// The review of this call, answered so.
fn review(answer: PlanAnswer) -> PlanReviewed {
    let plan = match &answer {
        PlanAnswer::Approve(Approval { edited: Some(edited), .. }) => edited.clone(),
        _ => PLAN.to_owned(),
    };
    PlanReviewed {
        question: "01890a5d-ac96-774b-bcce-b302099a8057".parse::<RequestId>().ok(),
        call: Some(call()),
        by: Reviewer::Person,
        through: AnsweredBy::Session,
        answer,
        path: path(),
        shown: plan_hash(PLAN),
        proposed: None,
        plan: Some(plan),
        mode_state: ModeState::default(),
        why: None,
    }
}

fn yes() -> Approval {
    Approval { hash: plan_hash(PLAN), ..Approval::default() }
}

#[test]
fn it_is_for_the_engine_to_have_it_reviewed() {
    let call = tools().get("ExitPlanMode").unwrap().parse(&json!({})).unwrap();
    assert!(matches!(call.kind, CallKind::ExitPlan) && call.concurrency_safe);
    assert_eq!(call.action(&Bench::new().cx.place), Ok(Action::ExitPlan));
}

#[test]
fn an_approval_carries_the_plan() {
    let review = review(PlanAnswer::Approve(yes()));
    let outcome = reviewed(call(), &review, &RehearsalOutcome::NotShown, &all());
    assert!(!outcome.result.is_error);
    assert_eq!(outcome.result.text(), outcome::review_result(&review, &RehearsalOutcome::NotShown, &all()));
    assert!(outcome.result.text().contains(PLAN.trim_end()));
    insta::assert_json_snapshot!(outcome.output);
}

#[test]
fn an_edited_plan_is_said_to_be_edited() {
    let review = review(PlanAnswer::Approve(Approval { edited: Some("# Mine\n".into()), ..yes() }));
    let outcome = reviewed(call(), &review, &RehearsalOutcome::NotShown, &ReaderTools::default());
    let output = outcome.output.unwrap();
    assert_eq!(output["plan"], "# Mine\n");
    assert_eq!((&output["plan_was_edited"], &output["has_task_tool"]), (&json!(true), &json!(false)));
    assert!(outcome.result.text().contains("edited"), "{}", outcome.result.text());
}

#[test]
fn what_is_no_yes_is_a_refusal() {
    for (answer, failed) in [
        (PlanAnswer::KeepPlanning { feedback: Some("shorter".into()), comments: vec![] }, true),
        (PlanAnswer::Park, true),
        (PlanAnswer::Abandon, true),
        (PlanAnswer::HandOver, false),
    ] {
        let review = review(answer.clone());
        let outcome = reviewed(call(), &review, &RehearsalOutcome::NotShown, &all());
        assert_eq!(outcome.result.is_error, failed, "{answer:?}");
        assert_eq!(
            outcome.result.text(),
            outcome::review_result(&review, &RehearsalOutcome::NotShown, &all())
        );
        assert!(!outcome.result.text().contains("you can start"), "{answer:?}");
        assert_eq!(outcome.output.unwrap()["plan"], PLAN);
    }
}

/// Without the session's own entry for this very call nothing counts, whatever the answer says.
#[test]
fn without_a_review_nothing_is_approved() {
    for answer in [
        HostAnswer::yes(),
        HostAnswer::Plan(PlanAnswer::Approve(yes())),
        HostAnswer::Deny { message: None },
        HostAnswer::Dismissed,
        HostAnswer::Interrupted,
        HostAnswer::Nobody,
        HostAnswer::Outdated,
    ] {
        let outcome = unreviewed(call(), &answer, &path(), true);
        let text = outcome.result.text();
        assert!(outcome.result.is_error && outcome.output.is_none(), "{answer:?}");
        assert!(
            text.contains("not approved") && text.contains("calm-weaving-otter.md"),
            "{answer:?}: {text}"
        );
    }
    for other in [None, Some(CallId("another".into()))] {
        let review = PlanReviewed { call: other, ..review(PlanAnswer::Approve(yes())) };
        let outcome = reviewed(call(), &review, &RehearsalOutcome::NotShown, &all());
        assert!(outcome.result.is_error && outcome.result.text().contains("not approved"), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_subagent_hears_ok_and_of_no_approval() {
    let bench = Bench::new();
    let outcome = for_subagent(call(), None).await;
    assert_eq!((outcome.result.is_error, outcome.result.text()), (false, outcome::subagent_result(None)));
    assert!(!outcome.result.text().contains("approved"), "{outcome:?}");
    let path = bench.file("plan-agent-1.md", PLAN);
    let outcome = for_subagent(call(), Some(path.clone())).await;
    let text = outcome.result.text();
    assert!(text.contains(&path.to_string()) && text.contains("Nobody approved it"), "{text}");
    let output = outcome.output.unwrap();
    assert_eq!((&output["is_agent"], &output["plan"]), (&json!(true), &json!(PLAN)));
    let outcome = for_subagent(call(), Some(bench.path("missing.md"))).await;
    assert_eq!(outcome.output.unwrap()["plan"], json!(null));
}

#[tokio::test]
async fn a_model_cannot_send_a_plan() {
    let text = Bench::new().with(tools()).failure("ExitPlanMode", json!({"plan": "# Other"})).await;
    assert!(text.contains("unknown field `plan`"), "{text}");
}
