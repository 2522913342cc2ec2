//! Every way in which a review can go, and none that approves by accident.

use forelook_plan::{Eagerness, Workflow, hash};
use forelook_protocol::{Approval, CallId, QuestionId, Reviewer, Standing};
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{AgentListing, BuiltTools, Toolbox, Web};

const PLAN: &str = "# Parser\n\n1. Write it\n";

fn bench(agents: bool) -> Bench {
    let explore = AgentListing { name: "Explore".into(), description: "Finds.".into(), read_only: true };
    let tools = Toolbox::built(BuiltTools {
        eagerness: Eagerness::Eager,
        workflow: Workflow::default(),
        agents: if agents { vec![explore] } else { vec![] },
        channels: false,
        web: Web::default(),
    });
    let mut bench = Bench::new().with(tools);
    bench.cx.plan_file = Some(AbsPath::new("/home/plans/calm-weaving-otter.md").unwrap());
    bench
}

/// The review of this call, answered so.
fn review(bench: &mut Bench, answer: PlanAnswer) {
    let plan = match &answer {
        PlanAnswer::Approve(Approval { edited: Some(edited), .. }) => edited.clone(),
        _ => PLAN.to_owned(),
    };
    bench.cx.answer = Some(Answer::Plan(answer.clone()));
    bench.cx.reviewed = Some(Reviewed {
        question: "01890a5d-ac96-774b-bcce-b302099a8057".parse::<QuestionId>().ok(),
        call: Some(bench.cx.call.clone()),
        by: Reviewer::Person,
        answer,
        path: bench.cx.plan_file.clone().unwrap(),
        shown: hash(PLAN),
        proposed: None,
        plan: Some(plan),
        standing: Standing::default(),
        why: None,
    });
}

fn yes() -> Approval {
    Approval { hash: hash(PLAN), ..Approval::default() }
}

#[tokio::test]
async fn an_approval_carries_the_plan() {
    let mut bench = bench(true);
    review(&mut bench, PlanAnswer::Approve(yes()));
    let outcome = bench.call("ExitPlanMode", json!({})).await;
    assert_eq!(bench.cx.action, Action::ExitPlan);
    assert!(!outcome.result.is_error);
    assert_eq!(
        outcome.result.text(),
        outcome::heard(bench.cx.reviewed.as_ref().unwrap(), &Rehearsed::Nothing, true)
    );
    assert!(outcome.result.text().contains(PLAN.trim_end()));
    insta::assert_json_snapshot!(outcome.output);
}

#[tokio::test]
async fn an_edited_plan_is_said_to_be_edited() {
    let mut bench = bench(false);
    review(&mut bench, PlanAnswer::Approve(Approval { edited: Some("# Mine\n".into()), ..yes() }));
    let outcome = bench.call("ExitPlanMode", json!({})).await;
    let output = outcome.output.unwrap();
    assert_eq!(output["plan"], "# Mine\n");
    assert_eq!((&output["plan_was_edited"], &output["has_task_tool"]), (&json!(true), &json!(false)));
    assert!(outcome.result.text().contains("edited"), "{}", outcome.result.text());
}

#[tokio::test]
async fn what_is_no_yes_is_a_refusal() {
    for (answer, failed) in [
        (PlanAnswer::KeepPlanning { feedback: Some("shorter".into()), comments: vec![] }, true),
        (PlanAnswer::Park, true),
        (PlanAnswer::Abandon, true),
        (PlanAnswer::HandOver, false),
    ] {
        let mut bench = bench(true);
        review(&mut bench, answer.clone());
        let outcome = bench.call("ExitPlanMode", json!({})).await;
        assert_eq!(outcome.result.is_error, failed, "{answer:?}");
        assert_eq!(
            outcome.result.text(),
            outcome::heard(bench.cx.reviewed.as_ref().unwrap(), &Rehearsed::Nothing, true)
        );
        assert!(!outcome.result.text().contains("you can begin"), "{answer:?}");
        assert_eq!(outcome.output.unwrap()["plan"], PLAN);
    }
}

/// Without the session's own entry for this very call nothing counts, whatever the answer says.
#[tokio::test]
async fn without_a_review_nothing_is_approved() {
    let approved = Answer::Plan(PlanAnswer::Approve(yes()));
    for answer in [
        None,
        Some(Answer::yes()),
        Some(approved.clone()),
        Some(Answer::Deny { message: None }),
        Some(Answer::Dismissed),
        Some(Answer::Interrupted),
        Some(Answer::Nobody),
        Some(Answer::Outdated),
    ] {
        let mut bench = bench(true);
        bench.cx.answer = answer.clone();
        let text = bench.failure("ExitPlanMode", json!({})).await;
        assert!(
            text.contains("not approved") && text.contains("calm-weaving-otter.md"),
            "{answer:?}: {text}"
        );
        bench.cx.plan_file = None;
        assert!(bench.failure("ExitPlanMode", json!({})).await.contains("not approved"), "{answer:?}");
    }
    let mut bench = bench(true);
    review(&mut bench, PlanAnswer::Approve(yes()));
    bench.cx.answer = None;
    assert!(bench.failure("ExitPlanMode", json!({})).await.contains("not approved"));
    bench.cx.answer = Some(approved);
    bench.cx.call = CallId("another".into());
    assert!(bench.failure("ExitPlanMode", json!({})).await.contains("not approved"));
}

#[tokio::test]
async fn a_subagent_hears_ok() {
    let mut bench = bench(true);
    bench.cx.subagent = true;
    bench.cx.plan_file = None;
    assert_eq!(bench.ok("ExitPlanMode", json!({})).await, outcome::subagent());
    bench.cx.plan_file = Some(bench.file("plan-agent-1.md", PLAN));
    let outcome = bench.call("ExitPlanMode", json!({})).await;
    let output = outcome.output.unwrap();
    assert_eq!((&output["is_agent"], &output["plan"]), (&json!(true), &json!(PLAN)));
    bench.cx.plan_file = Some(bench.path("missing.md"));
    let outcome = bench.call("ExitPlanMode", json!({})).await;
    assert_eq!(outcome.output.unwrap()["plan"], json!(null));
}

#[tokio::test]
async fn a_model_cannot_send_a_plan() {
    let mut bench = bench(true);
    review(&mut bench, PlanAnswer::Approve(yes()));
    let text = bench.failure("ExitPlanMode", json!({"plan": "# Other"})).await;
    assert!(text.contains("unknown field `plan`"), "{text}");
}
