//! Decide, write the intent, do, write the outcome, tell: in this order, for every call.

use forelook_protocol::{CallId, EndReason, EntryBody, Event, HostAnswer};

use crate::common::{Front, Home, life};

const SCRIPT: &str = r#"
[[answer]]
text = "I look."
call = [
    { tool = "Read", input = { file_path = "PROJECT/a.txt" } },
    { tool = "Read", input = { file_path = "PROJECT/none.txt" } },
    { tool = "Read", input = { file_path = "PROJECT/a.txt", limit = 1 } },
]
[[answer]]
call = [
    { tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Bash", input = { command = "cat \"$JOURNAL\" > then.jsonl" } },
    { tool = "Write", input = { file_path = "PROJECT/new", content = "x" } },
]
[[answer]]
text = "Done."
"#;

/// What happens to a call that is asked about, and approved.
const ASKED: [&str; 5] =
    ["permission_decided", "question_opened", "question_closed", "tool_started", "tool_finished"];

async fn play(home: &Home) -> Front {
    home.file("a.txt", "one\ntwo\n");
    let journal = home.journal().to_string();
    home.begin(&SCRIPT.replace("PROJECT", &home.project.to_string()).replace("$JOURNAL", &journal)).await
}

#[test]
fn whoever_hears_of_an_entry_finds_it_in_the_file() {
    life(async {
        let home = Home::new();
        let mut front = play(&home).await;
        front.say("Do it").await;
        loop {
            let Event::Recorded(entry) = front.event().await else { continue };
            let line = serde_json::to_string(&*entry).unwrap();
            let file = std::fs::read_to_string(home.journal()).unwrap();
            assert!(file.lines().any(|it| it == line), "heard of {line} before it was written");
            match &entry.body {
                EntryBody::QuestionOpened(opened) => {
                    front.answer(&opened.question, HostAnswer::Dismissed).await.unwrap();
                }
                EntryBody::TurnEnded(_) => break,
                _ => {}
            }
        }
        front.close().await;
    });
}

#[test]
fn each_call_is_decided_then_begun_then_ended() {
    life(async {
        let home = Home::new();
        let mut front = play(&home).await;
        answer_both(&mut front).await;
        front.close().await;
        for call in ["call_1_1", "call_1_2", "call_1_3", "call_2_3"] {
            assert_eq!(steps(&home, call), ["permission_decided", "tool_started", "tool_finished"], "{call}");
        }
        for call in ["call_2_1", "call_2_2"] {
            assert_eq!(steps(&home, call), ASKED, "{call}");
        }
    });
}

/// What the journal holds while a call runs, seen by the call itself: its intent and not its outcome.
#[test]
fn the_intent_is_written_before_the_deed() {
    life(async {
        let home = Home::new();
        let mut front = play(&home).await;
        answer_both(&mut front).await;
        front.close().await;
        let then = home.text("then.jsonl").unwrap();
        let entries: Vec<_> =
            then.lines().map(|line| forelook_protocol::Entry::parse(line).unwrap()).collect();
        assert_eq!(steps_in(entries.iter().map(|entry| &entry.body), "call_2_2"), ASKED[..4]);
        assert_eq!(steps_in(entries.iter().map(|entry| &entry.body), "call_2_3"), Vec::<&str>::new());
    });
}

/// Plays the script: dismisses the model's question, and approves the command that reads the journal, which is a secret.
async fn answer_both(front: &mut Front) {
    front.say("Do it").await;
    let question = front.question().await;
    front.answer(&question, HostAnswer::Dismissed).await.unwrap();
    let question = front.question().await;
    front.answer(&question, HostAnswer::yes()).await.unwrap();
    assert_eq!(front.turn_end().await, EndReason::Done);
}

fn steps(home: &Home, call: &str) -> Vec<String> {
    steps_in(home.entries().iter().map(|entry| &entry.body), call)
}

/// The kinds of the entries that are about this call.
fn steps_in<'a>(bodies: impl Iterator<Item = &'a EntryBody>, call: &str) -> Vec<String> {
    let call = CallId(call.to_owned());
    let mut asked = None;
    let mut is_about = |body: &EntryBody| match body {
        EntryBody::PermissionDecided(decided) => decided.call == call,
        EntryBody::ToolStarted(started) => started.call == call,
        EntryBody::ToolFinished(finished) => finished.result.call == call,
        EntryBody::QuestionOpened(opened) if opened.question.call.as_ref() == Some(&call) => {
            asked = Some(opened.question.id);
            true
        }
        EntryBody::QuestionClosed(replied) => Some(replied.question) == asked,
        _ => false,
    };
    bodies.filter(|body| is_about(body)).map(|body| body.kind().to_owned()).collect()
}
