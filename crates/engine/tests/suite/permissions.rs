//! Approvals are bound to exactly what was approved, under exactly the state it was approved in.

use std::sync::{Arc, Mutex};

use forelook_engine::{Config, PolicyStore, SessionStart};
use forelook_hooks::{DEFAULT_TIMEOUT, Hook, HookEvent, HookHandler, Hooks, Matcher};
use forelook_protocol::{
    Behavior, Command, CommandError, Destination, EndReason, EntryBody, HostAnswer, HostAsk, Mode,
    PermissionUpdate, Query, Reply, RuleValue,
};
use forelook_tools::ChildEnv;

use crate::common::{Front, Home, SESSION, life};

const SCRIPT: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch first" } }, { tool = "Bash", input = { command = "touch second" } }]
[[answer]]
text = "Done."
"#;

async fn asked(
    home: &Home,
    change: impl FnOnce(Config) -> Config,
) -> (Front, forelook_protocol::HostRequest) {
    let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
    let mut front = Front::open(change(Config { mode: Some(Mode::Default), ..config })).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

fn rule(behavior: Behavior, content: &str, destination: Destination) -> PermissionUpdate {
    let rule =
        RuleValue { tool_name: "Bash".into(), rule_content: Some(content.into()), examples: Vec::new() };
    PermissionUpdate::AddRules { rules: vec![rule], behavior, destination }
}

/// Every `..` of a path takes one more look at the disk.
#[test]
fn a_path_that_climbs_is_asked_about() {
    life(async {
        let home = Home::new();
        std::fs::create_dir_all(home.project.join("a/b/c/d")).unwrap();
        let script = SCRIPT.replace("touch first", "echo x > a/b/c/d/../../../../climbed");
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("Do it").await;
        let question = front.question().await;
        let HostAsk::Permission { input, .. } = &question.ask else { panic!("{question:?}") };
        assert!(input.to_string().contains("climbed"), "{input}");
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let second = front.question().await;
        front.answer(&second, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("climbed").as_deref(), Some("x\n"));
        front.close().await;
    });
}

#[test]
fn a_yes_given_before_the_mode_changed_is_void() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        // The mode may have answered first; then there is nothing left to say yes to.
        let late = front.answer(&question, HostAnswer::yes()).await;
        assert!(matches!(late, Ok(_) | Err(CommandError::NotOpen { .. })), "{late:?}");
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!((home.text("first"), home.text("second")), (None, None), "plan mode was walked round");
        front.close().await;
    });
}

#[test]
fn a_deny_rule_that_comes_meanwhile_wins() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        front
            .send(Command::UpdatePermissions(rule(Behavior::Deny, "touch:*", Destination::Session)))
            .await
            .unwrap();
        let late = front.answer(&question, HostAnswer::yes()).await;
        assert!(matches!(late, Ok(_) | Err(CommandError::NotOpen { .. })), "{late:?}");
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!((home.text("first"), home.text("second")), (None, None));
        front.close().await;
    });
}

#[test]
fn a_change_that_leaves_it_to_the_person_asks_again() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        front
            .send(Command::UpdatePermissions(rule(Behavior::Allow, "make", Destination::Session)))
            .await
            .unwrap();
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let again = front.question().await;
        assert_eq!(again.call, question.call);
        assert_ne!(again.id, question.id);
        front.answer(&again, HostAnswer::yes()).await.unwrap();
        let second = front.question().await;
        front.answer(&second, HostAnswer::Deny { message: Some("not that".into()) }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("first").is_some() && home.text("second").is_none());
        front.close().await;
    });
}

#[test]
fn the_rules_in_force_can_be_seen() {
    life(async {
        let home = Home::new();
        let (front, _) = asked(&home, |config| config).await;
        let rules = async || match front.query(Query::Rules).await {
            Reply::Rules(rules) => rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let before = rules().await;
        let update = rule(Behavior::Allow, "make", Destination::Session);
        front.send(Command::UpdatePermissions(update)).await.unwrap();
        let mut expected = vec!["allow `Bash(make)` (session)".to_owned()];
        expected.extend(before);
        assert_eq!(rules().await, expected);
        front.close().await;
    });
}

/// "Yes, and this rule for the session": the call runs without a second question, and so does its sibling.
#[test]
fn a_rule_of_the_answer_does_not_void_it_and_covers_the_sibling() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        let updates = vec![rule(Behavior::Allow, "touch:*", Destination::Session)];
        front.answer(&question, HostAnswer::Allow { updates, input: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("first").is_some() && home.text("second").is_some());
        front.close().await;
        // The rule is the session's: it still holds when the session goes on.
        let mut front = Front::open(Config {
            mode: None,
            ..home.config(
                SessionStart::Resume(SESSION),
                &format!("{SCRIPT}{}", SCRIPT.replace("touch first", "touch third")),
            )
        })
        .await;
        front.say("More").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("third").is_some());
        front.close().await;
    });
}

#[test]
fn a_yes_with_a_mode_is_final_for_its_call() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        let mode = PermissionUpdate::SetMode { mode: Mode::DontAsk, destination: Destination::Session };
        front.answer(&question, HostAnswer::Allow { updates: vec![mode], input: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("first").is_some(), "the yes was for this call");
        assert!(home.text("second").is_none(), "and the mode for the next");
        front.close().await;
    });
}

struct RecordingPolicyStore(Mutex<Vec<PermissionUpdate>>);

impl PolicyStore for RecordingPolicyStore {
    fn save(&self, update: &PermissionUpdate) -> Result<(), String> {
        self.0.lock().unwrap().push(update.clone());
        Ok(())
    }
}

#[test]
fn a_saved_rule_is_on_the_disk_before_the_call_runs_or_nothing_happens() {
    life(async {
        let home = Home::new();
        let save = vec![rule(Behavior::Allow, "touch:*", Destination::LocalSettings)];
        // The default keeper of these tests fails.
        let (mut front, question) = asked(&home, |config| config).await;
        let refused = front.answer(&question, HostAnswer::Allow { updates: save.clone(), input: None }).await;
        assert!(matches!(refused, Err(CommandError::Permission(why)) if why.contains("read-only")));
        assert!(home.text("first").is_none(), "the question must still be open");
        front.answer(&question, HostAnswer::Deny { message: None }).await.unwrap();
        let second = front.question().await;
        front.answer(&second, HostAnswer::Deny { message: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;

        let home = Home::new();
        let policy_store = Arc::new(RecordingPolicyStore(Mutex::default()));
        let mut permissions = home.permissions(&[]);
        permissions.policy_store = Arc::clone(&policy_store) as Arc<dyn PolicyStore>;
        let (mut front, question) = asked(&home, |config| Config { permissions, ..config }).await;
        front.answer(&question, HostAnswer::Allow { updates: save.clone(), input: None }).await.unwrap();
        assert_eq!(*policy_store.0.lock().unwrap(), save);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("second").is_some());
        front.close().await;
    });
}

#[test]
fn a_rule_that_does_not_parse_is_refused_and_changes_nothing() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, |config| config).await;
        let broken =
            RuleValue { tool_name: "TodoWrite".into(), rule_content: Some("x".into()), examples: Vec::new() };
        let update = PermissionUpdate::AddRules {
            rules: vec![broken],
            behavior: Behavior::Allow,
            destination: Destination::Session,
        };
        assert!(matches!(
            front.send(Command::UpdatePermissions(update)).await,
            Err(CommandError::Permission(_))
        ));
        // Nothing changed, so the yes is still good: the next question is about the next call.
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let next = front.question().await;
        assert_ne!(next.call, question.call);
        front.answer(&next, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
    });
}

/// A hook changes the input: what the person sees and approves is what runs.
#[test]
fn what_a_hook_made_of_the_input_is_what_is_asked_and_run() {
    life(async {
        let home = Home::new();
        let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"touch rewritten"}}}"#;
        let hook = Hook {
            event: HookEvent::PreToolUse,
            matcher: Matcher::all(),
            handler: HookHandler::Command(format!("printf '%s' '{answer}'")),
            timeout: DEFAULT_TIMEOUT,
            fail_closed: false,
            origin: "test:1".into(),
        };
        let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
        let hooks = Arc::new(Hooks::new(vec![hook], env, home.project.clone()));
        let (mut front, question) = asked(&home, |config| Config { hooks, ..config }).await;
        let HostAsk::Permission { input, .. } = &question.ask else { panic!("{question:?}") };
        assert_eq!(input["command"], "touch rewritten");
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let second = front.question().await;
        front.answer(&second, HostAnswer::Deny { message: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("rewritten").is_some() && home.text("first").is_none());
        let started = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::ToolStarted(started) => started.input,
            _ => None,
        });
        assert_eq!(started.unwrap()["command"], "touch rewritten", "the journal says what really ran");
        front.close().await;
    });
}
