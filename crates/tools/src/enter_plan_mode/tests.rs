//! Every way in which asking to plan can go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_plan::Way;
use forelook_protocol::{Choice, PlanAnswer};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use crate::testing::Bench;
use crate::{
    AgentFailure, AgentReport, AgentTask, BuiltTools, Host, NoHost, SmallAnswer, SmallQuestion, Toolbox, Web,
};

/// A session that counts how often planning began.
#[derive(Default)]
struct Made(AtomicUsize);

impl Host for Made {
    fn ask_small(&self, question: SmallQuestion) -> BoxFuture<'_, Result<SmallAnswer, String>> {
        async move { NoHost.ask_small(question).await }.boxed()
    }

    fn enter_plan(&self) -> BoxFuture<'_, Result<(), String>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }.boxed()
    }

    fn start_agent(&self, task: AgentTask) -> BoxFuture<'_, Result<AgentReport, AgentFailure>> {
        async move { NoHost.start_agent(task).await }.boxed()
    }
}

fn bench(way: Way) -> (Bench, Arc<Made>) {
    let tools = Toolbox::built(BuiltTools {
        eagerness: Eagerness::Eager,
        workflow: Workflow { way, ..Workflow::default() },
        agents: vec![],
        channels: false,
        web: Web::default(),
    });
    let host = Arc::new(Made::default());
    let mut bench = Bench::new().with(tools);
    bench.cx.host = Arc::clone(&host) as Arc<dyn Host>;
    (bench, host)
}

#[tokio::test]
async fn only_a_yes_begins_it() {
    let (mut bench, host) = bench(Way::default());
    let mut refusals = Vec::new();
    for answer in [
        None,
        Some(Answer::Deny { message: None }),
        Some(Answer::Deny { message: Some("just do it".into()) }),
        Some(Answer::Dismissed),
        Some(Answer::Interrupted),
        Some(Answer::Nobody),
        Some(Answer::Outdated),
        Some(Answer::Chosen { choices: vec![Choice::Words("yes".into())] }),
        Some(Answer::Plan(PlanAnswer::Park)),
    ] {
        let named = format!("{answer:?}");
        bench.cx.answer = answer;
        refusals.push(format!("{named}\n{}", bench.failure("EnterPlanMode", json!({})).await));
    }
    assert_eq!(host.0.load(Ordering::Relaxed), 0);
    insta::assert_snapshot!(refusals.join("\n\n"));
    bench.answer(Answer::yes());
    let text = bench.ok("EnterPlanMode", json!({})).await;
    assert_eq!(bench.cx.action, Action::EnterPlan);
    assert_eq!(text, enter_result(&Workflow::default()));
    assert_eq!(host.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_result_follows_the_workflow() {
    let (mut bench, _) = bench(Way::Interview);
    bench.answer(Answer::yes());
    let text = bench.ok("EnterPlanMode", json!({})).await;
    assert_ne!(text, enter_result(&Workflow::default()));
}

#[tokio::test]
async fn a_session_that_cannot_says_so() {
    let (mut bench, _) = bench(Way::default());
    bench.cx.host = Arc::new(NoHost);
    bench.answer(Answer::yes());
    assert!(bench.failure("EnterPlanMode", json!({})).await.contains("not available"));
}

#[tokio::test]
async fn a_subagent_never_enters() {
    let (mut bench, host) = bench(Way::default());
    bench.cx.subagent = true;
    bench.answer(Answer::yes());
    let text = bench.failure("EnterPlanMode", json!({})).await;
    assert!(text.contains("cannot begin to plan"), "{text}");
    assert_eq!(host.0.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn the_input_is_empty_and_strict() {
    let (mut bench, host) = bench(Way::default());
    bench.answer(Answer::yes());
    let text = bench.failure("EnterPlanMode", json!({"plan": "x"})).await;
    assert!(text.contains("unknown field `plan`") && text.ends_with("takes no fields: send `{}`"), "{text}");
    bench.failure("EnterPlanMode", json!("now")).await;
    assert_eq!(host.0.load(Ordering::Relaxed), 0);
}
