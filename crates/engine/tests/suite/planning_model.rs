//! What a request is made of while planning: which model, which tools, and what changed settings make of it.

use std::sync::{Arc, Mutex};

use forelook_engine::{Config, PolicyStore, Responder, SessionStart};
use forelook_permissions::ModeConditions;
use forelook_protocol::{
    Approval, ClassifierInPlan, Command, EntryBody, HostAnswer, Mode, PermissionUpdate, PlanAnswer, Reviewer,
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
        let mut config = home.config(SessionStart::New(Some(SESSION)), TURNS);
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
        let mut front = Front::open(home.deferring(SessionStart::New(Some(SESSION)), SEARCHES)).await;
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
        let mut front = Front::open(home.deferring(SessionStart::Resume(SESSION), SEARCHES)).await;
        front.say("again").await;
        front.turn_end().await;
        let last = home.requests().pop().unwrap();
        assert_eq!(last["tools"], requests[1]["tools"]);
        front.close().await;
    });
}

/// Settings that say something else once.
struct Changing(Mutex<Option<ModeConditions>>);

impl PolicyStore for Changing {
    fn save(&self, _: &PermissionUpdate) -> Result<(), String> {
        Ok(())
    }

    fn changed(&self) -> Option<ModeConditions> {
        self.0.lock().unwrap().take()
    }
}

#[test]
fn a_changed_setting_counts_at_once() {
    life(async {
        for (before, expected) in
            [(Mode::Default, ClassifierInPlan::On), (Mode::BypassPermissions, ClassifierInPlan::NeverOn)]
        {
            let home = Home::new();
            let mut config = home.config(SessionStart::New(Some(SESSION)), TURNS);
            let policy_store = Arc::new(Changing(Mutex::new(None)));
            config.permissions.policy_store = Arc::clone(&policy_store) as Arc<dyn PolicyStore>;
            let (off, on) = (
                config.permissions.conditions.clone(),
                ModeConditions { auto_during_plan: true, ..config.permissions.conditions.clone() },
            );
            let mut front = Front::open(Config { mode: Some(before), ..config }).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            let mut judge_after = async |conditions: ModeConditions| {
                *policy_store.0.lock().unwrap() = Some(conditions);
                front.say("go").await;
                front.turn_end().await;
                let set = home.entries().into_iter().rev().find_map(|entry| match entry.body {
                    EntryBody::ModeChanged(set) => set.mode_state.pre_plan(),
                    _ => None,
                });
                let Some(pre_plan) = set else { panic!("not planning") };
                assert_eq!(pre_plan.mode, before);
                pre_plan.classifier
            };
            assert_eq!(judge_after(on).await, expected);
            let over = if expected == ClassifierInPlan::On {
                ClassifierInPlan::TurnedOff
            } else {
                ClassifierInPlan::NeverOn
            };
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
        let config = home.config(SessionStart::New(Some(SESSION)), EXITS);
        let config = Config {
            mode: Some(Mode::Plan),
            responder: Responder::Person,
            reviewer: Responder::Lead,
            ..config
        };
        let mut front = Front::open(config).await;
        front.say("go").await;
        let question = front.question().await;
        front.send(Command::Unattended).await.unwrap();
        let forelook_protocol::HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
        let approval = Approval { hash: review.hash.clone(), ..Approval::default() };
        front.answer(&question, HostAnswer::Plan(PlanAnswer::Approve(approval))).await.unwrap();
        front.turn_end().await;
        let by = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::PlanReviewed(reviewed) => Some(reviewed.by),
            _ => None,
        });
        assert_eq!(by, Some(Reviewer::Lead));
        front.close().await;
    });
}
