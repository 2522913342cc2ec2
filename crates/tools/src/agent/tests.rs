//! Agents that a made-up session starts.

use std::sync::{Arc, Mutex};

use forelook_plan::{Eagerness, Workflow};
use forelook_protocol::{AgentId, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{BuiltTools, Host, NoHost, SmallAnswer, SmallQuestion, Toolbox, Web};

/// A session that notes the task and answers this.
struct Made {
    tasks: Mutex<Vec<AgentTask>>,
    answer: Result<AgentReport, AgentFailure>,
}

impl Host for Made {
    fn ask_small(&self, question: SmallQuestion) -> BoxFuture<'_, Result<SmallAnswer, String>> {
        async move { NoHost.ask_small(question).await }.boxed()
    }

    fn enter_plan(&self) -> BoxFuture<'_, Result<(), String>> {
        async { Err("not asked for".to_owned()) }.boxed()
    }

    fn start_agent(&self, task: AgentTask) -> BoxFuture<'_, Result<AgentReport, AgentFailure>> {
        self.tasks.lock().unwrap().push(task);
        let answer = self.answer.clone();
        async move { answer }.boxed()
    }
}

fn report(text: &str) -> AgentReport {
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_input_tokens: 3000,
        cache_creation_input_tokens: 5,
    };
    AgentReport { agent: AgentId("a1".into()), text: text.into(), usage, calls: 3, took_ms: 12_345 }
}

fn bench(answer: Result<AgentReport, AgentFailure>) -> (Bench, Arc<Made>) {
    let listing = |name: &str, read_only| AgentListing {
        name: name.to_owned(),
        description: "Does\n  things.".to_owned(),
        read_only,
    };
    let tools = Toolbox::built(BuiltTools {
        eagerness: Eagerness::Eager,
        workflow: Workflow::default(),
        agents: vec![listing("Explore", true), listing("general-purpose", false)],
        channels: false,
        web: Web::default(),
    });
    let host = Arc::new(Made { tasks: Mutex::default(), answer });
    let mut bench = Bench::new().with(tools);
    bench.cx.host = Arc::clone(&host) as Arc<dyn Host>;
    (bench, host)
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

#[tokio::test]
async fn the_last_message_comes_back_with_its_cost() {
    let (mut bench, host) = bench(Ok(report("It is in `/p/parser.rs`.\n")));
    let outcome = bench.call("Agent", and(json!({"model": "m", "mode": "plan"}))).await;
    assert_eq!(bench.cx.action, Action::Agent { kind: "Explore".into(), read_only: true });
    assert_eq!(
        outcome.result.text(),
        "It is in `/p/parser.rs`.\n\n[Explore: 3105 tokens read, 20 written, 3 calls, 12.3 s]"
    );
    insta::assert_json_snapshot!(outcome.output);
    let task = host.tasks.lock().unwrap().remove(0);
    assert_eq!(
        (task.kind.as_str(), task.description.as_str(), task.prompt.as_str()),
        ("Explore", "find it", "Find the parser")
    );
    assert_eq!(
        (task.model.as_deref(), task.mode, task.call),
        (Some("m"), Some(Mode::Plan), bench.cx.call.clone())
    );
    bench.cx.cancel.cancel();
    assert!(task.cancel.is_cancelled(), "an interrupt of the turn reaches the agent");
}

#[tokio::test]
async fn silence_is_said_to_be_silence() {
    let (mut bench, _) = bench(Ok(AgentReport { calls: 1, took_ms: 90, ..report(" ") }));
    let text = bench.ok("Agent", input()).await;
    assert_eq!(
        text,
        "The agent ended without a message\n\n[Explore: 3105 tokens read, 20 written, 1 call, 0.0 s]"
    );
}

#[tokio::test]
async fn a_failure_says_why_and_what_had_been_said() {
    let why = "The model's server was not reached".to_owned();
    let (mut first, _) = bench(Err(AgentFailure { why: why.clone(), report: None }));
    let outcome = first.call("Agent", input()).await;
    assert!(outcome.result.is_error && outcome.output.is_none());
    assert_eq!(outcome.result.text(), format!("The agent `Explore` did not finish: {why}"));
    let (mut second, _) =
        bench(Err(AgentFailure { why: why.clone(), report: Some(report("I looked at a")) }));
    let outcome = second.call("Agent", input()).await;
    assert!(outcome.result.is_error && outcome.output.is_some());
    let text = outcome.result.text();
    assert!(text.contains(&why) && text.contains("may be half of it:\nI looked at a\n\n[Explore:"), "{text}");
    let (mut third, _) = bench(Err(AgentFailure { why, report: Some(report("")) }));
    assert!(third.failure("Agent", input()).await.contains("It had said nothing yet"));
}

#[tokio::test]
async fn bad_input_starts_nothing() {
    let (mut bench, host) = bench(Ok(report("x")));
    for (given, part) in [
        (json!({"description": "d", "prompt": "p"}), "missing field `subagent_type`"),
        (and(json!({"subagent_type": "explorer"})), "did you mean `Explore`?"),
        (and(json!({"subagent_type": "painter"})), "one of `Explore`, `general-purpose`"),
        (and(json!({"mode": "Plan"})), "acceptEdits"),
        (and(json!({"model": " "})), "`model` is empty"),
        (and(json!({"prompt": " "})), "`prompt` must have 1 to"),
        (and(json!({"description": "x".repeat(201)})), "`description` must have 1 to 200"),
        (and(json!({"run_in_background": true})), "`run_in_background` is not there yet"),
        (and(json!({"team_name": "a"})), "`team_name` is not there yet"),
        (and(json!({"name": "a"})), "`name` is not there yet"),
        (and(json!({"isolation": "worktree"})), "`isolation` is not there yet"),
        (and(json!({"budget": 3})), "unknown field `budget`"),
    ] {
        let text = bench.failure("Agent", given.clone()).await;
        assert!(text.contains(part), "{given}: {text}");
    }
    assert!(host.tasks.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_a_session_there_are_no_agents() {
    let (mut bench, _) = bench(Ok(report("x")));
    bench.cx.host = Arc::new(crate::NoHost);
    assert!(bench.failure("Agent", input()).await.contains("not available here"));
}
