//! Several front ends on one session: who answers, who hears of it, and what becomes of a question when they go.

use std::time::{Duration, Instant};

use forelook_engine::{Client, Config, SessionStart};
use forelook_protocol::{
    AbsPath, AnswerEvent, AnsweredBy, Approval, Command, CommandError, EndReason, EntryBody, Event, FrontEnd,
    HostAnswer, HostAsk, HostRequest, LiveEvent, Mode, PlanAnswer, PlanReview, QuestionClosed, RequestKind,
    RequestState, Reviewer, TurnId,
};

use crate::common::{Front, Home, SESSION, life};

/// Two questions, one after the other.
const TWO: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "touch first" } }]
[[answer]]
call = [{ tool = "Bash", input = { command = "touch second" } }]
[[answer]]
name = "end"
text = "Done."
next = [{ prompt = "again", goto = "again" }, { goto = "end" }]
[[answer]]
name = "again"
call = [{ tool = "Bash", input = { command = "touch third" } }]
next = [{ goto = "end" }]
"#;

/// A session with a question open, and the front end that heard of it.
async fn asked(home: &Home, wait: Duration) -> (Front, HostRequest) {
    let config = home.config(SessionStart::New(Some(SESSION)), TWO);
    let config = Config { mode: Some(Mode::Default), question_wait: wait, ..config };
    let mut front = Front::open(config).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(50);

async fn attended(client: &Client, name: &str) -> Front {
    Front::attach(client, FrontEnd::attended(name)).await
}

async fn watching(client: &Client) -> Front {
    Front::attach(client, FrontEnd::watching("watcher")).await
}

fn by(front: &Front, name: &str) -> AnsweredBy {
    AnsweredBy::FrontEnd { id: front.snapshot.front_end, name: name.into() }
}

/// How the next question is closed.
async fn reply(front: &mut Front) -> QuestionClosed {
    front
        .until(
            |body| if let EntryBody::QuestionClosed(replied) = body { Some(replied.clone()) } else { None },
        )
        .await
}

/// Gives the session the time to do what it should not do.
async fn a_moment() {
    tokio::time::sleep(4 * SHORT).await;
}

#[test]
fn the_first_answer_counts_and_everybody_hears_whose_it_was() {
    life(async {
        let home = Home::new();
        let (mut first, question) = asked(&home, LONG).await;
        let second = attended(&first.client, "second").await;
        assert_ne!(first.snapshot.front_end, second.snapshot.front_end);
        assert_eq!(second.snapshot.requests, std::slice::from_ref(&question));
        assert_eq!(second.snapshot.turn, Some(TurnId(1)));
        second.answer(&question, HostAnswer::yes()).await.unwrap();
        let heard = reply(&mut first).await;
        assert_eq!((heard.question, &heard.answer), (question.id, &HostAnswer::yes()));
        assert_eq!(heard.by, by(&second, "second"));
        let late = first.answer(&question, HostAnswer::Deny { message: None }).await;
        let now = RequestState::Closed { by: by(&second, "second"), answer: Box::new(HostAnswer::yes()) };
        assert_eq!(late, Err(CommandError::NotOpen { request: question.id, now }));
        // The other way round for the next one.
        let next = first.question().await;
        assert!(home.text("first").is_some());
        first.answer(&next, HostAnswer::Dismissed).await.unwrap();
        let late = second.answer(&next, HostAnswer::yes()).await;
        let now = RequestState::Closed { by: by(&first, "test"), answer: Box::new(HostAnswer::Dismissed) };
        assert_eq!(late, Err(CommandError::NotOpen { request: next.id, now }));
        assert_eq!(first.turn_end().await, EndReason::Done);
        assert_eq!(home.text("second"), None);
        first.close().await;
    });
}

#[test]
fn a_question_waits_for_somebody_to_come_back() {
    life(async {
        let home = Home::new();
        let (front, question) = asked(&home, LONG).await;
        let client = front.client.clone();
        drop(front);
        a_moment().await;
        let mut later = attended(&client, "later").await;
        assert_eq!(later.snapshot.requests, std::slice::from_ref(&question));
        assert_eq!(later.snapshot.turn, Some(TurnId(1)));
        later.answer(&question, HostAnswer::yes()).await.unwrap();
        let next = later.question().await;
        assert!(home.text("first").is_some());
        later.answer(&next, HostAnswer::Dismissed).await.unwrap();
        assert_eq!(later.turn_end().await, EndReason::Done);
        later.close().await;
    });
}

#[test]
fn after_a_while_nobody_has_answered_it() {
    life(async {
        let home = Home::new();
        let (front, question) = asked(&home, SHORT).await;
        // Somebody who could answer is there: no time passes for them.
        a_moment().await;
        let mut watcher = watching(&front.client).await;
        assert_eq!(watcher.snapshot.requests, std::slice::from_ref(&question));
        let left = Instant::now();
        drop(front);
        let closed = reply(&mut watcher).await;
        assert!(left.elapsed() >= SHORT, "{:?}", left.elapsed());
        let nobody = QuestionClosed::by_session(question.id, HostAnswer::Nobody);
        assert_eq!(closed, nobody);
        // The next one is not waited for either.
        assert_eq!(reply(&mut watcher).await.answer, HostAnswer::Nobody);
        assert_eq!(watcher.turn_end().await, EndReason::Done);
        assert_eq!((home.text("first"), home.text("second")), (None, None));
        // Whoever comes is asked again.
        let mut later = attended(&watcher.client, "later").await;
        later.say("again").await;
        let question = later.question().await;
        a_moment().await;
        later.answer(&question, HostAnswer::yes()).await.unwrap();
        assert_eq!(later.turn_end().await, EndReason::Done);
        assert!(home.text("third").is_some());
        later.close().await;
    });
}

/// A question that is asked while nobody is there waits just as long.
#[test]
fn a_question_that_nobody_was_there_to_hear_waits_too() {
    life(async {
        let home = Home::new();
        let (front, first) = asked(&home, LONG).await;
        let client = front.client.clone();
        front.answer(&first, HostAnswer::yes()).await.unwrap();
        drop(front);
        let mut later = attended(&client, "later").await;
        // Asked before it came or after: it knows of it either way.
        let open = later.snapshot.requests.first().cloned().filter(|it| it.id != first.id);
        let second = match open {
            Some(second) => second,
            None => later.question().await,
        };
        later.answer(&second, HostAnswer::yes()).await.unwrap();
        assert_eq!(later.turn_end().await, EndReason::Done);
        assert!(home.text("first").is_some() && home.text("second").is_some());
        later.close().await;
    });
}

#[test]
fn unattended_closes_nothing_while_another_can_answer() {
    life(async {
        let home = Home::new();
        let (first, question) = asked(&home, LONG).await;
        let mut second = attended(&first.client, "second").await;
        first.send(Command::Unattended).await.unwrap();
        a_moment().await;
        let watcher = watching(&first.client).await;
        assert_eq!(watcher.snapshot.requests, std::slice::from_ref(&question));
        second.answer(&question, HostAnswer::yes()).await.unwrap();
        let next = second.question().await;
        assert!(home.text("first").is_some());
        // The last one: everything that is open, and what comes next at once.
        second.send(Command::Unattended).await.unwrap();
        let closed = reply(&mut second).await;
        assert_eq!(closed, QuestionClosed::by_session(next.id, HostAnswer::Nobody));
        assert_eq!(second.turn_end().await, EndReason::Done);
        second.say("again").await;
        assert_eq!(reply(&mut second).await.answer, HostAnswer::Nobody);
        assert_eq!(second.turn_end().await, EndReason::Done);
        assert_eq!((home.text("second"), home.text("third")), (None, None));
        second.close().await;
    });
}

/// One says that nobody is there, the other vanishes without a word: the latter may come back, so the question waits for
/// its time and not longer.
#[test]
fn the_last_one_may_vanish_after_another_said_goodbye() {
    life(async {
        let home = Home::new();
        let (mut first, question) = asked(&home, SHORT).await;
        let second = attended(&first.client, "second").await;
        first.send(Command::Unattended).await.unwrap();
        drop(second);
        let closed = tokio::time::timeout(Duration::from_secs(5), reply(&mut first)).await;
        let closed = closed.expect("the question is open for ever, though nobody can answer it");
        assert_eq!(closed, QuestionClosed::by_session(question.id, HostAnswer::Nobody));
        first.close().await;
    });
}

/// Somebody who comes and can answer something else is nobody for this question.
#[test]
fn whoever_cannot_answer_the_question_does_not_stop_the_clock() {
    life(async {
        let home = Home::new();
        let (front, question, ..) = reviewing(&home, SHORT).await;
        let client = front.client.clone();
        drop(front);
        let answers = [RequestKind::Permission].into();
        let mut other = Front::attach(&client, FrontEnd { answers, ..FrontEnd::watching("other") }).await;
        let closed = tokio::time::timeout(Duration::from_secs(5), reply(&mut other)).await;
        let closed = closed.expect("the review is open for ever, though nobody can answer it");
        assert_eq!(closed, QuestionClosed::by_session(question.id, HostAnswer::Nobody));
        other.close().await;
    });
}

const PLAN: &str = "# Plan\n\n1. Do it.\n";

const EXITS: &str = "[[answer]]\ncall = [{ tool = 'ExitPlanMode' }]\n[[answer]]\ntext = 'Done.'\n";

/// A session with a plan under review, and where the plan is.
async fn reviewing(home: &Home, wait: Duration) -> (Front, HostRequest, PlanReview, AbsPath) {
    let config = home.config(SessionStart::New(Some(SESSION)), EXITS);
    let config = Config { mode: Some(Mode::AcceptEdits), question_wait: wait, ..config };
    let mut front = Front::open(config).await;
    front.send(Command::SetMode(Mode::Plan)).await.unwrap();
    let named = home.entries().into_iter().find_map(|entry| match entry.body {
        EntryBody::PlanNamed(named) => Some(named.path),
        _ => None,
    });
    let path = named.unwrap();
    std::fs::write(&path, PLAN).unwrap();
    front.say("Plan it").await;
    let question = front.question().await;
    let review = review_of(&question);
    (front, question, review, path)
}

fn review_of(question: &HostRequest) -> PlanReview {
    let HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
    (**review).clone()
}

fn approve(review: &PlanReview) -> HostAnswer {
    let hash = review.hash.clone();
    HostAnswer::Plan(PlanAnswer::Approve(Approval { hash, ..Approval::default() }))
}

#[test]
fn one_disappears_during_a_review_and_the_other_approves() {
    life(async {
        let home = Home::new();
        let (first, question, review, _) = reviewing(&home, LONG).await;
        let mut second = attended(&first.client, "second").await;
        drop(first);
        assert_eq!(second.snapshot.requests, std::slice::from_ref(&question));
        second.answer(&question, approve(&review)).await.unwrap();
        let reviewed =
            second
                .until(|body| {
                    if let EntryBody::PlanReviewed(reviewed) = body { Some(reviewed.clone()) } else { None }
                })
                .await;
        assert_eq!((reviewed.by, reviewed.through), (Reviewer::Person, by(&second, "second")));
        assert_eq!(reviewed.mode_state.mode(), Mode::AcceptEdits);
        assert_eq!(second.turn_end().await, EndReason::Done);
        // And whoever answers the same review again is told what became of it.
        let again = second.answer(&question, approve(&review)).await;
        let now = RequestState::Closed { by: by(&second, "second"), answer: Box::new(approve(&review)) };
        assert_eq!(again, Err(CommandError::NotOpen { request: question.id, now }));
        second.close().await;
    });
}

#[test]
fn a_stale_approval_is_told_what_the_plan_is_now_and_all_see_it_again() {
    const CHANGED: &str = "# Changed\n";
    life(async {
        let home = Home::new();
        let (mut first, question, review, path) = reviewing(&home, LONG).await;
        let mut second = attended(&first.client, "second").await;
        std::fs::write(&path, CHANGED).unwrap();
        let refused = second.answer(&question, approve(&review)).await;
        let Err(CommandError::PlanChanged { now }) = refused else { panic!("{refused:?}") };
        assert_eq!(now.hash, forelook_plan::plan_hash(CHANGED));
        assert_eq!(now.plan.as_deref(), Some(CHANGED));
        let again = second.question().await;
        assert_eq!(first.question().await, again);
        assert_ne!(again.id, question.id);
        assert_eq!(review_of(&again), *now);
        assert!(!home.entries().iter().any(|entry| matches!(entry.body, EntryBody::PlanReviewed(_))));
        first.answer(&again, approve(&now)).await.unwrap();
        assert_eq!(second.turn_end().await, EndReason::Done);
        second.close().await;
    });
}

#[test]
fn whoever_comes_in_the_middle_of_an_answer_hears_all_of_it() {
    const TEXT: &str = "One two three four five six seven eight nine ten eleven twelve.";
    let script = format!("chunk = 1\n[[answer]]\npace_ms = 20\ntext = '{TEXT}'\n");
    life(async {
        let home = Home::new();
        let mut first = home.begin(&script).await;
        first.say("Say it").await;
        let mut pieces = 0;
        while pieces < 10 {
            pieces += usize::from(matches!(
                first.event().await,
                Event::Live(LiveEvent::Answer { event: AnswerEvent::Text { .. }, .. })
            ));
        }
        let mut second = watching(&first.client).await;
        assert_eq!(second.snapshot.turn, Some(TurnId(1)));
        let begins = second.event().await;
        let started =
            matches!(&begins, Event::Live(LiveEvent::Answer { event: AnswerEvent::Started { .. }, .. }));
        assert!(started, "{begins:?}");
        let mut heard = String::new();
        let mut first_piece = None;
        loop {
            match second.event().await {
                Event::Live(LiveEvent::Answer { event: AnswerEvent::Text { text }, .. }) => {
                    first_piece.get_or_insert(text.len());
                    heard.push_str(&text);
                }
                Event::Recorded(entry) if matches!(entry.body, EntryBody::ModelAnswered(_)) => break,
                _ => {}
            }
        }
        assert_eq!(heard, TEXT);
        assert!(first_piece.is_some_and(|length| (10..TEXT.len()).contains(&length)), "{first_piece:?}");
        assert_eq!(second.turn_end().await, EndReason::Done);
        // Afterwards there is nothing left to tell again.
        let mut third = watching(&first.client).await;
        third.send(Command::Close).await.unwrap();
        assert!(matches!(third.event().await, Event::Live(LiveEvent::Closed)));
    });
}
