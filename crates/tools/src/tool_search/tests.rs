//! Searching among the tools that are built in.

use std::sync::Arc;

use forelook_plan::Eagerness;
use forelook_protocol::{SessionEffect, ToolOutcome, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::Bench;
use crate::typed::Adapter;
use crate::{AgentListing, BadInput, BuiltinToolOptions, ParsedCall, Tool, Toolbox, WebAccess};

fn tools() -> Toolbox {
    let explore =
        AgentListing { name: "Explore".into(), description: "Finds files.".into(), read_only: true };
    crate::testing::built(BuiltinToolOptions {
        eagerness: Eagerness::Eager,
        agents: vec![explore],
        channels: false,
        web: WebAccess::default(),
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
        [SessionEffect::LoadTools { names }] => names.clone(),
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
        ("rehearse an edit", "Rehearse"),
        ("try tests while planning", "Rehearse"),
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
    assert_eq!(outcome.result.text(), "Already in your list: `Read`, `Bash`");
    assert_eq!(loaded(&outcome), [""; 0]);
    let outcome = search("read a file").await;
    assert!(outcome.result.text().contains("Already in your list: `Read`"), "{}", outcome.result.text());
    let outcome = search("select:EnterPlanMode,Agent,EnterPlanMode").await;
    assert_eq!(loaded(&outcome), ["EnterPlanMode"]);
    assert!(
        outcome.result.text().ends_with("\n\nAlready in your list: `Agent`"),
        "{}",
        outcome.result.text()
    );
}

#[tokio::test]
async fn what_is_not_there_is_said_with_what_is() {
    let outcome = search("select:ExitPlan,Nothing").await;
    let tools = tools();
    let names = tools.specs().iter().map(|spec| format!("`{}`", spec.name));
    let others: Vec<String> = names.filter(|name| name != "`ToolSearch`").collect();
    assert_eq!(
        outcome.result.text(),
        format!(
            "There is no tool `ExitPlan`; did you mean `ExitPlanMode`?\nThere is no tool `Nothing`\n\
             No tool was found. Available tools: {}",
            others.join(", ")
        )
    );
    assert_eq!(loaded(&outcome), [""; 0]);
    for query in ["xylophone", "the tool", "é", "select:x"] {
        assert!(search(query).await.result.text().contains("Available tools"), "{query}");
    }
    let outcome = search("select:exitplanmode,Gone").await;
    assert_eq!(loaded(&outcome), ["ExitPlanMode"], "{}", outcome.result.text());
}

/// A tool such as a server offers, held back.
struct Foreign(ToolSpec);

impl Tool for Foreign {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn deferred(&self) -> Option<&str> {
        Some("")
    }

    fn parse(self: Arc<Self>, _: &Value) -> Result<ParsedCall, BadInput> {
        Err(BadInput("It is only searched for".to_owned()))
    }
}

/// The tools that are built in and 500 of servers, all of which do something with pages.
fn many(description: &str) -> Toolbox {
    let built = tools();
    let own = built.specs().iter().filter(|spec| spec.name != "ToolSearch");
    let mut all: Vec<Arc<dyn Tool>> = own.filter_map(|spec| built.get(&spec.name)).collect();
    for number in 0..500 {
        let name = format!("mcp__server_{}__page_{number}", number % 10);
        let (description, input_schema) = (description.to_owned(), json!({"type": "object"}));
        all.push(Arc::new(Foreign(ToolSpec { name, description, input_schema })));
    }
    all.push(Arc::new(Adapter::new(super::ToolSearch::new(&all))));
    Toolbox::new(all)
}

#[tokio::test]
async fn hundreds_of_tools_stay_bounded() {
    let mut bench = Bench::new().with(many("Shows a page."));
    let about = many("").get("ToolSearch").unwrap().spec().description.clone();
    assert!(about.len() < 1500 && about.contains("`mcp__server_0__page_0`"), "{about}");
    assert!(about.contains(" more."), "{about}");

    let outcome = bench.call("ToolSearch", json!({"query": "pages"})).await;
    assert_eq!(loaded(&outcome).len(), 5);
    let text = outcome.result.text();
    assert!(text.contains("Left out to keep this short: `mcp__server_5__page_5`"), "{text}");
    assert!(text.ends_with(" more") && text.len() < 2000, "{text}");

    // A word that the name must have makes it fewer.
    let outcome = bench.call("ToolSearch", json!({"query": "+page_41 show"})).await;
    assert!(loaded(&outcome).contains(&"mcp__server_1__page_41".to_owned()), "{outcome:?}");

    let names: Vec<String> = (0..30).map(|at| format!("mcp__server_{}__page_{at}", at % 10)).collect();
    let outcome = bench.call("ToolSearch", json!({"query": format!("select:{}", names.join(","))})).await;
    assert_eq!(loaded(&outcome), names[..20]);
    assert!(outcome.result.text().contains("`mcp__server_9__page_29`"), "what is left out is named");

    let unknown = vec!["nope"; 190].join(",");
    let text = bench.ok("ToolSearch", json!({"query": format!("select:{unknown}")})).await;
    assert!(text.matches("There is no tool").count() == 10 && text.len() < 8000, "{text}");
}

#[tokio::test]
async fn a_servers_long_words_are_cut() {
    let mut bench = Bench::new().with(many(&"very long ".repeat(10_000)));
    let text = bench.ok("ToolSearch", json!({"query": "page"})).await;
    assert!(text.contains("… [+") && text.len() < 110_000, "{}", text.len());
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
        let held_back = |name: &String| name.ends_with("PlanMode") || name == "Rehearse";
        prop_assert!(names.iter().all(held_back), "{:?}", names);
    }
}
