//! Calls: their output, their progress reports, and their outcomes.

use forelook_protocol::{Mode, ModeState};
use serde_json::json;

use super::*;
use crate::{ActiveCall, CallOutcome, ReportedAs};

fn make() -> Stage {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "make"}))]);
    stage.record("tool_started", json!({"call": "a"}));
    stage
}

fn running(stage: &Stage) -> &ActiveCall {
    stage.view.calls().main().next().unwrap()
}

#[test]
fn output_is_lines_however_it_is_cut() {
    let mut stage = make();
    for piece in ["zero\none\ntw", "o\n\n  \n", "10 %\r2", "0 %\r", "100 %", "\nlast\tone"] {
        stage.output("a", piece);
    }
    let output: Vec<&str> = running(&stage).output().collect();
    assert_eq!(output, ["one", "two", "10 %\r20 %\r100 %", "last\tone"]);
    for _ in 0..100 {
        stage.output("a", &"x\r".repeat(500));
    }
    assert!(running(&stage).output().all(|line| line.len() <= 8_192));
}

#[test]
fn it_is_told_ever_more_rarely_that_a_call_still_runs() {
    let mut stage = make();
    let call = CallId("a".into());
    let mut told = Vec::new();
    for second in 1..=300 {
        let note = Some(format!("{second}"));
        stage.live(LiveEvent::Progress { agent: None, call: call.clone(), elapsed_ms: second * 1_000, note });
        told.extend(stage.view.progress_due(None, &call).then_some(second));
    }
    assert_eq!(told, [5, 10, 20, 40, 80, 140, 200, 260]);
    assert_eq!(running(&stage).note.as_deref(), Some("300"));
    stage.finishes(None, "a", "x");
    assert!(!stage.view.progress_due(None, &call), "it has ended");
}

#[test]
fn how_calls_end() {
    for (verdict, expected) in [
        ("ran", CallOutcome::Done),
        ("denied", CallOutcome::Refused),
        ("invalid", CallOutcome::Failed),
        ("interrupted", CallOutcome::Interrupted),
    ] {
        let mut stage = make();
        stage.record("tool_finished", finished("a", verdict, "x"));
        let items = stage.items();
        assert!(matches!(&items[..], [ViewItem::Call(ended)] if ended.outcome == expected), "{verdict}");
        assert_eq!(stage.view.calls().main().count(), 0);
        assert_eq!(stage.view.result().denials.len(), usize::from(verdict == "denied"));
        assert_eq!(stage.view.result().interrupted_calls, verdict == "interrupted");
    }
}

/// The text that the user reads for the last call that ended.
fn read_by_person(stage: &mut Stage) -> String {
    let text = |item: &ViewItem| match item {
        ViewItem::Call(ended) => Some(ended.text()),
        _ => None,
    };
    stage.items().iter().rev().find_map(text).unwrap()
}

#[test]
fn a_refusal_is_told_to_people_in_words_of_their_own() {
    let reason = json!({"step": "fallback", "text": "It changes a file"});
    let decided =
        |verdict: &str| json!({"call": "a", "tool": "Bash", "verdict": verdict, "reason": reason.clone()});
    let permission = json!({"type": "permission", "tool": "Bash", "input": {}, "reason": reason});
    let opened = json!({"question": {"id": ID, "call": "a", "ask": permission}});
    for (answer, expected) in [
        (json!({"type": "deny"}), "Denied by you"),
        (json!({"type": "deny", "message": "use make"}), "Denied by you: use make"),
        (json!({"type": "nobody"}), "Blocked: It changes a file; no one is available to approve it"),
        // Denied by something else later.
        (json!({"type": "allow"}), "Not run"),
        (json!({"type": "outdated"}), "Not run"),
    ] {
        let mut stage = make();
        stage.record("permission_decided", decided("ask"));
        stage.record("question_opened", opened.clone());
        stage.record("question_closed", json!({"question": ID, "answer": answer}));
        stage.record("tool_finished", finished("a", "denied", "for the model"));
        assert_eq!(read_by_person(&mut stage), expected);
    }
    for (verdict, expected) in [("deny", "Blocked: It changes a file"), ("ask", "Blocked: It changes a file")]
    {
        let mut stage = make();
        stage.record("permission_decided", decided(verdict));
        stage.record("tool_finished", finished("a", "denied", "for the model"));
        assert_eq!(read_by_person(&mut stage), expected);
    }
    for (status, expected) in
        [("ran", "for the model"), ("interrupted", "Interrupted; it may have run partway")]
    {
        let mut stage = make();
        stage.record("tool_finished", finished("a", status, "for the model"));
        assert_eq!(read_by_person(&mut stage), expected);
    }
}

/// No hook has a word in a review.
#[test]
fn a_plan_that_nobody_reviews_was_not_denied_by_anybody() {
    let length = json!({"characters": 1, "lines": 1, "rejected_percent": 0});
    let review = json!({
        "type": "review", "path": "/p.md", "hash": "x", "length": length, "before": "default", "modes": [],
    });
    let reason = json!({"step": "needs_person", "text": "Only a person can answer this"});
    let planning = serde_json::to_value(ModeState::new(Mode::Plan)).unwrap();
    let sent_back = json!({
        "question": ID, "call": "a", "by": "person", "answer": {"choice": "keep_planning"}, "path": "/p.md",
        "shown": "x", "mode_state": planning,
    });
    for (kind, closed, expected) in [
        (
            "question_closed",
            json!({"question": ID, "answer": {"type": "nobody"}}),
            "Blocked: Only a person can answer this; no one is available to approve it",
        ),
        ("plan_reviewed", sent_back, "Plan sent back"),
    ] {
        let mut stage = Stage::default();
        stage.calls(None, &[("a", "ExitPlanMode", json!({}))]);
        let decided =
            json!({"call": "a", "tool": "ExitPlanMode", "verdict": "ask", "reason": reason.clone()});
        stage.record("permission_decided", decided);
        stage.record("question_opened", json!({"question": {"id": ID, "call": "a", "ask": review.clone()}}));
        stage.record(kind, closed);
        stage.record("tool_finished", finished("a", "denied", "for the model"));
        assert_eq!(read_by_person(&mut stage), expected);
    }
}

#[test]
fn answers_are_told_to_people_without_the_question() {
    let question = |text: &str| json!({"question": text, "header": "H", "options": [], "multiSelect": false});
    for (questions, answer, expected) in [
        (json!([question("Who?")]), json!([{"options": ["A", "B"]}]), "A, B"),
        (json!([question("Who?")]), json!([{"free_text": "me"}]), "me"),
        (
            json!([question("Who?"), question("Why?")]),
            json!([{"options": ["A"]}, "skipped"]),
            "Who? A\nWhy? Skipped",
        ),
    ] {
        let mut stage = Stage::default();
        stage.calls(None, &[("a", "AskUserQuestion", json!({"questions": questions.clone()}))]);
        let ask = json!({"type": "choose", "questions": questions});
        stage.record("question_opened", json!({"question": {"id": ID, "call": "a", "ask": ask}}));
        let answer = json!({"type": "chosen", "choices": answer});
        stage.record("question_closed", json!({"question": ID, "answer": answer}));
        stage.finishes(None, "a", "for the model");
        assert_eq!(read_by_person(&mut stage), expected);
    }
}

#[test]
fn of_a_shell_people_only_read_that_it_started() {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "make", "run_in_background": true}))]);
    stage.record("tool_started", json!({"call": "a"}));
    stage.finishes(None, "a", "Started in the background as `shell_1`\nRead it with BashOutput");
    assert_eq!(read_by_person(&mut stage), "Started in the background as `shell_1`");
}

#[test]
fn ids_are_each_agents_own() {
    let mut stage = make();
    stage.calls(Some("x"), &[("a", "Read", json!({"file_path": "/f"}))]);
    let agent = forelook_protocol::AgentId("x".into());
    assert_eq!(stage.view.calls().tool_of(Some(&agent), &CallId("a".into())), Some("Read"));
    stage.finishes(Some("x"), "a", "x");
    assert_eq!(stage.view.calls().tool_of(None, &CallId("a".into())), Some("Bash"));
    stage.of(Some("x"), "tool_finished", finished("a", "denied", "x"));
    assert!(stage.view.result().denials.is_empty(), "nobody saw this agent begin");
}

#[test]
fn what_runs_is_what_a_hook_made_of_it() {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "make"}))]);
    stage.record("tool_started", json!({"call": "a", "input": {"command": "make -n"}}));
    assert_eq!(running(&stage).call().unwrap().input["command"], "make -n");
}

#[test]
fn a_call_that_was_told_as_something_else() {
    let mut stage = make();
    stage.view.suppress_call(CallId("a".into()));
    stage.finishes(None, "a", "x");
    assert!(matches!(&stage.items()[..], [ViewItem::Call(ended)] if ended.reported_as == ReportedAs::Before));
}

#[test]
fn a_line_of_the_persons_own_runs_without_a_turn_and_after_one() {
    let mut stage = make();
    stage.record("user_shell_started", json!({"call": "s", "command": "make"}));
    stage.ends_turn(1);
    assert!(stage.view.is_running() && stage.view.calls().main().count() == 1);
    stage.items();
    stage.record("user_shell_ended", json!({"call": "s", "command": "make", "output": "x"}));
    assert!(!stage.view.is_running());
    assert!(matches!(&stage.items()[..], [ViewItem::Shell(_)]));
}
