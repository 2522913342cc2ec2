//! Shells in the background, as the program sees them.

mod begins;

use std::sync::Arc;

use forelook_protocol::{Confinement, RunningShell};
use serde_json::json;

use super::*;
use crate::bash::tests::{assert_begins, assert_ends, is_running};
use crate::testing::Bench;

async fn start(bench: &mut Bench, command: &str) {
    bench.ok("Bash", json!({"command": command, "run_in_background": true})).await;
}

/// Name, command and fence of what runs.
pub(super) fn running(shells: &ShellRegistry) -> Vec<(String, String, Confinement)> {
    let running = shells.tasks().into_iter().filter(|task| task.state == TaskState::Running);
    running.map(|task| (task.id.to_string(), task.about, task.sandbox)).collect()
}

async fn until_over(bench: &Bench, id: &str) {
    bench.services.shells.get(id, None).unwrap().ended().await;
}

#[tokio::test]
async fn an_end_is_news_once_and_only_if_no_call_told_it() {
    let mut bench = Bench::new();
    for command in ["exit 3", "exit 4", "sleep 1000", "sleep 1001"] {
        start(&mut bench, command).await;
    }
    let shells = Arc::clone(&bench.services.shells);
    until_over(&bench, "shell_1").await;
    until_over(&bench, "shell_2").await;
    bench.ok("BashOutput", json!({"bash_id": "shell_2"})).await;
    bench.ok("KillShell", json!({"shell_id": "shell_3"})).await;
    let news = ShellExitNotice { id: "shell_1".into(), command: "exit 3".into(), how: "exit code 3".into() };
    assert_eq!(shells.take_exit_notices(None), [news]);
    assert_eq!(shells.take_exit_notices(None), []);
    assert_eq!(running(&shells), [("shell_4".to_owned(), "sleep 1001".to_owned(), Confinement::Off)]);
}

#[tokio::test]
async fn sixteen_run_and_no_more() {
    let mut bench = Bench::new();
    for _ in 0..MAX_RUNNING {
        start(&mut bench, "sleep 1000").await;
    }
    let text = bench.failure("Bash", json!({"command": "true", "run_in_background": true})).await;
    assert!(
        text.starts_with(
            "16 background shells are already running; stop one with KillShell first\n- `shell_1`: sleep"
        ),
        "{text}"
    );
    let input = json!({"command": "sleep 1000", "timeout": 100, "on_timeout": "background"});
    let text = bench.failure("Bash", input).await;
    assert!(
        text.contains("were killed because it could not move to the background\n16 background shells"),
        "{text}"
    );
    bench.ok("KillShell", json!({"shell_id": "shell_5"})).await;
    start(&mut bench, "true").await;
    assert!(bench.services.shells.get("shell_17", None).is_ok());
}

#[tokio::test]
async fn old_shells_are_forgotten_and_running_ones_never() {
    let mut bench = Bench::new();
    start(&mut bench, "sleep 1000").await;
    for number in 2..=MAX_ENDED + 5 {
        start(&mut bench, "true").await;
        until_over(&bench, &format!("shell_{number}")).await;
    }
    let held = bench.services.shells.all().entries.len();
    assert!(held <= MAX_ENDED + 2, "{held}");
    assert!(
        bench.services.shells.get("shell_1", None).is_ok()
            && bench.services.shells.get("shell_2", None).is_err()
    );
}

#[tokio::test]
async fn all_end_with_the_session() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}8", std::process::id());
    start(&mut bench, &format!("trap '' TERM; echo up; sleep {marker} & sleep {marker}")).await;
    bench.ok("BashOutput", json!({"bash_id": "shell_1", "wait_for": "up"})).await;
    assert_begins(&marker).await;
    drop(bench);
    assert_ends(&marker).await;
}

/// Also when no runtime is there to drop anything.
#[test]
fn all_end_at_once_without_a_runtime() {
    let marker = format!("1000.{}9", std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let shells = runtime.block_on(async {
        let mut bench = Bench::new();
        start(&mut bench, &format!("echo up; sleep {marker}")).await;
        bench.ok("BashOutput", json!({"bash_id": "shell_1", "wait_for": "up"})).await;
        Arc::clone(&bench.services.shells)
    });
    drop(shells);
    while is_running(&marker) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(runtime);
}

#[tokio::test]
async fn a_shell_that_prints_without_end_is_held_in_little_memory() {
    let mut bench = Bench::new();
    start(&mut bench, "yes | head -c 1G; echo end").await;
    let shell = bench.services.shells.get("shell_1", None).unwrap();
    let mut most = 0;
    while shell.is_running() {
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), shell.ended()).await;
        most = most.max(shell.buffered_bytes());
    }
    assert!(most < 700_000, "{most}");
    let text = bench.ok("BashOutput", json!({"bash_id": "shell_1"})).await;
    assert!(text.contains("the first 64 MiB are in") && text.contains("y\nend\n"), "{}", &text[..300]);
    assert!(text.len() < 31_000);
}

/// Planning begins: what could still change something is listed, and stopped, and who waited for it hears why.
#[tokio::test]
async fn what_could_change_something_is_stopped_and_the_rest_goes_on() {
    let mut bench = Bench::new();
    start(&mut bench, "sleep 1000").await;
    bench.options.sandbox = Confinement::ReadOnly;
    start(&mut bench, "sleep 1001").await;
    bench.options.sandbox = Confinement::Off;
    let shells = Arc::clone(&bench.services.shells);
    let waited = tokio::spawn(async move {
        let text = bench.failure("Bash", json!({"command": "echo begun;\nsleep 1002"})).await;
        (bench, text)
    });
    while shells.pre_plan_processes().len() < 2 {
        tokio::task::yield_now().await;
    }
    let listed = |id: Option<&str>, command: &str| RunningShell {
        id: id.map(ToOwned::to_owned),
        command: command.to_owned(),
    };
    assert_eq!(
        shells.pre_plan_processes(),
        [listed(Some("shell_1"), "sleep 1000"), listed(None, "echo begun; sleep 1002")]
    );
    shells.stop_pre_plan_processes().await;
    assert_eq!(shells.pre_plan_processes(), []);
    let (mut bench, text) = waited.await.unwrap();
    assert!(text.contains("Stopped because planning started: the command and everything"), "{text}");
    let how = "stopped because planning started".to_owned();
    assert_eq!(
        shells.take_exit_notices(None),
        [ShellExitNotice { id: "shell_1".into(), command: "sleep 1000".into(), how }]
    );
    let text = bench.ok("BashOutput", json!({"bash_id": "shell_1"})).await;
    assert_eq!(text, "`shell_1`: stopped because planning started");
    assert_eq!(running(&shells), [("shell_2".to_owned(), "sleep 1001".to_owned(), Confinement::ReadOnly)]);
    shells.stop(&["shell_2".to_owned()]).await;
    assert_eq!(running(&shells), []);
}

/// What one agent started is no other's to read or to end, and goes to whoever started the agent in the end.
#[tokio::test]
async fn an_agent_has_only_its_own_shells_until_it_hands_them_over() {
    let mut main = Bench::new();
    let mut agent = main.other_agent();
    agent.cx.place.agent = Some(AgentId("a".into()));
    start(&mut main, "echo mine; sleep 1000").await;
    start(&mut agent, "echo theirs; sleep 1001").await;
    for (bench, own, other) in [(&mut main, "shell_1", "shell_2"), (&mut agent, "shell_2", "shell_1")] {
        for (tool, field) in [("BashOutput", "bash_id"), ("KillShell", "shell_id")] {
            let text = bench.failure(tool, json!({field: other})).await;
            assert!(text.starts_with(&format!("You have no shell `{other}`")), "{tool}: {text}");
            assert!(
                text.contains(&format!("- `{own}`")) && !text.contains(&format!("- `{other}`")),
                "{text}"
            );
        }
    }
    let shells = Arc::clone(&main.services.shells);
    assert_eq!(running(&shells).len(), 2);
    let left = shells.hand_over(&AgentId("a".into()), None);
    assert_eq!(left, ["`shell_2` (running): echo theirs; sleep 1001"]);
    main.ok("KillShell", json!({"shell_id": "shell_2"})).await;
    assert_eq!(running(&shells).len(), 1);
}

/// The decision sees in which fence a shell runs; one that there is not needs nobody's yes.
#[tokio::test]
async fn a_call_that_ends_a_shell_says_what_holds_it() {
    let mut bench = Bench::new();
    bench.options.sandbox = Confinement::ReadOnly;
    start(&mut bench, "sleep 1000").await;
    let mut other = bench.other_agent();
    other.cx.place.agent = Some(AgentId("a".into()));
    for (whose, shell, sandbox) in [
        (&bench, "shell_1", Confinement::ReadOnly),
        (&other, "shell_1", Confinement::Off),
        (&bench, "shell_2", Confinement::ReadOnly),
    ] {
        let action = whose.parsed("KillShell", &json!({"shell_id": shell})).action(&whose.cx.place).unwrap();
        assert_eq!(action, forelook_protocol::Action::EndShell { shell: shell.to_owned(), sandbox });
    }
}

#[tokio::test]
async fn a_person_sees_what_a_shell_wrote_and_ends_it_and_the_model_hears_of_it() {
    let mut bench = Bench::new();
    start(&mut bench, "echo one; echo two; sleep 1000").await;
    bench.ok("BashOutput", json!({"bash_id": "shell_1", "wait_for": "two"})).await;
    let shells = Arc::clone(&bench.services.shells);
    assert_eq!(shells.output("shell_1").unwrap().unwrap(), "one\ntwo", "also what the model has read");
    assert!(shells.output("shell_2").is_none());
    assert_eq!(shells.how_ended("shell_1"), None);
    assert!(shells.end_for_user("shell_1"));
    shells.changed().await;
    assert_eq!(shells.how_ended("shell_1").as_deref(), Some("stopped by the user"));
    assert!(!shells.end_for_user("shell_1"), "it has ended");
    let notices = shells.take_exit_notices(None);
    assert_eq!((notices.len(), notices[0].how.as_str()), (1, "stopped by the user"));
}
