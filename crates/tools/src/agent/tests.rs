//! Tasks for agents, and what comes of them in words.

use forelook_plan::Eagerness;
use forelook_protocol::Action;
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{BuiltinToolOptions, Toolbox, WebAccess};

fn report(text: &str) -> AgentReport {
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_input_tokens: 3000,
        cache_creation_input_tokens: 5,
    };
    AgentReport {
        agent: AgentId("a1".into()),
        text: text.into(),
        usage,
        calls: 3,
        took_ms: 12_345,
        shells: Vec::new(),
        plan: None,
    }
}

fn tools() -> Toolbox {
    let listing = |name: &str, read_only| AgentListing {
        name: name.to_owned(),
        description: "Does\n  things.".to_owned(),
        read_only,
    };
    crate::testing::built(BuiltinToolOptions {
        eagerness: Eagerness::Eager,
        agents: vec![listing("Explore", true), listing("general-purpose", false)],
        channels: false,
        web: WebAccess::default(),
    })
}

fn explored(ended: &Result<AgentReport, AgentFailure>) -> ToolOutcome {
    reported(CallId("call".into()), "Explore", ended)
}

fn input() -> Value {
    json!({"description": "find it", "prompt": "Find the parser", "subagent_type": "Explore"})
}

fn and(fields: Value) -> Value {
    let mut input = input();
    for (name, value) in fields.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

#[test]
fn the_task_is_what_the_model_sent() {
    let parsed = |input| tools().get("Agent").unwrap().parse(&input).unwrap();
    let task = |input| match parsed(input).kind {
        CallKind::Agent(task) => task,
        _ => panic!("no agent"),
    };
    let plain = AgentTask {
        kind: "Explore".into(),
        read_only: true,
        description: "find it".into(),
        prompt: "Find the parser".into(),
        model: None,
        mode: None,
    };
    assert_eq!(task(input()), plain);
    assert_eq!(
        task(and(json!({"model": "m", "mode": "plan"}))),
        AgentTask { model: Some("m".into()), mode: Some(Mode::Plan), ..plain }
    );
    for (kind, read_only) in [("Explore", true), ("general-purpose", false)] {
        let call = parsed(and(json!({"subagent_type": kind})));
        assert_eq!(call.action(&Bench::new().cx.place), Ok(Action::Agent { kind: kind.into(), read_only }));
        assert!(call.concurrency_safe);
    }
}

#[test]
fn the_last_message_comes_back_with_its_cost() {
    let outcome = explored(&Ok(report("It is in `/p/parser.rs`.\n")));
    assert!(!outcome.result.is_error);
    assert_eq!(
        outcome.result.text(),
        "It is in `/p/parser.rs`.\n\n[Explore: 3105 input tokens, 20 output tokens, 3 calls, 12.3 s]"
    );
    insta::assert_json_snapshot!(outcome.output);
}

#[test]
fn silence_is_said_to_be_silence() {
    let outcome = explored(&Ok(AgentReport { calls: 1, took_ms: 90, ..report(" ") }));
    assert_eq!(
        outcome.result.text(),
        "The agent finished without a message\n\n[Explore: 3105 input tokens, 20 output tokens, 1 call, 0.0 s]"
    );
}

#[test]
fn a_failure_says_why_and_what_had_been_said() {
    let why = "The model's server was not reached";
    let failed = |report| explored(&Err(AgentFailure { why: why.to_owned(), report }));
    let outcome = failed(None);
    assert!(outcome.result.is_error && outcome.output.is_none());
    assert_eq!(outcome.result.text(), format!("Agent `Explore` did not finish: {why}"));
    let outcome = failed(Some(report("I looked at a")));
    assert!(outcome.result.is_error && outcome.output.is_some());
    let text = outcome.result.text();
    assert!(text.contains(why) && text.contains("may be incomplete:\nI looked at a\n\n[Explore:"), "{text}");
    assert!(failed(Some(report(""))).result.text().contains("It had not said anything yet"));
}

#[tokio::test]
async fn bad_input_starts_nothing() {
    let mut bench = Bench::new().with(tools());
    for (given, part) in [
        (json!({"description": "d", "prompt": "p"}), "missing field `subagent_type`"),
        (and(json!({"subagent_type": "explorer"})), "did you mean `Explore`?"),
        (and(json!({"subagent_type": "painter"})), "one of `Explore`, `general-purpose`"),
        (and(json!({"mode": "Plan"})), "id you mean `plan`"),
        (and(json!({"model": " "})), "`model` is empty"),
        (and(json!({"prompt": " "})), "`prompt` must have 1 to"),
        (and(json!({"description": "x".repeat(201)})), "`description` must have 1 to 200"),
        (and(json!({"run_in_background": true})), "`run_in_background` is not supported"),
        (and(json!({"team_name": "a"})), "`team_name` is not supported"),
        (and(json!({"name": "a"})), "`name` is not supported"),
        (and(json!({"isolation": "worktree"})), "`isolation` is not supported"),
        (and(json!({"budget": 3})), "unknown field `budget`"),
    ] {
        let text = bench.failure("Agent", given.clone()).await;
        assert!(text.contains(part), "{given}: {text}");
    }
}

#[test]
fn what_it_left_running_is_its_callers() {
    let shells = vec!["`shell_2` (running): npm run dev".to_owned()];
    let outcome = explored(&Ok(AgentReport { shells, ..report("Done.") }));
    let text = outcome.result.text();
    let left = "Done.\n\nBackground shells that it left running are yours now:\n- `shell_2` (running): npm run dev\n\n[";
    assert!(text.starts_with(left), "{text}");
}
