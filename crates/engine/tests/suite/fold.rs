//! The state is the fold of the journal: of the events, of the file, and of any beginning of the file.

use std::collections::BTreeMap;

use forelook_engine::{Responder, SessionStart, SessionState};
use forelook_protocol::{
    CallId, Command, Delivery, EndReason, Entry, HostAnswer, Mode, Query, QuestionAnswer, Reply,
};
use serde_json::{Value, json};

use crate::common::{Front, GO_ON, Home, SESSION, life, words};

/// A session with everything in it: thinking, calls side by side, every effect, a refused call, a doubled id,
/// bad input, a question, prompts that wait, another mode and another model.
const SCRIPT: &str = r#"
start = [{ prompt = "go on", goto = "after" }]

[[answer]]
thinking = "Look first."
text = "I look."
call = [
    { tool = "Read", input = { file_path = "PROJECT/a.txt" } },
    { tool = "Read", input = { file_path = "PROJECT/b.txt" } },
    { tool = "TodoWrite", input = { todos = [{ content = "Ask", status = "in_progress", activeForm = "Asking" }] } },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
call = [
    { tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Bash", id = "same", input = { command = "mkdir -p sub && cd sub" } },
    { tool = "Bash", id = "same", input = { command = "touch twice" } },
    { tool = "Telepathy" },
    { tool = "Read", raw = "not json" },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
call = [{ tool = "Edit", input = { file_path = "PROJECT/a.txt", old_string = "one", new_string = "two" } }]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
call = [
    { tool = "AskUserQuestion", input = { questions = [{ question = "Sure?", header = "Sure", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Write", input = { file_path = "PROJECT/refused", content = "x" } },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
text = "Done."
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
name = "after"
text = "Fine."
next = [{ goto = "after" }]
"#;

fn project() -> (Home, String) {
    let home = Home::new();
    home.file("a.txt", "one\n");
    home.file("b.txt", "two\n");
    let script = SCRIPT.replace("PROJECT", &home.project.to_string());
    (home, script)
}

/// Plays the session to its end.
async fn play(home: &Home, script: &str) -> Front {
    let mut front = home.begin(script).await;
    front.say("Do it").await;
    let question = front.question().await;
    front.say_for("quickly", Delivery::Steer).await;
    front.say("then this").await;
    let choices = vec![QuestionAnswer::Options(vec!["A".into()])];
    front.answer(&question, HostAnswer::Chosen { choices }).await.unwrap();
    let question = front.question().await;
    front.send(Command::SetMode(Mode::Plan)).await.unwrap();
    front.send(Command::SetModel("scripted/other".into())).await.unwrap();
    front.answer(&question, HostAnswer::Dismissed).await.unwrap();
    assert_eq!(front.turn_end().await, EndReason::Done);
    assert_eq!(front.turn_end().await, EndReason::Done);
    front
}

/// Everything a state knows, in a form that can be compared.
fn shape(state: &SessionState) -> Value {
    let seen: BTreeMap<String, &str> =
        state.main.seen.all().into_iter().map(|(path, hash)| (path.to_string(), hash)).collect();
    let unfinished: Vec<Value> =
        state.main.conversation.unfinished().map(|(call, started)| json!([call, started])).collect();
    let queue: Vec<Value> = state.queue.iter().map(|(id, prompt)| json!([id, prompt])).collect();
    // Which ids are taken cannot be read, only asked for.
    let ids = ["call_1_1", "call_9_9", "same", "same-2"].map(|id| CallId(id.to_owned())).to_vec();
    json!({
        "session": state.session, "folder": state.folder, "mode": state.mode_state, "model": state.model,
        "messages": state.main.conversation.messages(), "unfinished": unfinished, "queue": queue,
        "open": state.open, "todos": state.main.todos, "shell_folder": state.main.shell_folder, "seen": seen,
        "turn": state.turn, "newest_turn": state.newest_turn, "last": state.last, "ids": state.main.conversation.fresh_ids(ids),
    })
}

fn folded<'a>(home: &Home, entries: impl IntoIterator<Item = &'a Entry>) -> SessionState {
    let mut state = SessionState::new(&home.store().header(SESSION).unwrap());
    entries.into_iter().for_each(|entry| state.apply(entry));
    state
}

#[test]
fn what_was_told_and_what_was_written_are_the_same_state() {
    life(async {
        let (home, script) = project();
        let front = play(&home, &script).await;
        let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
        let heard = front.close().await;
        let told = folded(&home, heard.iter().map(|entry| &**entry));
        let written = folded(&home, &home.entries());
        assert_eq!(shape(&told), shape(&written));
        // And the state is one in which something happened.
        assert_eq!((status.mode, &status.todos), (written.mode_state.mode(), &written.main.todos));
        assert_eq!(
            (written.mode_state.mode(), written.model.as_deref()),
            (Mode::Plan, Some("scripted/other"))
        );
        assert_eq!(status.model, "scripted/other");
        assert_eq!(written.main.shell_folder, home.project.join("sub"));
        assert_eq!((written.main.seen.all().len(), written.main.todos.len()), (2, 1));
        assert!(written.queue.is_empty() && written.open.is_empty() && written.turn.is_none());
        assert_eq!(home.text("sub/twice").as_deref(), Some(""), "a call with the id of another gets its own");
        assert_eq!((home.text("a.txt").as_deref(), home.text("refused")), (Some("two\n"), None));
    });
}

/// What the last request said before the person's last words.
fn history(home: &Home) -> Vec<Value> {
    let mut request = home.last_request();
    let last = request.iter().rposition(|message| words(message) == GO_ON).unwrap();
    request.truncate(last);
    request
}

/// A resumed session sends what the running one would have sent.
#[test]
fn a_resumed_session_goes_on_with_the_same_conversation() {
    let (home, script) = project();
    life(async { play(&home, &script).await });
    let before = folded(&home, &home.entries());
    life(async {
        let mut front = home.resume(&script, Responder::Person).await;
        assert_eq!(front.go_on().await, EndReason::Done);
        assert_eq!(json!(history(&home)), json!(before.main.conversation.messages()));
        front.close().await;
    });
}

/// A kill can fall behind any line, or into one.
#[test]
fn every_beginning_of_a_journal_is_repaired_to_a_valid_conversation() {
    let (home, script) = project();
    life(async { play(&home, &script).await.close().await });
    let bytes = std::fs::read(home.journal()).unwrap();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    assert!(ends.len() > 35, "{}", ends.len());
    life(async {
        for (count, end) in ends.iter().enumerate() {
            for responder in [Responder::Person, Responder::Nobody] {
                continued(&home, &script, &bytes[..*end], responder).await;
            }
            // Half of the next line.
            let next = ends.get(count + 1).unwrap_or(end);
            continued(&home, &script, &bytes[..(end + next) / 2], Responder::Nobody).await;
        }
    });
}

/// Opens a session that begins with these lines, goes on with it, and looks at what the model is sent and at
/// what is in the journal then.
async fn continued(home: &Home, script: &str, lines: &[u8], responder: Responder) {
    let other = home.beside();
    std::fs::create_dir_all(other.journal().parent().unwrap()).unwrap();
    std::fs::write(other.journal(), lines).unwrap();
    let mut front = other.resume(script, responder).await;
    assert_eq!(front.go_on().await, EndReason::Done);
    other.last_request();
    front.close().await;
    let state = folded(&other, &other.entries());
    assert!(state.open.is_empty() && state.queue.is_empty() && state.turn.is_none());
    assert_eq!(state.main.conversation.unfinished().count(), 0);
    forelook_testkit::check::journal(other.journal().as_path());
}

#[test]
fn a_fork_begins_with_the_same_conversation_and_leaves_the_first_alone() {
    let (home, script) = project();
    life(async { play(&home, &script).await.close().await });
    let before = std::fs::read(home.journal()).unwrap();
    let state = folded(&home, &home.entries());
    life(async {
        let mut front = Front::open(home.config(SessionStart::Fork(SESSION), &script)).await;
        let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
        assert_ne!(status.session, SESSION);
        assert_eq!(front.go_on().await, EndReason::Done);
        assert_eq!(json!(history(&home)), json!(state.main.conversation.messages()));
        front.close().await;
    });
    assert_eq!(std::fs::read(home.journal()).unwrap(), before);
}
