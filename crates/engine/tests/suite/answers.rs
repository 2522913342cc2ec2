//! Which answers a question takes, and how often.

use std::sync::Arc;

use forelook_engine::{Config, SessionStart};
use forelook_hooks::{DEFAULT_TIMEOUT, Hook, HookEvent, HookHandler, Hooks, Matcher};
use forelook_protocol::{
    AnsweredBy, Command, CommandError, EndReason, EntryBody, FrontEnd, HostAnswer, HostRequest, Mode,
    QuestionAnswer, RequestId, RequestState,
};
use forelook_tools::ChildEnv;
use uuid::Uuid;

use crate::common::{Front, Home, SESSION, life};

const CHOICE: &str = r#"
[[answer]]
call = [{ tool = "AskUserQuestion", input = { questions = [
    { question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] },
    { question = "What?", header = "What", multiSelect = true, options = [{ label = "C" }, { label = "D" }] },
] } }]
[[answer]]
text = "Done."
"#;

const PERMISSION: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch ran" } }]
[[answer]]
text = "Done."
"#;

async fn asked(home: &Home, script: &str) -> (Front, HostRequest) {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

fn chosen(choices: impl IntoIterator<Item = QuestionAnswer>) -> HostAnswer {
    HostAnswer::Chosen { choices: choices.into_iter().collect() }
}

fn options(labels: &[&str]) -> QuestionAnswer {
    QuestionAnswer::Options(labels.iter().map(|&label| label.to_owned()).collect())
}

fn replies(home: &Home) -> Vec<HostAnswer> {
    let reply = |body: EntryBody| {
        if let EntryBody::QuestionClosed(replied) = body { Some(replied.answer) } else { None }
    };
    home.entries().into_iter().filter_map(|entry| reply(entry.body)).collect()
}

/// What fits no question: the engine's own words for "no person answered". Taken from outside they would be a
/// way to close a question without anybody having seen it.
fn never() -> [HostAnswer; 2] {
    [HostAnswer::Nobody, HostAnswer::Interrupted]
}

#[test]
fn answers_that_do_not_fit_leave_the_question_open() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, CHOICE).await;
        let wrong = [
            HostAnswer::yes(),
            HostAnswer::Deny { message: None },
            chosen([]),
            chosen([options(&["A"])]),
            chosen([options(&["A"]), options(&["C"]), options(&["C"])]),
            // Labels that were not offered, and more than one where one was asked for.
            chosen([options(&["Z"]), options(&["C"])]),
            chosen([options(&["A", "B"]), options(&["C"])]),
            chosen([options(&["A"]), options(&["C", "A"])]),
            chosen([options(&["A"]), options(&["C", "C"])]),
        ];
        for answer in wrong.into_iter().chain(never()) {
            let refused = front.answer(&question, answer.clone()).await;
            assert_eq!(refused, Err(CommandError::DoesNotFit(question.id)), "{answer:?}");
        }
        assert_eq!(replies(&home), []);
        let right = chosen([QuestionAnswer::FreeText("neither".into()), options(&["C", "D"])]);
        front.answer(&question, right.clone()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(replies(&home), [right]);
        front.close().await;
    });
}

/// A hook that answers where a person would be asked. It may refuse what a person could allow; a question of the model's
/// it never hears, whatever it says.
#[test]
fn no_hook_answers_a_question_of_the_models() {
    for says in ["allow", "deny"] {
        life(async {
            let home = Home::new();
            let answer = format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"{says}","message":"no"}}}}}}"#
            );
            let hook = Hook {
                event: HookEvent::PermissionRequest,
                matcher: Matcher::all(),
                handler: HookHandler::Command(format!("touch heard; printf '%s' '{answer}'")),
                timeout: DEFAULT_TIMEOUT,
                fail_closed: false,
                origin: "test:1".into(),
            };
            let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
            let hooks = Arc::new(Hooks::new(vec![hook], env, home.project.clone()));
            let rules = home.permissions(&["allow AskUserQuestion"]);
            for (script, heard) in [(CHOICE, false), (PERMISSION, true)] {
                let _ = std::fs::remove_file(home.project.join("heard"));
                let config = home.config(SessionStart::New(None), script);
                let (hooks, permissions) = (Arc::clone(&hooks), rules.clone());
                let mode = Some(Mode::Default);
                let mut front = Front::open(Config { mode, hooks, permissions, ..config }).await;
                front.say("Do it").await;
                if !heard {
                    let question = front.question().await;
                    let right = chosen([options(&["A"]), QuestionAnswer::Skipped]);
                    front.answer(&question, right).await.unwrap();
                }
                assert_eq!(front.turn_end().await, EndReason::Done);
                assert_eq!(home.text("heard").is_some(), heard, "{script}");
                front.close().await;
            }
        });
    }
}

/// Words instead of an answer reach the model as the person's own; a bare no is to put the questions away.
#[test]
fn the_person_may_say_something_else() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, CHOICE).await;
        let words = HostAnswer::Deny { message: Some("let us talk first".into()) };
        front.answer(&question, words).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let result = front.heard.iter().find_map(|entry| match &entry.body {
            EntryBody::ToolFinished(it) => Some(it.result.text()),
            _ => None,
        });
        let result = result.unwrap();
        assert!(result.contains("let us talk first") && result.contains("Nothing is decided"), "{result}");
        front.close().await;
    });
}

#[test]
fn a_permission_takes_yes_no_and_nothing_else() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, PERMISSION).await;
        for answer in [chosen([]), chosen([options(&["yes"])])].into_iter().chain(never()) {
            let refused = front.answer(&question, answer.clone()).await;
            assert_eq!(refused, Err(CommandError::DoesNotFit(question.id)), "{answer:?}");
        }
        front.answer(&question, HostAnswer::Deny { message: Some("not now".into()) }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("ran"), None);
        front.close().await;
    });
}

#[test]
fn an_answer_to_a_question_that_is_not_open_is_refused() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, PERMISSION).await;
        let foreign = RequestId(Uuid::from_u128(7));
        let refused = front.send(Command::Answer { request: foreign, answer: HostAnswer::yes() }).await;
        let unknown = CommandError::NotOpen { request: foreign, now: RequestState::Unknown };
        assert_eq!(refused, Err(unknown));
        front.answer(&question, HostAnswer::Dismissed).await.unwrap();
        let by = AnsweredBy::FrontEnd { id: front.snapshot.front_end, name: "test".into() };
        let now = RequestState::Closed { by, answer: Box::new(HostAnswer::Dismissed) };
        let closed = CommandError::NotOpen { request: question.id, now };
        // Doubled, and then stale.
        assert_eq!(front.answer(&question, HostAnswer::yes()).await, Err(closed.clone()));
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(front.answer(&question, HostAnswer::yes()).await, Err(closed));
        assert_eq!(replies(&home), [HostAnswer::Dismissed]);
        assert_eq!(home.text("ran"), None);
        front.close().await;
    });
}

#[test]
fn of_two_front_ends_that_answer_at_once_exactly_one_wins() {
    for _ in 0..20 {
        life(async {
            let home = Home::new();
            let (mut front, question) = asked(&home, PERMISSION).await;
            let answers = [
                HostAnswer::yes(),
                HostAnswer::Deny { message: None },
                HostAnswer::yes(),
                HostAnswer::Dismissed,
            ];
            let mut fronts = Vec::new();
            for name in ["a", "b", "c", "d"] {
                fronts.push(Front::attach(&front.client, FrontEnd::attended(name)).await);
            }
            let sent = fronts.iter().zip(answers.clone()).map(|(other, answer)| {
                let (session, request) = (Arc::clone(&other.session), question.id);
                tokio::spawn(async move { session.send(Command::Answer { request, answer }).await })
            });
            let taken = futures::future::join_all(sent).await.into_iter().map(Result::unwrap);
            let won: Vec<HostAnswer> =
                taken.zip(answers).filter(|(taken, _)| taken.is_ok()).map(|(_, answer)| answer).collect();
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(won.len(), 1);
            assert_eq!(replies(&home), won);
            assert_eq!(home.text("ran").is_some(), won == [HostAnswer::yes()]);
            front.close().await;
        });
    }
}

/// A question is closed once, also when the answer and the interrupt come together. Which of them counts is
/// chance; a yes that came too late starts nothing.
#[test]
fn an_answer_and_an_interrupt_at_once_close_a_question_once() {
    for round in 0..40 {
        life(async {
            let home = Home::new();
            let (mut front, question) = asked(&home, PERMISSION).await;
            let answer = Command::Answer { request: question.id, answer: HostAnswer::yes() };
            let (first, second) = match round % 2 {
                0 => (answer, Command::Interrupt),
                _ => (Command::Interrupt, answer),
            };
            let _ = futures::join!(front.send(first), front.send(second));
            front.turn_end().await;
            assert_eq!(replies(&home).len(), 1, "{:?}", replies(&home));
            front.close().await;
        });
    }
}
