//! What a request is made of while planning: which model, which tools, and what changed settings make of it.

use std::sync::{Arc, Mutex};

use forelook_engine::{Answerer, Config, RuleKeeper, Start};
use forelook_permissions::Conditions;
use forelook_protocol::{
    Approval, Body, Command, HostAnswer, Judge, Mode, PermissionUpdate, PlanAnswer, Reviewer,
};
use serde_json::Value;

use crate::common::{Front, Home, SESSION, life};

const TURNS: &str = r#"
[[answer]]
name = "small"
text = "Small."
usage = { input_tokens = 150000, cache_read_input_tokens = 40000 }
next = [{ prompt = "grow", goto = "large" }, { goto = "small" }]
[[answer]]
name = "large"
text = "Large."
usage = { input_tokens = 150000, cache_read_input_tokens = 60000 }
next = [{ goto = "large" }]
"#;

fn models(home: &Home) -> Vec<Value> {
    home.requests().iter().map(|request| request["model"].clone()).collect()
}

#[test]
fn the_planning_model_plans_while_the_conversation_fits() {
    life(async {
        let home = Home::new();
        let mut config = home.config(Start::New(Some(SESSION)), TURNS);
        config.planning.model = Some("scripted/other".to_owned());
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        let turn = async |front: &mut Front, words: &str| {
            front.say(words).await;
            front.turn_end().await;
        };
        turn(&mut front, "one").await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        turn(&mut front, "two").await;
        turn(&mut front, "grow").await;
        // The answer made it longer than 200,000 tokens, and the other model reads fewer than the main one.
        turn(&mut front, "three").await;
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        turn(&mut front, "four").await;
        assert_eq!(models(&home), ["main", "other", "other", "main", "main"]);
        front.close().await;
    });
}

#[test]
fn tools_that_are_held_back_are_appended_when_they_are_found() {
    const SEARCHES: &str = r#"
[[answer]]
call = [{ tool = "ToolSearch", input = { query = "select:ExitPlanMode" } }]
[[answer]]
text = "Found."
name = "end"
next = [{ goto = "end" }]
"#;
    life(async {
        let home = Home::new();
        let mut front = Front::open(home.deferring(Start::New(Some(SESSION)), SEARCHES)).await;
        front.say("go").await;
        front.turn_end().await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        front.say("plan").await;
        front.turn_end().await;
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        front.say("work").await;
        front.turn_end().await;
        let names = |request: &Value| -> Vec<String> {
            let tools = request["tools"].as_array().unwrap().iter();
            tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
        };
        let requests = home.requests();
        assert!(!names(&requests[0]).contains(&"ExitPlanMode".to_owned()));
        assert!(!names(&requests[0]).contains(&"EnterPlanMode".to_owned()));
        assert_eq!(names(&requests[1]).last().map(String::as_str), Some("ExitPlanMode"));
        assert!(requests[1..].windows(2).all(|pair| pair[0]["tools"] == pair[1]["tools"]));
        assert!(requests.windows(2).all(|pair| pair[0]["system"] == pair[1]["system"]));
        front.close().await;
        // It is known after a resume too.
        let mut front = Front::open(home.deferring(Start::Resume(SESSION), SEARCHES)).await;
        front.say("again").await;
        front.turn_end().await;
        let last = home.requests().pop().unwrap();
        assert_eq!(last["tools"], requests[1]["tools"]);
        front.close().await;
    });
}

/// Settings that say something else once.
struct Changing(Mutex<Option<Conditions>>);

impl RuleKeeper for Changing {
    fn save(&self, _: &PermissionUpdate) -> Result<(), String> {
        Ok(())
    }

    fn changed(&self) -> Option<Conditions> {
        self.0.lock().unwrap().take()
    }
}

#[test]
fn a_changed_setting_counts_at_once() {
    life(async {
        for (before, expected) in [(Mode::Default, Judge::Is), (Mode::BypassPermissions, Judge::Never)] {
            let home = Home::new();
            let mut config = home.config(Start::New(Some(SESSION)), TURNS);
            let keeper = Arc::new(Changing(Mutex::new(None)));
            config.permissions.keeper = Arc::clone(&keeper) as Arc<dyn RuleKeeper>;
            let (off, on) = (
                config.permissions.conditions.clone(),
                Conditions { auto_during_plan: true, ..config.permissions.conditions.clone() },
            );
            let mut front = Front::open(Config { mode: Some(before), ..config }).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            let mut judge_after = async |conditions: Conditions| {
                *keeper.0.lock().unwrap() = Some(conditions);
                front.say("go").await;
                front.turn_end().await;
                let set = home.entries().into_iter().rev().find_map(|entry| match entry.body {
                    Body::Mode(set) => set.standing.interrupted(),
                    _ => None,
                });
                let Some(interrupted) = set else { panic!("not planning") };
                assert_eq!(interrupted.before, before);
                interrupted.judge
            };
            assert_eq!(judge_after(on).await, expected);
            let over = if expected == Judge::Is { Judge::Was } else { Judge::Never };
            assert_eq!(judge_after(off).await, over);
            front.close().await;
        }
    });
}

#[test]
fn a_lead_answers_though_no_front_end_is_there() {
    const EXITS: &str = "[[answer]]\ncall = [{ tool = \"ExitPlanMode\" }]\n[[answer]]\ntext = \"Done.\"\n";
    life(async {
        let home = Home::new();
        let config = home.config(Start::New(Some(SESSION)), EXITS);
        let config =
            Config { mode: Some(Mode::Plan), answerer: Answerer::Person, reviewer: Answerer::Lead, ..config };
        let mut front = Front::open(config).await;
        front.say("go").await;
        let question = front.question().await;
        front.send(Command::Unattended).await.unwrap();
        let forelook_protocol::HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
        let approval = Approval { hash: review.hash.clone(), ..Approval::default() };
        front.answer(&question, HostAnswer::Plan(PlanAnswer::Approve(approval))).await.unwrap();
        front.turn_end().await;
        let by = home.entries().into_iter().find_map(|entry| match entry.body {
            Body::Review(reviewed) => Some(reviewed.by),
            _ => None,
        });
        assert_eq!(by, Some(Reviewer::Lead));
        front.close().await;
    });
}
