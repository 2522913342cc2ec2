//! Searching among the tools that are built in.

use forelook_plan::{Eagerness, Workflow};
use forelook_protocol::{Effect, ToolOutcome};
use proptest::prelude::*;
use serde_json::json;

use crate::testing::Bench;
use crate::{AgentListing, BuiltTools, Toolbox, Web};

fn tools() -> Toolbox {
    let explore =
        AgentListing { name: "Explore".into(), description: "Finds files.".into(), read_only: true };
    Toolbox::built(BuiltTools {
        eagerness: Eagerness::Eager,
        workflow: Workflow::default(),
        agents: vec![explore],
        channels: false,
        web: Web::default(),
    })
}

async fn search(query: &str) -> ToolOutcome {
    let outcome = Bench::new().with(tools()).call("ToolSearch", json!({"query": query})).await;
    assert!(!outcome.result.is_error, "{}", outcome.result.text());
    outcome
}

fn loaded(outcome: &ToolOutcome) -> Vec<String> {
    match outcome.effects.as_slice() {
        [] => Vec::new(),
        [Effect::LoadTools { names }] => names.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn words_find_what_they_mean() {
    for (query, expected) in [
        ("leave plan mode", "ExitPlanMode"),
        ("ExitPlanMode", "ExitPlanMode"),
        ("exit plan", "ExitPlanMode"),
        ("submit my plan for approval", "ExitPlanMode"),
        ("begin planning", "EnterPlanMode"),
        ("enter_plan_mode", "EnterPlanMode"),
        ("design before changing code", "EnterPlanMode"),
    ] {
        let outcome = search(query).await;
        assert_eq!(loaded(&outcome).first().map(String::as_str), Some(expected), "{query}");
        assert!(outcome.result.text().contains(&format!("# {expected}\n")), "{query}");
    }
}

#[tokio::test]
async fn what_is_found_comes_with_its_schema() {
    let outcome = search("select:ExitPlanMode").await;
    insta::assert_snapshot!(outcome.result.text());
    let expected = json!({"query": "select:ExitPlanMode", "loaded": ["ExitPlanMode"], "listed": []});
    assert_eq!(outcome.output, Some(expected));
}

#[tokio::test]
async fn what_is_in_the_list_is_said_to_be() {
    let outcome = search("select:Read, bash,Read").await;
    assert_eq!(outcome.result.text(), "In your list already: `Read`, `Bash`");
    assert_eq!(loaded(&outcome), [""; 0]);
    let outcome = search("read a file").await;
    assert!(outcome.result.text().contains("In your list already: `Read`"), "{}", outcome.result.text());
    let outcome = search("select:EnterPlanMode,Agent,EnterPlanMode").await;
    assert_eq!(loaded(&outcome), ["EnterPlanMode"]);
    assert!(
        outcome.result.text().ends_with("\n\nIn your list already: `Agent`"),
        "{}",
        outcome.result.text()
    );
}

#[tokio::test]
async fn what_is_not_there_is_said_with_what_is() {
    let outcome = search("select:ExitPlan,Nothing").await;
    assert_eq!(
        outcome.result.text(),
        "There is no tool `ExitPlan`; did you mean `ExitPlanMode`?\nThere is no tool `Nothing`\n\
         Nothing was found. By name there are: `Read`, `Edit`, `Write`, `Bash`, `TodoWrite`, `AskUserQuestion`, \
         `EnterPlanMode`, `ExitPlanMode`, `Agent`"
    );
    assert_eq!(loaded(&outcome), [""; 0]);
    for query in ["xylophone", "the tool", "é", "select:x"] {
        assert!(search(query).await.result.text().contains("By name there are"), "{query}");
    }
    let outcome = search("select:exitplanmode,Gone").await;
    assert_eq!(loaded(&outcome), ["ExitPlanMode"], "{}", outcome.result.text());
}

#[tokio::test]
async fn bad_queries_are_told() {
    let mut bench = Bench::new().with(tools());
    for input in [
        json!({}),
        json!({"query": " "}),
        json!({"query": "select: ,"}),
        json!({"query": "x".repeat(1001)}),
        json!({"query": "x", "limit": 3}),
    ] {
        let text = bench.failure("ToolSearch", input).await;
        assert!(text.contains("`query`"), "{text}");
    }
}

proptest! {
    /// Whatever is asked: five at most, none twice, and nothing loaded that was in the list.
    #[test]
    fn any_query_is_safe(query in "(select:)?[a-zA-Z ,_é+\"*-]{1,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = runtime.block_on(Bench::new().with(tools()).call("ToolSearch", json!({"query": query})));
        let mut names = loaded(&outcome);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        prop_assert!(count == names.len() && count <= 5);
        prop_assert!(names.iter().all(|name| name.ends_with("PlanMode")), "{:?}", names);
    }
}
