//! What a front end changes while a turn is running counts from the next decision, question or request on.

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    AnsweredBy, Command, CommandError, EndReason, EntryBody, HostAnswer, Mode, Query, Reply, RequestState,
};

use crate::common::{Front, Home, SESSION, kinds, life};

/// A question, and a write in the same answer: decided when the question is closed.
const SCRIPT: &str = r#"
[[answer]]
call = [
    { tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Write", input = { file_path = "PROJECT/written", content = "x" } },
]
[[answer]]
text = "Done."
next = [{ goto = "more" }]
[[answer]]
name = "more"
text = "More."
next = [{ goto = "more" }]
"#;

async fn begin(home: &Home, mode: Mode) -> Front {
    let script = SCRIPT.replace("PROJECT", &home.project.to_string());
    let config = home.config(SessionStart::New(Some(SESSION)), &script);
    let front = Front::open(Config { mode: Some(mode), ..config }).await;
    front.say("Do it").await;
    front
}

fn replies(front: &Front) -> Vec<HostAnswer> {
    let reply = |body: &EntryBody| {
        if let EntryBody::QuestionClosed(replied) = body { Some(replied.answer.clone()) } else { None }
    };
    front.heard.iter().filter_map(|entry| reply(&entry.body)).collect()
}

#[test]
fn a_mode_that_is_set_while_a_turn_runs_is_honoured_by_the_next_decision() {
    for (before, after, written) in [
        (Mode::Default, Mode::BypassPermissions, true),
        (Mode::BypassPermissions, Mode::Plan, false),
        (Mode::BypassPermissions, Mode::DontAsk, false),
    ] {
        life(async {
            let home = Home::new();
            let mut front = begin(&home, before).await;
            let question = front.question().await;
            front.send(Command::SetMode(after)).await.unwrap();
            front.answer(&question, HostAnswer::Dismissed).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(home.text("written").is_some(), written, "{before} to {after}");
            assert_eq!(replies(&front).len(), 1, "nobody was asked about the write");
            front.close().await;
        });
    }
}

#[test]
fn unattended_closes_open_questions_and_later_ones_at_once() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default).await;
        let question = front.question().await;
        front.send(Command::Unattended).await.unwrap();
        let late = front.answer(&question, HostAnswer::Dismissed).await;
        let now = RequestState::Closed { by: AnsweredBy::Session, answer: Box::new(HostAnswer::Nobody) };
        assert_eq!(late, Err(CommandError::NotOpen { request: question.id, now }));
        assert_eq!(front.turn_end().await, EndReason::Done);
        // The question of the model's, and the one about the write that followed.
        assert_eq!(replies(&front), [HostAnswer::Nobody, HostAnswer::Nobody]);
        assert_eq!(home.text("written"), None);
        home.last_request();
        front.close().await;
    });
}

#[test]
fn a_model_that_is_not_known_is_refused_and_changes_nothing() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default).await;
        let question = front.question().await;
        let refused = front.send(Command::SetModel("scripted/none".into())).await;
        assert!(matches!(refused, Err(CommandError::Model { model, .. }) if model == "scripted/none"));
        let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
        assert_eq!(status.model, "scripted/main");
        assert!(!kinds(&home.entries()).contains(&"model_changed"));
        front.answer(&question, HostAnswer::Dismissed).await.unwrap();
        front.until(|body| matches!(body, EntryBody::QuestionOpened(_)).then_some(())).await;
        front.send(Command::SetModel("scripted/other".into())).await.unwrap();
        front.send(Command::Unattended).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let models: Vec<String> = home.requests().iter().map(|it| it["model"].to_string()).collect();
        assert_eq!(models, ["\"main\"", "\"other\""], "from the next request on, in the middle of the turn");
        front.close().await;
    });
}

#[test]
fn a_closed_session_takes_nothing_more() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default).await;
        let question = front.question().await;
        front.send(Command::Close).await.unwrap();
        front.closed().await;
        assert_eq!(front.answer(&question, HostAnswer::Dismissed).await, Err(CommandError::Closed));
        assert_eq!(front.session.query(Query::Status).await, Err(CommandError::Closed));
        let entries = home.entries();
        assert_eq!(kinds(&entries).last(), Some(&"turn_ended"));
        assert_eq!(home.text("written"), None);
    });
}
