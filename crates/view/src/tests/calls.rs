//! Calls: what they wrote, when it is told that they still run, and what came of them.

use serde_json::json;

use super::*;
use crate::{CallOutcome, Running, ToldAs};

fn make() -> Stage {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "make"}))]);
    stage.record("started", json!({"call": "a"}));
    stage
}

fn running(stage: &Stage) -> &Running {
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
        stage.live(Live::Progress { agent: None, call: call.clone(), elapsed_ms: second * 1_000, note });
        told.extend(stage.view.progress_is_due(None, &call).then_some(second));
    }
    assert_eq!(told, [5, 10, 20, 40, 80, 140, 200, 260]);
    assert_eq!(running(&stage).note.as_deref(), Some("300"));
    stage.finishes(None, "a", "x");
    assert!(!stage.view.progress_is_due(None, &call), "it has ended");
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
        stage.record("finished", finished("a", verdict, "x"));
        let items = stage.items();
        assert!(matches!(&items[..], [Item::Call(ended)] if ended.outcome == expected), "{verdict}");
        assert_eq!(stage.view.calls().main().count(), 0);
        assert_eq!(stage.view.result().denials.len(), usize::from(verdict == "denied"));
        assert_eq!(stage.view.result().cut_calls, verdict == "interrupted");
    }
}

#[test]
fn ids_are_each_agents_own() {
    let mut stage = make();
    stage.calls(Some("x"), &[("a", "Read", json!({"file_path": "/f"}))]);
    let agent = forelook_protocol::AgentId("x".into());
    assert_eq!(stage.view.calls().tool_of(Some(&agent), &CallId("a".into())), Some("Read"));
    stage.finishes(Some("x"), "a", "x");
    assert_eq!(stage.view.calls().tool_of(None, &CallId("a".into())), Some("Bash"));
    stage.of(Some("x"), "finished", finished("a", "denied", "x"));
    assert!(stage.view.result().denials.is_empty(), "nobody saw this agent begin");
}

#[test]
fn what_runs_is_what_a_hook_made_of_it() {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "make"}))]);
    stage.record("started", json!({"call": "a", "input": {"command": "make -n"}}));
    assert_eq!(running(&stage).call().unwrap().input["command"], "make -n");
}

#[test]
fn a_call_that_was_told_as_something_else() {
    let mut stage = make();
    stage.view.tell_as_another(CallId("a".into()));
    stage.finishes(None, "a", "x");
    assert!(matches!(&stage.items()[..], [Item::Call(ended)] if ended.told == ToldAs::Before));
}

#[test]
fn a_line_of_the_persons_own_runs_without_a_turn_and_after_one() {
    let mut stage = make();
    stage.record("shell_started", json!({"call": "s", "command": "make"}));
    stage.ends_turn(1);
    assert!(stage.view.is_running() && stage.view.calls().main().count() == 1);
    stage.items();
    stage.record("shell_ended", json!({"call": "s", "command": "make", "output": "x"}));
    assert!(!stage.view.is_running());
    assert!(matches!(&stage.items()[..], [Item::Shell(_)]));
}
