//! Every outcome of a review, word for word.

use forelook_protocol::{AnsweredBy, CallId, ModeState, RequestId};
use serde_json::json;

use super::*;

/// All tools, with or without agents.
fn all(agents: bool) -> ReaderTools {
    ReaderTools { agents, ..ReaderTools::of(|_| true) }
}

/// Where nothing was rehearsed.
fn review_result(reviewed: &PlanReviewed, has_agents: bool) -> String {
    super::review_result(reviewed, &RehearsalOutcome::NotShown, &all(has_agents))
}

fn fresh_start(reviewed: &PlanReviewed) -> String {
    super::fresh_start(reviewed, &RehearsalOutcome::NotShown, &all(true))
}

const PLAN: &str = "# Archive notes\n\n1. Add `archived` to `src/note.rs`.\n2. Run `cargo test`.\n";

fn path() -> AbsPath {
    AbsPath::new("/home/ada/.forelook/plans/calm-weaving-otter.md").unwrap()
}

fn reviewed(answer: PlanAnswer) -> PlanReviewed {
    PlanReviewed {
        question: Some(RequestId(uuid::Uuid::nil())),
        call: Some(CallId("call_1".into())),
        by: Reviewer::Person,
        through: AnsweredBy::Session,
        answer,
        path: path(),
        proposed: None,
        shown: plan_hash(PLAN),
        plan: Some(PLAN.into()),
        mode_state: ModeState::default(),
        why: None,
    }
}

fn approve(note: Option<&str>, edited: Option<&str>) -> PlanReviewed {
    let approval = Approval {
        hash: plan_hash(PLAN),
        note: note.map(str::to_owned),
        edited: edited.map(str::to_owned),
        apply: None,
        ..Approval::default()
    };
    let plan = edited.unwrap_or(PLAN);
    PlanReviewed { plan: Some(plan.into()), ..reviewed(PlanAnswer::Approve(approval)) }
}

fn reject(feedback: Option<&str>, comments: &[(usize, usize, &str, &str)]) -> PlanReviewed {
    let comment = |(first, last, quote, text): &(usize, usize, &str, &str)| PlanComment {
        first: *first,
        last: *last,
        quote: quote.to_string(),
        text: text.to_string(),
    };
    reviewed(PlanAnswer::KeepPlanning {
        feedback: feedback.map(str::to_owned),
        comments: comments.iter().map(comment).collect(),
    })
}

fn outcomes() -> Vec<(&'static str, String)> {
    let edited = "# Archive notes\n\n1. Only the flag.\n";
    let no_plan = PlanReviewed { plan: Some(" \n".into()), ..approve(Some("Just do it."), None) };
    let policy = PlanReviewed { by: Reviewer::Policy, ..approve(None, None) };
    let lead = PlanReviewed { by: Reviewer::Lead, ..approve(None, Some(edited)) };
    let comments = [
        (3, 3, "1. Add `archived` to `src/note.rs`.", "An enum, please."),
        (1, 3, "# Archive notes\n\n1.", "Too big."),
    ];
    vec![
        ("approved", review_result(&approve(None, None), false)),
        ("approved_agents", review_result(&approve(Some("Mind the tests.\nAnd the docs."), None), true)),
        ("approved_edited", review_result(&approve(None, Some(edited)), false)),
        ("approved_policy", review_result(&policy, false)),
        ("approved_lead", review_result(&lead, false)),
        ("approved_no_plan", review_result(&no_plan, true)),
        ("approved_no_plan_policy", review_result(&PlanReviewed { plan: None, ..policy.clone() }, true)),
        ("rejected", review_result(&reject(Some("Keep the old column.\n\nAnd fewer steps."), &[]), true)),
        ("rejected_comments", review_result(&reject(None, &comments), true)),
        ("rejected_both", review_result(&reject(Some("Almost."), &comments[..1]), true)),
        ("rejected_no_words", review_result(&reject(Some(" "), &[]), true)),
        ("parked", review_result(&reviewed(PlanAnswer::Park), true)),
        ("abandoned", review_result(&reviewed(PlanAnswer::Abandon), true)),
        ("handed_over", review_result(&reviewed(PlanAnswer::HandOver), true)),
        (
            "handed_over without a plan",
            review_result(&PlanReviewed { plan: None, ..reviewed(PlanAnswer::HandOver) }, true),
        ),
        ("nobody", no_reviewer(&path(), true)),
        ("unanswered", unanswered(&path(), true)),
        ("nobody_after_planning", no_reviewer(&path(), false)),
        ("unanswered_after_planning", unanswered(&path(), false)),
        ("reviewed_elsewhere", reviewed_elsewhere()),
        ("subagent", subagent_result(Some(&path()))),
        ("subagent_no_plan", subagent_result(None)),
        ("no_plan", super::no_plan(&path(), None)),
        ("no_plan_unreadable", super::no_plan(&path(), Some("It is a link\nReplace it"))),
        ("fresh_start", fresh_start(&approve(None, None))),
        ("fresh_start_edited", fresh_start(&approve(Some("Mind the tests."), Some(edited)))),
        ("fresh_start_command", fresh_start(&PlanReviewed { by: Reviewer::Command, ..approve(None, None) })),
        ("fresh_start_no_plan", fresh_start(&no_plan)),
    ]
}

#[test]
fn every_outcome_word_for_word() {
    let listed: String =
        outcomes().iter().map(|(name, text)| format!("-------- {name}\n{text}\n\n")).collect();
    insta::assert_snapshot!("outcomes", listed);
    for (name, text) in outcomes() {
        assert!(!text.contains(['{', '}']), "{name}: a place is left open");
        assert!(!text.contains("\n\n\n"), "{name}");
    }
}

#[test]
fn only_an_approval_hands_the_plan_over_to_work() {
    for (name, text) in outcomes() {
        let begins = name.starts_with("approved") || name.starts_with("fresh_start");
        let no_plan = name.contains("no_plan");
        assert_eq!(text.contains("# Approved plan"), begins && !no_plan, "{name}");
        assert_eq!(text.contains("TodoWrite"), begins && !no_plan, "{name}");
        assert_eq!(text.contains("parallel"), name == "approved_agents", "{name}");
        assert_eq!(
            text.contains("as edited by"),
            ["approved_edited", "approved_lead", "fresh_start_edited"].contains(&name)
        );
    }
}

/// Nobody is sent to a tool that they do not have.
#[test]
fn only_tools_that_are_there_are_named() {
    let tools = ["TodoWrite", "AskUserQuestion", "ExitPlanMode", "agents"];
    for lacking in tools {
        let has = ReaderTools { agents: lacking != "agents", ..ReaderTools::of(|name| name != lacking) };
        for (review, named) in [
            (approve(None, None), &["TodoWrite", "agents"][..]),
            (reject(Some("Almost."), &[]), &["ExitPlanMode"]),
            (reject(None, &[]), &["AskUserQuestion", "ExitPlanMode"]),
        ] {
            let text = super::review_result(&review, &RehearsalOutcome::NotShown, &has);
            for tool in tools {
                assert_eq!(text.contains(tool), tool != lacking && named.contains(&tool), "{tool}: {text}");
            }
        }
        let text = super::fresh_start(&approve(None, None), &RehearsalOutcome::NotShown, &has);
        assert_eq!(text.contains("TodoWrite"), lacking != "TodoWrite", "{text}");
    }
    let reads = ReaderTools { write: false, edit: false, ..all(true) };
    let text = super::review_result(&reject(Some("Almost."), &[]), &RehearsalOutcome::NotShown, &reads);
    assert!(text.contains("you have no tool to revise it") && !text.contains("Revise"), "{text}");
}

/// The file was changed while it waited for the review, and shown again before it was approved.
#[test]
fn what_was_edited_in_the_file_is_edited() {
    let edited = PlanReviewed { proposed: Some(plan_hash("# Another\n")), ..approve(None, None) };
    assert!(ExitPlanOutput::of(&edited, &all(false)).plan_was_edited);
    assert!(review_result(&edited, false).contains("# Approved plan, as edited by the user"));
}

/// A front end may send the text back as it was shown; that is no edit.
#[test]
fn the_same_text_is_not_edited() {
    let same = approve(None, Some(PLAN));
    assert_eq!(review_result(&same, false), review_result(&approve(None, None), false));
    assert!(!ExitPlanOutput::of(&same, &all(false)).plan_was_edited);
}

/// What a plan says is never taken for a place of ours.
#[test]
fn braces_in_a_plan_stay() {
    let plan = "Format as `{path}` and {approval}.";
    assert!(review_result(&approve(Some("{parallel}"), Some(plan)), false).ends_with(plan));
}

#[test]
fn the_output_in_fields() {
    let output = serde_json::to_value(ExitPlanOutput::of(&approve(None, Some("Other")), &all(true))).unwrap();
    let expected = json!({
        "plan": "Other", "is_agent": false, "file_path": path(), "has_task_tool": true,
        "plan_was_edited": true, "awaiting_leader_approval": false,
    });
    assert_eq!(output, expected);
    let waiting = ExitPlanOutput {
        awaiting_leader_approval: true,
        request_id: Some("plan-1".into()),
        ..ExitPlanOutput::subagent(path(), None)
    };
    let expected = json!({
        "plan": null, "is_agent": true, "file_path": path(), "has_task_tool": false,
        "plan_was_edited": false, "awaiting_leader_approval": true, "request_id": "plan-1",
    });
    assert_eq!(serde_json::to_value(waiting).unwrap(), expected);
}
