//! What a yes covers: the call that was shown, under the rules that held then, from somebody who may say it.

use forelook_engine::{Config, PermissionConfig, SessionStart};
use forelook_permissions::ModeConditions;
use forelook_protocol::{
    Behavior, CallStatus, Command, CommandError, Decision, DecisionStep, Destination, EndReason, EntryBody,
    FrontEnd, HostAnswer, HostRequest, Mode, PermissionUpdate, Query, Reply, RequestKind, RuleValue, Source,
};

use crate::common::{Front, Home, SESSION, life, results, words};

const WRITES: &str = r#"
[[answer]]
call = [{ tool = "Write", input = { file_path = "PROJECT/written", content = "x" } }]
[[answer]]
text = "Done."
"#;

const READS: &str = r#"
[[answer]]
call = [
    { tool = "Read", input = { file_path = "PROJECT/first.txt" } },
    { tool = "Read", input = { file_path = "PROJECT/second.txt" } },
]
[[answer]]
text = "Done."
"#;

const RUNS: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch ran" } }]
[[answer]]
text = "Done."
"#;

/// A session in mode `default` that has asked its first question.
async fn asked(home: &Home, script: &str, permissions: PermissionConfig) -> (Front, HostRequest) {
    let script = script.replace("PROJECT", &home.project.to_string());
    let config = home.config(SessionStart::New(Some(SESSION)), &script);
    let mut front = Front::open(Config { mode: Some(Mode::Default), permissions, ..config }).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

fn mode(mode: Mode) -> PermissionUpdate {
    PermissionUpdate::SetMode { mode, destination: Destination::Session }
}

fn yes_and(updates: Vec<PermissionUpdate>) -> HostAnswer {
    HostAnswer::Allow { updates, input: None }
}

/// What is open, as somebody sees it who comes now.
async fn open(front: &Front) -> Vec<HostRequest> {
    Front::attach(&front.client, FrontEnd::watching("another")).await.snapshot.requests
}

fn questions(home: &Home) -> usize {
    home.entries().iter().filter(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))).count()
}

#[test]
fn a_yes_that_begins_planning_writes_nothing() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, WRITES, home.permissions(&[])).await;
        front.answer(&question, yes_and(vec![mode(Mode::Plan)])).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("written"), None, "the yes was to something else");
        assert_eq!(results(&home)[0].0, CallStatus::Denied);
        let last = home.entries().into_iter().rev().find_map(|entry| match entry.body {
            EntryBody::PermissionDecided(decided) => Some(decided.decision),
            _ => None,
        });
        let Some(Decision::Deny(reason)) = last else { panic!("{last:?}") };
        assert_eq!(reason.step, DecisionStep::PlanGate);
        front.close().await;
    });
}

#[test]
fn a_rule_that_comes_after_the_yes_and_before_the_read_wins() {
    life(async {
        let home = Home::new();
        home.file("first.txt", "the first secret\n");
        home.file("second.txt", "the second text\n");
        let (mut front, first) = asked(&home, READS, home.permissions(&["ask Read"])).await;
        front.answer(&first, HostAnswer::yes()).await.unwrap();
        let second = front.question().await;
        let value = RuleValue {
            tool_name: "Read".into(),
            rule_content: Some("first.txt".into()),
            examples: Vec::new(),
        };
        let deny = PermissionUpdate::AddRules {
            rules: vec![value],
            behavior: Behavior::Deny,
            destination: Destination::Session,
        };
        front.send(Command::UpdatePermissions(deny)).await.unwrap();
        // Rules changed while this one was open, so it is asked again.
        front.answer(&second, HostAnswer::yes()).await.unwrap();
        let again = front.question().await;
        front.answer(&again, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let statuses: Vec<CallStatus> = results(&home).into_iter().map(|(status, _)| status).collect();
        assert_eq!(statuses, [CallStatus::Denied, CallStatus::Ran]);
        let told: String = home.last_request().iter().map(words).collect();
        assert!(!told.contains("the first secret"), "{told}");
        assert!(results(&home)[1].1.contains("the second text"));
        front.close().await;
    });
}

#[test]
fn whoever_only_watches_cannot_say_yes() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, WRITES, home.permissions(&[])).await;
        let watcher = Front::attach(&front.client, FrontEnd::watching("watcher")).await;
        let refused = watcher.answer(&question, HostAnswer::yes()).await;
        assert_eq!(refused, Err(CommandError::NotDeclared(RequestKind::Permission)));
        assert_eq!(open(&front).await, std::slice::from_ref(&question));
        assert_eq!(home.text("written"), None);
        front.answer(&question, HostAnswer::Deny { message: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("written"), None);
        front.close().await;
    });
}

#[test]
fn whoever_said_that_nobody_is_there_cannot_say_yes() {
    life(async {
        let home = Home::new();
        let (front, question) = asked(&home, WRITES, home.permissions(&[])).await;
        let mut other = Front::attach(&front.client, FrontEnd::attended("other")).await;
        front.send(Command::Unattended).await.unwrap();
        let refused = front.answer(&question, HostAnswer::yes()).await;
        assert_eq!(refused, Err(CommandError::NotDeclared(RequestKind::Permission)));
        assert_eq!(open(&front).await, std::slice::from_ref(&question));
        assert_eq!(home.text("written"), None);
        other.answer(&question, HostAnswer::yes()).await.unwrap();
        assert_eq!(other.turn_end().await, EndReason::Done);
        assert!(home.text("written").is_some(), "the other may");
        other.close().await;
    });
}

/// All of an answer or nothing: what cannot be had takes the rest with it, and the question is as it was.
#[test]
fn an_answer_with_a_mode_that_cannot_be_had_changes_nothing() {
    life(async {
        let home = Home::new();
        let permissions = home.permissions(&[]);
        let conditions = ModeConditions { bypass: Err("not here".into()), ..permissions.conditions.clone() };
        let (mut front, question) = asked(&home, RUNS, PermissionConfig { conditions, ..permissions }).await;
        let rule = PermissionUpdate::allow(&["Bash".into()], Destination::Session).unwrap();
        let refused = front.answer(&question, yes_and(vec![rule, mode(Mode::BypassPermissions)])).await;
        assert!(matches!(refused, Err(CommandError::Mode(_))), "{refused:?}");
        let Reply::Rules(rules) = front.query(Query::Rules).await else { panic!("no rules") };
        assert!(rules.iter().all(|rule| rule.source != Source::Session), "{rules:?}");
        assert!(!home.entries().iter().any(|entry| matches!(entry.body, EntryBody::PermissionsChanged(_))));
        assert_eq!(open(&front).await, std::slice::from_ref(&question));
        assert_eq!(home.text("ran"), None);
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("ran").is_some());
        assert_eq!(questions(&home), 1, "the plain yes counts at once");
        front.close().await;
    });
}
