//! A question that was open when the program ended.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    CallStatus, EndReason, EntryBody, FrontEnd, HostAnswer, HostAsk, HostRequest, Mode, QuestionAnswer,
    TurnId,
};

use crate::common::{Front, GO_ON, Home, SESSION, ends, life, words};

const CHOICE: &str = r#"
[[answer]]
call = [
    { tool = "Write", input = { file_path = "PROJECT/first", content = "1" } },
    { tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Write", input = { file_path = "PROJECT/last", content = "3" } },
]
[[answer]]
text = "Done."
[[answer]]
text = "Fine."
"#;

const PERMISSION: &str = r#"
[[answer]]
call = [{ tool = "Write", input = { file_path = "PROJECT/first", content = "1" } }]
[[answer]]
text = "Done."
[[answer]]
text = "Fine."
"#;

/// A session that ended while its first question was open.
fn left_open(script: &str, mode: Mode) -> (Home, String, HostRequest) {
    let home = Home::new();
    let script = script.replace("PROJECT", &home.project.to_string());
    let question = life(async {
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(mode), ..config }).await;
        front.say("Do it").await;
        front.question().await
    });
    (home, script, question)
}

/// The session again, in the mode it had.
async fn reopen(home: &Home, script: &str, responder: Responder) -> Front {
    Front::open(Config { mode: None, responder, ..home.config(SessionStart::Resume(SESSION), script) }).await
}

/// How a question was closed. In the journal and not in what a front end heard: what was left open is closed before the
/// first one attaches.
fn reply_to(home: &Home, question: &HostRequest) -> Option<HostAnswer> {
    home.entries().into_iter().find_map(|entry| match entry.body {
        EntryBody::QuestionClosed(replied) if replied.question == question.id => Some(replied.answer),
        _ => None,
    })
}

fn statuses(home: &Home) -> Vec<(String, CallStatus)> {
    let finished = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.result.call.to_string(), finished.status)),
        _ => None,
    });
    finished.collect()
}

#[test]
fn a_persons_choice_is_asked_for_again() {
    let (home, script, old) = left_open(CHOICE, Mode::BypassPermissions);
    assert_eq!(home.text("first").as_deref(), Some("1"));
    life(async {
        let mut front = reopen(&home, &script, Responder::Person).await;
        let new = front.question().await;
        assert_eq!(reply_to(&home, &old), Some(HostAnswer::Interrupted));
        assert_ne!(new.id, old.id);
        assert_eq!((&new.call, &new.ask), (&old.call, &old.ask));
        let choices = vec![QuestionAnswer::Options(vec!["B".into()])];
        front.answer(&new, HostAnswer::Chosen { choices }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let request = home.last_request();
        assert!(words(request.last().unwrap()).contains("Chosen: B"), "{request:#?}");
        front.close().await;
    });
    assert_eq!(
        home.text("last"),
        None,
        "what came after the question was interrupted, not done behind its back"
    );
}

#[test]
fn a_permission_is_asked_for_again_and_a_yes_is_carried_out() {
    let (home, script, old) = left_open(PERMISSION, Mode::Default);
    life(async {
        let mut front = reopen(&home, &script, Responder::Person).await;
        let new = front.question().await;
        assert!(matches!(new.ask, HostAsk::Permission { .. }));
        assert_ne!(new.id, old.id);
        assert_eq!(reply_to(&home, &old), Some(HostAnswer::Interrupted));
        assert_eq!(home.text("first"), None);
        front.answer(&new, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(statuses(&home), [("call_1_1".to_owned(), CallStatus::Ran)]);
        front.close().await;
    });
    assert_eq!(home.text("first").as_deref(), Some("1"));
}

/// Opened in another mode, the call is decided anew: nothing of the former decision holds.
#[test]
fn a_permission_is_decided_anew_in_the_mode_of_the_day() {
    for (mode, written) in [(Mode::BypassPermissions, Some("1")), (Mode::Plan, None)] {
        let (home, script, _) = left_open(PERMISSION, Mode::Default);
        life(async {
            let config = home.config(SessionStart::Resume(SESSION), &script);
            let mut front = Front::open(Config { mode: Some(mode), ..config }).await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            front.close().await;
        });
        assert_eq!(home.text("first").as_deref(), written, "{mode}");
    }
}

#[test]
fn with_nobody_there_the_call_is_interrupted_and_the_turn_ended() {
    for (script, mode, calls) in [
        (CHOICE, Mode::BypassPermissions, vec!["call_1_2", "call_1_3"]),
        (PERMISSION, Mode::Default, vec!["call_1_1"]),
    ] {
        let (home, script, old) = left_open(script, mode);
        let ran = statuses(&home).len();
        life(async {
            let mut front = reopen(&home, &script, Responder::Nobody).await;
            assert_eq!(front.snapshot.turn, None);
            assert_eq!(ends(&home), [(TurnId(1), EndReason::Interrupted)]);
            assert_eq!(reply_to(&home, &old), Some(HostAnswer::Interrupted));
            let expected: Vec<_> =
                calls.iter().map(|call| ((*call).to_owned(), CallStatus::Interrupted)).collect();
            assert_eq!(statuses(&home)[ran..], expected);
            assert_eq!(front.go_on().await, EndReason::Done);
            assert_eq!(words(home.last_request().last().unwrap()), GO_ON);
            front.close().await;
        });
        assert_eq!(home.text("last"), None);
    }
}

/// Whoever resumes with other words gave no answer to what was asked, whatever the mode of the day would allow.
#[test]
fn new_words_close_a_call_that_waited_and_it_never_runs() {
    for (script, mode) in [(PERMISSION, Mode::Default), (CHOICE, Mode::BypassPermissions)] {
        for responder in [Responder::Person, Responder::Nobody] {
            let (home, script, old) = left_open(script, mode);
            let (ran, before) = (statuses(&home).len(), home.requests().len());
            life(async {
                let config = home.config(SessionStart::Resume(SESSION), &script);
                let config = Config { mode: Some(Mode::BypassPermissions), responder, ..config };
                let client = forelook_engine::open(config).await.unwrap();
                let mut front = Front::attach(&client, FrontEnd::attended("test").with_prompt(true)).await;
                front.say("STOP: nothing").await;
                assert_eq!(front.turn_end().await, EndReason::Done);
                assert_eq!(reply_to(&home, &old), Some(HostAnswer::Interrupted));
                assert!(statuses(&home)[ran..].iter().all(|(_, status)| *status == CallStatus::Interrupted));
                let messages = home.last_request();
                assert_eq!(words(messages.last().unwrap()), "STOP: nothing");
                assert_eq!(home.requests().len() - before, 1);
                front.close().await;
            });
            assert_eq!(home.text(if mode == Mode::Default { "first" } else { "last" }), None);
        }
    }
}

/// The same again and again: a question outlives any number of restarts, and each closes the one before.
#[test]
fn a_question_outlives_several_restarts() {
    let (home, script, mut last) = left_open(CHOICE, Mode::BypassPermissions);
    for _ in 0..3 {
        life(async {
            let mut front = reopen(&home, &script, Responder::Person).await;
            let new = front.question().await;
            assert_eq!(reply_to(&home, &last), Some(HostAnswer::Interrupted));
            assert_eq!(new.call, last.call);
            last = new;
        });
    }
    let open: Vec<_> =
        home.entries().into_iter().filter(|it| matches!(it.body, EntryBody::QuestionOpened(_))).collect();
    assert_eq!(open.len(), 4);
}
