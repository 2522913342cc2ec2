//! A front end elsewhere, against a scripted session.

use std::time::Duration;

use forelook_protocol::{EndReason, FrontEnd, LiveEvent, Notice, NoticeLevel, Query, RequestKind, Status};
use serde_json::{Value, json};

use super::*;
use crate::testing::{FakeSession, SharedBuffer, Stage, stage};

struct Seen {
    ended: RunOutcome,
    frames: Vec<Value>,
    fake: Arc<FakeSession>,
    /// Who attached.
    who: Option<FrontEnd>,
}

impl Seen {
    /// The kinds of all frames; events by what they are of.
    fn kinds(&self) -> Vec<String> {
        let kind = |frame: &Value| match &frame["event"] {
            Value::Null => frame.as_object().unwrap().keys().next().unwrap().clone(),
            event => match &event["recorded"]["kind"] {
                Value::String(kind) => kind.clone(),
                _ => "live".to_owned(),
            },
        };
        self.frames.iter().map(kind).collect()
    }
}

fn attach() -> String {
    let front_end = FrontEnd { answers: [RequestKind::Permission].into(), ..FrontEnd::watching("log") };
    line(&ClientFrame::Attach { version: WIRE_VERSION, front_end, whole_answers: true })
}

fn line(frame: &ClientFrame) -> String {
    serde_json::to_string(frame).unwrap()
}

fn command(id: u64, command: Command) -> String {
    line(&ClientFrame::Command { id, command })
}

fn prompt(id: u64) -> String {
    let content = vec![forelook_protocol::UserBlock::text("go")];
    let prompt = forelook_protocol::Prompt::person(content, forelook_protocol::Delivery::NextTurn);
    command(id, Command::Prompt(prompt))
}

fn query(id: u64, query: Query) -> String {
    line(&ClientFrame::Query { id, query })
}

/// Serves these lines, which then end.
async fn served(
    lines: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> Seen {
    let (fake, input) = stage(lines, react);
    let attached = fake.attach();
    served_with(fake, attached, input, |page| Box::new(page)).await
}

async fn served_with(
    fake: Arc<FakeSession>,
    attached: SessionConnection,
    input: InputLines,
    stdout: impl FnOnce(SharedBuffer) -> Box<dyn Write + Send>,
) -> Seen {
    fake.set(Stage::hangs_up);
    let page = SharedBuffer::default();
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let (tell, who) = std::sync::mpsc::channel();
    let attach: Attach = Box::new(move |front_end| {
        tell.send(front_end).unwrap();
        Box::pin(ready(Ok(attached)))
    });
    let serve = ServeSetup { attach, input, stdout: stdout(page.clone()), signals };
    let ended = tokio::time::timeout(Duration::from_secs(20), run(serve)).await.expect("it hangs");
    let frames = page.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Seen { ended, frames, fake, who: who.try_recv().ok() }
}

/// A turn that is over at once.
fn quick(stage: &mut Stage, command: &Command) -> Result<(), CommandError> {
    if let Command::Prompt(_) = command {
        stage.begins("go");
        stage.ends(EndReason::Done);
    }
    Ok(())
}

#[tokio::test]
async fn whoever_greets_is_attached_and_told_how_things_stand() {
    let seen = served(&[&attach()], quick).await;
    assert_eq!(
        (seen.kinds(), seen.ended),
        (vec!["attached".into(), "live".into(), "closed".into()], RunOutcome::Done)
    );
    let attached = &seen.frames[0]["attached"];
    assert_eq!(attached["version"], json!({"major": 1, "minor": 0}));
    assert_eq!(attached["snapshot"]["status"]["model"], "demo");
    assert_eq!(seen.frames[1], json!({"event": {"live": "closed"}}));
    let who = seen.who.unwrap();
    assert_eq!((who.name.as_str(), who.answers.len()), ("log", 1));
    assert_eq!(seen.fake.commands(), [Command::Unattended]);
}

#[tokio::test]
async fn whoever_does_not_greet_is_told_what_to_send() {
    let newer = attach().replace("\"major\":1", "\"major\":3");
    let early = prompt(1);
    for (lines, parts) in [
        (vec![newer.as_str()], ["version 3.0", "version 1.0"]),
        (vec![early.as_str()], ["who the front end is", "Begin with {\"attach\""]),
        (vec!["hello"], ["Cannot parse the first line", "Begin with {\"attach\""]),
        (vec![], ["ended before", "Begin with {\"attach\""]),
    ] {
        let seen = served(&lines, quick).await;
        assert_eq!(
            (seen.kinds(), seen.ended),
            (vec!["closed".to_owned()], RunOutcome::BadInput),
            "{lines:?}"
        );
        let message = seen.frames[0]["closed"]["message"].as_str().unwrap();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(seen.who.is_none() && seen.fake.commands().is_empty());
    }
}

#[tokio::test]
async fn a_session_that_takes_nobody_says_why() {
    let (fake, input) = stage(&[&attach()], quick);
    let page = SharedBuffer::default();
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let attach: Attach = Box::new(|_| Box::pin(ready(Err(CommandError::Closed))));
    let ended = run(ServeSetup { attach, input, stdout: Box::new(page.clone()), signals }).await;
    assert_eq!(page.text(), "{\"closed\":{\"message\":\"The session has ended\"}}\n");
    assert_eq!((ended, fake.commands().len()), (RunOutcome::Failed, 0));
}

#[tokio::test]
async fn a_command_is_answered_after_what_it_caused() {
    let seen = served(&[&attach(), &prompt(7), &prompt(8)], quick).await;
    let turn = ["turn_started", "prompt_accepted", "turn_ended", "accepted"];
    let expected: Vec<&str> =
        ["attached"].into_iter().chain(turn).chain(turn).chain(["live", "closed"]).collect();
    assert_eq!(seen.kinds(), expected);
    let answers: Vec<&Value> = seen.frames.iter().filter(|frame| frame["accepted"].is_object()).collect();
    assert_eq!(answers[0]["accepted"], json!({"id": 7, "accepted": {"turn": 1}}));
    assert_eq!(answers[1]["accepted"], json!({"id": 8, "accepted": {"turn": 2}}));
}

#[tokio::test]
async fn what_is_refused_says_why() {
    let line = command(3, Command::SetModel("none".into()));
    let seen = served(&[&attach(), &line], |_, command| match command {
        Command::SetModel(model) => {
            Err(CommandError::Model { model: model.clone(), why: "who knows".into() })
        }
        _ => Ok(()),
    })
    .await;
    let refused = json!({"model": {"model": "none", "why": "who knows"}});
    let message = "Model `none` is not available: who knows";
    assert_eq!(seen.frames[1], json!({"refused": {"id": 3, "message": message, "refused": refused}}));
}

#[tokio::test]
async fn a_line_that_is_not_understood_is_passed_over() {
    let seen = served(&[&attach(), "{", "", &attach(), &prompt(1)], quick).await;
    assert_eq!(seen.kinds()[1..4], ["not_understood", "not_understood", "turn_started"]);
    assert!(seen.frames[1]["not_understood"]["message"].as_str().unwrap().contains("line 1"));
    assert_eq!(seen.ended, RunOutcome::Done);
}

/// A session whose queries are answered only when a command has come.
struct Slow {
    fake: Arc<FakeSession>,
    come: tokio::sync::Notify,
}

impl SessionPort for Slow {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        self.come.notify_one();
        self.fake.send(command)
    }

    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(async move {
            self.come.notified().await;
            self.fake.query(query).await
        })
    }
}

#[tokio::test]
async fn a_query_holds_nothing_up_and_is_answered() {
    let (fake, input) = stage(&[&attach(), &query(1, Query::Status), &prompt(2)], quick);
    let session = Arc::new(Slow { fake: Arc::clone(&fake), come: tokio::sync::Notify::new() });
    let attached = SessionConnection { session, ..fake.attach() };
    let seen = served_with(fake, attached, input, |page| Box::new(page)).await;
    let kinds = seen.kinds();
    let at = |kind: &str| kinds.iter().position(|it| it == kind).unwrap();
    assert!(at("turn_started") < at("reply") && at("reply") < at("closed"), "{kinds:?}");
    let status: Status =
        serde_json::from_value(seen.frames[at("reply")]["reply"]["reply"]["status"].clone()).unwrap();
    assert_eq!(status.model, "demo");
}

#[tokio::test]
async fn at_the_end_of_the_input_the_turn_is_waited_for() {
    let seen = served(&[&attach(), &prompt(1)], |stage, command| {
        match command {
            Command::Prompt(_) => stage.begins("go"),
            Command::Unattended => stage.ends(EndReason::Done),
            _ => {}
        }
        Ok(())
    })
    .await;
    let expected =
        ["attached", "turn_started", "prompt_accepted", "accepted", "turn_ended", "live", "closed"];
    assert_eq!((seen.kinds(), seen.ended), (expected.map(str::to_owned).into(), RunOutcome::Done));
}

#[tokio::test]
async fn whoever_ends_the_session_has_an_answer() {
    let seen = served(&[&attach(), &command(1, Command::Close), &prompt(2)], quick).await;
    assert_eq!(seen.kinds(), ["attached", "live", "accepted", "closed"]);
    assert_eq!((seen.ended, seen.fake.commands()), (RunOutcome::Done, vec![]));
}

#[tokio::test]
async fn events_come_in_order() {
    let seen = served(&[&attach(), &prompt(1)], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            for number in 0..300 {
                let text = number.to_string();
                stage.live(LiveEvent::Notice(Notice { level: NoticeLevel::Info, text }));
            }
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    let notices = seen.frames.iter().filter_map(|frame| frame["event"]["live"]["notice"]["text"].as_str());
    assert!(notices.eq((0..300).map(|number| number.to_string())));
    assert_eq!(seen.kinds()[304..], ["accepted", "live", "closed"]);
}

/// Takes so many lines, and no more.
struct Full(SharedBuffer, usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.1 == 0 {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        self.1 -= bytes.iter().filter(|&&byte| byte == b'\n').count();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn when_nobody_reads_any_more_the_turn_is_stopped() {
    for lines in [0, 1] {
        let (fake, input) = stage(&[&attach(), &prompt(1)], |stage, command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
            }
            Ok(())
        });
        let attached = fake.attach();
        let seen = served_with(fake, attached, input, |page| Box::new(Full(page, lines))).await;
        assert_eq!((seen.ended, seen.frames.len()), (RunOutcome::Interrupted, lines));
        assert_eq!(seen.fake.commands().last(), Some(&Command::Interrupt));
    }
}

#[tokio::test]
async fn a_signal_ends_the_session() {
    let (fake, input) = stage(&[&attach()], quick);
    let (signal, signals) = tokio::sync::mpsc::channel(1);
    let (page, attached) = (SharedBuffer::default(), fake.attach());
    let attach: Attach = Box::new(move |_| {
        signal.try_send(forelook_protocol::StopSignal::Interrupt).unwrap();
        Box::pin(ready(Ok(attached)))
    });
    let ended = run(ServeSetup { attach, input, stdout: Box::new(page.clone()), signals }).await;
    assert_eq!(ended, RunOutcome::Interrupted);
    assert!(page.text().ends_with("{\"closed\":{}}\n"), "{}", page.text());
}
