//! Answers that are none, and a disk that is full for a while.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    AbsPath, CallStatus, Command as SessionCommand, CommandError, EndReason, EntryBody, Event, IdGenerator,
    LiveEvent,
};

use crate::common::{Front, GO_ON, Home, SESSION, life, words};
use crate::tools::{Made, done, with};

/// Models end a turn without a word now and then; no provider takes an empty message back.
#[test]
fn an_empty_answer_leaves_no_empty_message() {
    for empty in ["stop = 'end_turn'", "text = ''"] {
        let script = format!(
            "start = [{{ prompt = 'go on', goto = 'after' }}]\n[[answer]]\n{empty}\n[[answer]]\nname = 'after'\ntext = 'Fine.'"
        );
        life(async {
            let home = Home::new();
            let mut front = home.begin(&script).await;
            front.say("Do it").await;
            assert_eq!(front.turn_end().await, EndReason::Empty);
            assert_eq!(front.go_on().await, EndReason::Done);
            let told: Vec<_> = home.last_request().iter().map(words).collect();
            let [first, reminder, last] = told.as_slice() else { panic!("{told:?}") };
            assert_eq!((first.as_str(), last.as_str()), ("Do it", GO_ON));
            assert!(reminder.contains("Your last answer was empty"), "{reminder}");
            front.close().await;
        });
    }
}

/// A provider's failure is an end like any other: nothing of the half answer is kept, and the next prompt
/// finds a conversation that is whole.
#[test]
fn a_failure_in_the_middle_of_an_answer_leaves_nothing_of_it() {
    const SCRIPT: &str = "[[answer]]\ntext = 'Half of it.'\ncall = [{ tool = 'Bash', input = { command = 'touch ran' } }]\n\
        fail = { kind = 'bad_request', message = 'too much', after = 6 }\nnext = [{ goto = 'after' }]\n\
        [[answer]]\nname = 'after'\ntext = 'Fine.'";
    life(async {
        let home = Home::new();
        let mut front = home.begin(SCRIPT).await;
        front.say("Do it").await;
        let end = front.turn_end().await;
        assert!(matches!(end, EndReason::Provider { .. }), "{end:?}");
        assert_eq!(home.text("ran"), None);
        assert_eq!(front.go_on().await, EndReason::Done);
        assert_eq!(home.requests()[1]["messages"].as_array().unwrap().len(), 2);
        home.last_request();
        front.close().await;
    });
}

/// Runs a test in a child of this process where a folder, which is returned there, is a disk of 64 KiB.
fn on_small_disk(test: &str) -> Option<PathBuf> {
    const INSIDE: &str = "FORELOOK_TEST_INSIDE";
    if let Some(folder) = std::env::var_os(INSIDE) {
        return Some(PathBuf::from(folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let before = forelook_testkit::small_disk(folder.path(), 64, "true");
    let mut command = Command::new(&before[0]);
    command.args(&before[1..]).arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    let output = command.env(INSIDE, folder.path()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{command:?}\n{out}\n{err}");
    None
}

/// The result is too large for the disk, the end of the turn is not: the call must get another result, or no
/// provider takes the conversation any more.
#[test]
fn a_result_that_could_not_be_written_is_answered_for() {
    let Some(folder) = on_small_disk("broken::a_result_that_could_not_be_written_is_answered_for") else {
        return;
    };
    const SCRIPT: &str = "[[answer]]\ncall = [{ tool = 'Act' }]\n[[answer]]\nname = 'after'\ntext = 'Fine.'\nnext = [{ goto = 'after' }]";
    let home = Home::at(tempfile::tempdir().unwrap(), AbsPath::new(folder).unwrap());
    let act = Made::new("Act", |_, cx| async move { done(&cx, &"x".repeat(100_000)) });
    life(async {
        let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
        let mut front = Front::open(Config { tools: with([act]).into(), ..config }).await;
        front.say("Do it").await;
        let end = front.turn_end().await;
        assert!(matches!(end, EndReason::Internal { .. }), "{end:?}");
        assert_eq!(front.go_on().await, EndReason::Done);
        let request = home.last_request();
        assert_eq!(words(request.last().unwrap()), GO_ON);
        let status =
            |body: &EntryBody| if let EntryBody::ToolFinished(it) = body { Some(it.status) } else { None };
        let statuses: Vec<CallStatus> =
            home.entries().iter().filter_map(|entry| status(&entry.body)).collect();
        assert_eq!(statuses, [CallStatus::Interrupted]);
        front.close().await;
    });
}

/// Ids that run out: a fault inside of the session's own task.
struct BrokenIds {
    inner: Arc<dyn IdGenerator>,
    broken: AtomicBool,
}

impl IdGenerator for BrokenIds {
    fn next(&self) -> uuid::Uuid {
        assert!(!self.broken.load(Ordering::SeqCst), "no more ids");
        self.inner.next()
    }
}

/// Nobody would ever hear of the end of what was begun.
#[test]
fn a_session_that_breaks_off_tells_everybody_and_is_closed() {
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), "[[answer]]\ntext = 'Fine.'");
        let ids = Arc::new(BrokenIds { inner: Arc::clone(&config.ids), broken: AtomicBool::new(false) });
        let mut front = Front::open(Config { ids: Arc::clone(&ids) as Arc<dyn IdGenerator>, ..config }).await;
        ids.broken.store(true, Ordering::SeqCst);
        let refused = front.send(SessionCommand::CycleMode).await;
        assert_eq!(refused, Err(CommandError::Closed));
        let told = loop {
            if let Event::Live(LiveEvent::Failed(notice)) = front.event().await {
                break notice.text;
            }
        };
        assert!(told.contains("failed inside Forelook"), "{told}");
        front.closed().await;
        assert_eq!(front.send(SessionCommand::Interrupt).await, Err(CommandError::Closed));
    });
}

/// The model's list is in the journal, so the tool is right to say that it stands; the file is for other programs.
#[test]
fn a_todo_file_that_cannot_be_made_is_told() {
    const LISTS: &str = r#"
        [[answer]]
        call = [{ tool = "TodoWrite", input = { todos = [
            { content = "Write", status = "pending", activeForm = "Writing" },
        ] } }]
        [[answer]]
        text = "Done."
    "#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(LISTS).await;
        std::fs::write(home.root.join("home/todos"), "no folder").unwrap();
        front.say("Go").await;
        let mut told = String::new();
        loop {
            match front.event().await {
                Event::Live(LiveEvent::Notice(notice)) => told.push_str(&notice.text),
                Event::Recorded(entry) if matches!(entry.body, EntryBody::TurnEnded(_)) => break,
                _ => {}
            }
        }
        assert!(told.contains("its file was not saved") && told.contains("todos"), "{told}");
        let [(_, result)] = &crate::common::results(&home)[..] else { panic!() };
        assert!(!result.contains("aved"), "{result}");
        front.close().await;
    });
}

/// A project folder that goes away while the session runs, or another that takes its place.
#[test]
fn a_project_folder_that_is_gone_is_told_and_not_made_again() {
    const WRITES: &str = r#"
        [[answer]]
        text = "Hello."
        [[answer]]
        call = [{ tool = "Write", input = { file_path = "PROJECT/written", content = "x" } }]
        [[answer]]
        text = "Done."
    "#;
    for change in ["rm -r project", "mv project elsewhere", "rm -r project; touch keep; mkdir project"] {
        life(async {
            let home = Home::new();
            let mut front = home.begin(&WRITES.replace("PROJECT", &home.project.to_string())).await;
            front.say("Hello").await;
            front.turn_end().await;
            let mut shell = Command::new("sh");
            let change =
                change.replace("project", home.project.as_path().file_name().unwrap().to_str().unwrap());
            shell.args(["-c", &change]).current_dir(home.project.as_path().parent().unwrap());
            assert!(shell.status().unwrap().success());
            front.say("Write it").await;
            let replaced = change.contains("mkdir");
            let mut told = String::new();
            loop {
                match front.event().await {
                    Event::Live(LiveEvent::Notice(notice)) => told.push_str(&notice.text),
                    Event::Recorded(entry) if matches!(entry.body, EntryBody::TurnEnded(_)) => break,
                    _ => {}
                }
            }
            let expected = if replaced { "was replaced" } else { "The project folder is gone" };
            assert_eq!(told.matches(expected).count(), 1, "{change}: {told}");
            let [(_, result)] = &crate::common::results(&home)[..] else { panic!("{change}") };
            assert_eq!(result.contains("is gone"), !replaced, "{change}: {result}");
            assert_eq!(home.project.as_path().exists(), replaced, "{change}");
            front.close().await;
        });
    }
}
