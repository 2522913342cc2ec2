//! Subagents: their numbers, and the order in which they are shown.

use serde_json::json;

use super::*;
use forelook_protocol::AgentId;

#[test]
fn numbers_follow_the_calls_and_not_the_beginnings() {
    let mut stage = Stage::default();
    let calls = ["a", "b"].map(|id| (id, "Agent", json!({"description": id})));
    stage.calls(None, &calls);
    stage.starts_agent("y", "b");
    assert!(kinds(&stage.items()).is_empty(), "the first has not begun");
    stage.starts_agent("x", "a");
    assert_eq!(kinds(&stage.items()), ["begins #1", "begins #2"]);
    let numbers: Vec<usize> = stage.view.agents().at_work().map(|agent| agent.number).collect();
    assert_eq!(numbers, [2, 1]);
    stage.starts_agent("z", "elsewhere");
    assert_eq!(kinds(&stage.items()), ["begins #3"]);
}

#[test]
fn one_that_is_held_back_comes_before_whatever_else_is_told() {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Agent", json!({})), ("b", "Agent", json!({}))]);
    stage.starts_agent("y", "b");
    stage.calls(Some("y"), &[("r", "Read", json!({"file_path": "/f"}))]);
    stage.finishes(Some("y"), "r", "x");
    assert_eq!(kinds(&stage.items()), ["begins #2", "Read r"]);
}

#[test]
fn what_it_took_and_what_it_does() {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Agent", json!({}))]);
    stage.starts_agent("x", "a");
    stage.calls(
        Some("x"),
        &[("r", "Read", json!({"file_path": "/f"})), ("g", "Grep", json!({"pattern": "p"}))],
    );
    let agent = stage.view.agents().get(&AgentId("x".into())).unwrap();
    assert_eq!((agent.calls, agent.took_ms, agent.usage.input_tokens), (2, 1_000, 100));
    let newest = agent.newest.as_ref().unwrap();
    assert_eq!((newest.tool.as_str(), newest.about.as_str()), ("Grep", "p"));
    stage.of(Some("x"), "agent_ended", agent_ended());
    assert_eq!(stage.view.agents().at_work().count(), 0);
    assert!(stage.view.calls().get(Some(&AgentId("x".into())), &CallId("r".into())).is_none());
    stage.items();
    stage.finishes(None, "a", "report");
    stage.calls(None, &[("a", "Agent", json!({}))]);
    stage.finishes(None, "a", "none began");
    let items = stage.items();
    let started: Vec<Option<usize>> = items
        .iter()
        .filter_map(|item| match item {
            ViewItem::Call(ended) => Some(ended.started),
            _ => None,
        })
        .collect();
    assert_eq!(started, [Some(1), None]);
}
