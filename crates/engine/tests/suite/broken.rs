//! Answers that are none, and a disk that is full for a while.

use std::path::PathBuf;
use std::process::Command;

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{AbsPath, CallStatus, EndReason, EntryBody};

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
