//! A yes to another input than the one that was shown: it runs, but only as far as that input may.

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    Behavior, CallStatus, Decision, Destination, EndReason, EntryBody, HostAnswer, HostRequest, Mode,
    PermissionUpdate, RuleValue,
};
use serde_json::{Value, json};

use crate::common::{Front, Home, SESSION, life, results};

/// The same call twice, one after the other.
const TWICE: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch shown" } }]
[[answer]]
call = [{ tool = "Bash", input = { command = "touch shown" } }]
[[answer]]
text = "Done."
"#;

const ONCE: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch shown" } }]
[[answer]]
text = "Done."
"#;

async fn asked(home: &Home, script: &str, rules: &[&str]) -> (Front, HostRequest) {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let permissions = home.permissions(rules);
    let mut front = Front::open(Config { mode: Some(Mode::Default), permissions, ..config }).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

fn instead(input: Value) -> HostAnswer {
    HostAnswer::Allow { updates: Vec::new(), input: Some(input) }
}

/// The inputs that calls ran with where that was another one than the model's.
fn started(home: &Home) -> Vec<Option<Value>> {
    let started = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::ToolStarted(started) => Some(started.input),
        _ => None,
    });
    started.collect()
}

fn questions(home: &Home) -> usize {
    home.entries().iter().filter(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))).count()
}

#[test]
fn the_other_input_runs() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, ONCE, &[]).await;
        let other = json!({ "command": "touch other" });
        front.answer(&question, instead(other.clone())).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!((home.text("shown"), home.text("other").as_deref()), (None, Some("")));
        assert_eq!(started(&home), [Some(other)]);
        assert_eq!(questions(&home), 1, "whoever wrote the input has said yes to it");
        front.close().await;
    });
}

#[test]
fn the_same_input_is_no_other() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, ONCE, &[]).await;
        front.answer(&question, instead(json!({ "command": "touch shown" }))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("shown").is_some());
        assert_eq!(started(&home), [None]);
        front.close().await;
    });
}

#[test]
fn an_input_that_does_not_fit_is_an_error_and_nothing_runs() {
    life(async {
        for input in
            [json!({ "command": 7 }), json!({}), json!("touch other"), json!({ "comand": "touch other" })]
        {
            let home = Home::new();
            let (mut front, question) = asked(&home, ONCE, &[]).await;
            front.answer(&question, instead(input.clone())).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            let [(status, text)] = &results(&home)[..] else { panic!("one call, one result") };
            assert_eq!(*status, CallStatus::Invalid, "{input}: {text}");
            assert!(text.contains("command"), "{text}");
            assert_eq!(started(&home), []);
            assert_eq!((home.text("shown"), home.text("other")), (None, None));
            home.last_request();
            front.close().await;
        }
    });
}

/// A yes opens what would be asked. What a rule forbids it does not open, whoever writes the input.
#[test]
fn an_input_that_a_rule_forbids_is_denied() {
    life(async {
        let home = Home::new();
        home.file("kept", "kept\n");
        let (mut front, question) = asked(&home, ONCE, &["deny Bash(rm:*)"]).await;
        front.answer(&question, instead(json!({ "command": "rm kept" }))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let [(status, text)] = &results(&home)[..] else { panic!("one call, one result") };
        assert_eq!(*status, CallStatus::Denied);
        assert!(text.contains("rm:*"), "{text}");
        assert_eq!(home.text("kept").as_deref(), Some("kept\n"));
        assert_eq!(started(&home), []);
        let decisions: Vec<bool> = home
            .entries()
            .into_iter()
            .filter_map(|entry| match entry.body {
                EntryBody::PermissionDecided(decided) => Some(matches!(decided.decision, Decision::Deny(_))),
                _ => None,
            })
            .collect();
        assert_eq!(decisions, [false, true], "asked, and then denied");
        front.close().await;
    });
}

#[test]
fn a_rule_of_the_answer_covers_the_next_call() {
    life(async {
        for (with_rule, asked_again) in [(true, 0), (false, 1)] {
            let home = Home::new();
            let (mut front, question) = asked(&home, TWICE, &[]).await;
            let value = RuleValue {
                tool_name: "Bash".into(),
                rule_content: Some("touch shown".into()),
                examples: Vec::new(),
            };
            let update = PermissionUpdate::AddRules {
                rules: vec![value],
                behavior: Behavior::Allow,
                destination: Destination::Session,
            };
            let updates = with_rule.then_some(update).into_iter().collect();
            front.answer(&question, HostAnswer::Allow { updates, input: None }).await.unwrap();
            if !with_rule {
                let again = front.question().await;
                front.answer(&again, HostAnswer::yes()).await.unwrap();
            }
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(questions(&home), 1 + asked_again);
            assert_eq!(started(&home), [None, None]);
            front.close().await;
        }
    });
}

/// The rule is made, and the input is still looked at: a yes with both opens no more than each of them.
#[test]
fn a_rule_and_another_input_in_one_answer() {
    life(async {
        let home = Home::new();
        home.file("kept", "kept\n");
        let (mut front, question) = asked(&home, TWICE, &["deny Bash(rm:*)"]).await;
        let updates = PermissionUpdate::allow(&["Bash(touch shown)".into()], Destination::Session)
            .into_iter()
            .collect();
        let input = Some(json!({ "command": "rm kept" }));
        front.answer(&question, HostAnswer::Allow { updates, input }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let statuses: Vec<CallStatus> = results(&home).into_iter().map(|(status, _)| status).collect();
        assert_eq!(statuses, [CallStatus::Denied, CallStatus::Ran]);
        assert_eq!(home.text("kept").as_deref(), Some("kept\n"));
        assert_eq!(questions(&home), 1);
        front.close().await;
    });
}
