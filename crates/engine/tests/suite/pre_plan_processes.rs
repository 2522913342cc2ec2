//! Commands that run when planning begins: the person is asked, and only a yes keeps them.

use std::time::Duration;

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    Command, EndReason, EntryBody, Event, HostAnswer, HostAsk, HostRequest, LiveEvent, Mode, PlanCommand,
    Query, ReminderKind, Reply, RunningShell,
};

use crate::common::{Front, GO_ON, Home, SESSION, life, words};

/// Starts a shell beside the conversation, and then has nothing more to say.
const STARTS: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "sh ./tick.sh", run_in_background = true } }]
[[answer]]
name = "end"
text = "Done."
next = [{ prompt = "plan it", goto = "enter" }, { goto = "end" }]
[[answer]]
name = "enter"
call = [{ tool = "EnterPlanMode" }]
next = [{ goto = "end" }]
"#;

fn home() -> Home {
    let home = Home::new();
    home.file("tick.sh", "while :; do echo x >> ticks; sleep 0.02; done\n");
    home
}

async fn begin(home: &Home, responder: Responder) -> Front {
    let config = home.config(SessionStart::New(Some(SESSION)), STARTS);
    let mut front = Front::open(Config { responder, ..config }).await;
    front.say("Start it").await;
    assert_eq!(front.turn_end().await, EndReason::Done);
    ticks_on(home).await;
    front
}

/// Comes back once the shell has written something more.
async fn ticks_on(home: &Home) {
    let before = home.text("ticks").map_or(0, |text| text.len());
    while home.text("ticks").map_or(0, |text| text.len()) <= before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn outside(front: &Front) -> Vec<RunningShell> {
    let Reply::Fence { outside, .. } = front.query(Query::Fence).await else { panic!("no report") };
    outside
}

/// Comes back once nothing runs outside any more.
async fn stopped(front: &Front) {
    while !outside(front).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn mode(front: &Front) -> Mode {
    let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
    status.mode
}

async fn running(front: &mut Front) -> HostRequest {
    let question = front.question().await;
    let HostAsk::Running { shells } = &question.ask else { panic!("{question:?}") };
    let tick = RunningShell { id: Some("shell_1".into()), command: "sh ./tick.sh".into() };
    assert_eq!(*shells, [tick]);
    question
}

#[test]
fn every_door_asks_and_a_yes_keeps_them_in_sight() {
    life(async {
        for door in [Command::SetMode(Mode::Plan), Command::Plan(PlanCommand::Enter)] {
            let home = home();
            let mut front = begin(&home, Responder::Person).await;
            front.send(door).await.unwrap();
            assert_eq!(mode(&front).await, Mode::Plan, "nothing waits for the answer");
            let question = running(&mut front).await;
            front.answer(&question, HostAnswer::yes()).await.unwrap();
            ticks_on(&home).await;
            assert_eq!(outside(&front).await.len(), 1);
            assert_eq!(front.go_on().await, EndReason::Done);
            let told = home.last_request().iter().map(words).collect::<String>();
            assert!(told.contains("running while you plan") && told.contains("`shell_1`"), "{told}");
            front.send(Command::SetMode(Mode::Default)).await.unwrap();
            assert_eq!(outside(&front).await, [], "nothing is outside where nothing is held");
            front.close().await;
        }
    });
}

#[test]
fn the_models_own_door_asks_too_and_its_turn_goes_on() {
    life(async {
        let home = home();
        let mut front = begin(&home, Responder::Person).await;
        front.say("plan it").await;
        let question = front.question().await;
        assert!(matches!(question.ask, HostAsk::EnterPlan { .. }));
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let question = running(&mut front).await;
        assert_eq!(front.turn_end().await, EndReason::Done, "the turn does not wait for the answer");
        // Nor is the question closed by the next turn.
        front.say(GO_ON).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.answer(&question, HostAnswer::Deny { message: None }).await.unwrap();
        stopped(&front).await;
        front.close().await;
    });
}

#[test]
fn whatever_is_no_yes_stops_them_and_the_model_hears_of_it() {
    life(async {
        for close in [
            Some(HostAnswer::Deny { message: None }),
            Some(HostAnswer::Deny { message: Some("no".into()) }),
            Some(HostAnswer::Dismissed),
            None,
        ] {
            let home = home();
            let mut front = begin(&home, Responder::Person).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            let question = running(&mut front).await;
            let closed = match close {
                Some(answer) => front.answer(&question, answer).await,
                None => front.send(Command::Interrupt).await,
            };
            closed.unwrap();
            stopped(&front).await;
            assert_eq!(front.go_on().await, EndReason::Done);
            let ended = front.heard.iter().any(|entry| {
                matches!(&entry.body, EntryBody::Reminder(it) if matches!(it.kind, ReminderKind::ShellEnded { .. })
                    && it.text.contains("planning started"))
            });
            assert!(ended, "{:#?}", front.heard.last());
            front.close().await;
        }
    });
}

#[test]
fn with_nobody_to_ask_they_are_stopped_at_once_and_that_is_said() {
    life(async {
        for leaves in [false, true] {
            let home = home();
            let responder = if leaves { Responder::Person } else { Responder::Nobody };
            let mut front = begin(&home, responder).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            if leaves {
                front.send(Command::Unattended).await.unwrap();
            }
            stopped(&front).await;
            front.send(Command::Close).await.unwrap();
            let mut told = String::new();
            loop {
                match front.event().await {
                    Event::Live(LiveEvent::Notice(notice)) => told += &notice.text,
                    Event::Live(LiveEvent::Closed) => break,
                    _ => {}
                }
            }
            assert!(told.contains("Stopped") && told.contains("sh ./tick.sh"), "{told}");
            let replied = front.heard.iter().any(
                |entry| matches!(&entry.body, EntryBody::QuestionClosed(replied) if replied.answer == HostAnswer::Nobody),
            );
            assert!(replied);
        }
    });
}

#[test]
fn leaving_before_the_answer_withdraws_the_question_and_stops_nothing() {
    life(async {
        let home = home();
        let mut front = begin(&home, Responder::Person).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let question = running(&mut front).await;
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        let answer = front
            .until(|body| match body {
                EntryBody::QuestionClosed(replied) if replied.question == question.id => {
                    Some(replied.answer.clone())
                }
                _ => None,
            })
            .await;
        assert_eq!(answer, HostAnswer::Outdated);
        ticks_on(&home).await;
        assert!(front.answer(&question, HostAnswer::Dismissed).await.is_err());
        ticks_on(&home).await;
        front.close().await;
    });
}

#[test]
fn what_is_held_is_not_asked_about() {
    life(async {
        let home = home();
        let config = home.config(SessionStart::New(Some(SESSION)), STARTS);
        let mut front = Front::open(Config { mode: Some(Mode::Plan), ..config }).await;
        front.say("Start it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("ticks"), None);
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        assert_eq!(outside(&front).await, []);
        let heard = front.close().await;
        assert!(!heard.iter().any(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))));
    });
}
