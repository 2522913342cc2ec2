//! Shells in the background, as a model uses them.

use forelook_protocol::SessionEffect;
use serde_json::{Value, json};

use crate::bash::tests::{assert_begins, assert_ends};
use crate::testing::Bench;

async fn start(bench: &mut Bench, command: &str) -> String {
    let text = bench.ok("Bash", json!({"command": command, "run_in_background": true})).await;
    assert!(text.starts_with("Started in the background as `shell_"), "{text}");
    text.split('`').nth(1).unwrap().to_owned()
}

fn wait(id: &str, pattern: &str) -> Value {
    json!({"bash_id": id, "wait_for": pattern, "timeout": 60_000})
}

/// Reads until the shell has ended.
async fn rest(bench: &mut Bench, id: &str) -> String {
    bench.ok("BashOutput", wait(id, "this text never comes")).await
}

#[tokio::test]
async fn a_server_is_started_watched_and_ended() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}7", std::process::id());
    let id = start(
        &mut bench,
        &format!("echo begun; sleep 0.2; printf 'listening on 3000'; sleep {marker} & wait"),
    )
    .await;
    assert_eq!(id, "shell_1");
    let text = bench.ok("BashOutput", wait(&id, r"listening on (\d+)")).await;
    assert_eq!(
        text,
        "begun\nlistening on 3000\n`listening on (\\d+)` appeared: listening on 3000\n`shell_1` is running"
    );
    assert_eq!(bench.ok("BashOutput", json!({"bash_id": id})).await, "`shell_1` is running; no new output");
    assert_begins(&marker).await;
    let text = bench.ok("KillShell", json!({"shell_id": id})).await;
    assert_eq!(text, "`shell_1` and everything it started were stopped");
    assert_ends(&marker).await;
    assert_eq!(bench.ok("BashOutput", json!({"bash_id": id})).await, "`shell_1`: killed");
    let text = bench.ok("KillShell", json!({"shell_id": id})).await;
    assert_eq!(text, "`shell_1` had already ended: killed");
}

#[tokio::test]
async fn every_look_gives_what_is_new_and_the_end_is_told() {
    let mut bench = Bench::new();
    let id = start(&mut bench, "echo one; read -t 0.01 x; sleep 0.1; echo two >&2; exit 3").await;
    let first = bench.ok("BashOutput", wait(&id, "one")).await;
    assert!(first.starts_with("one\n`one` appeared: one\n"), "{first}");
    assert_eq!(
        rest(&mut bench, &id).await,
        "two\n`this text never comes` never appeared: the shell ended\n`shell_1`: ended, exit code 3"
    );
    assert_eq!(bench.ok("BashOutput", json!({"bash_id": id})).await, "`shell_1`: ended, exit code 3");
    let id = start(&mut bench, "kill -KILL $$").await;
    assert!(rest(&mut bench, &id).await.ends_with("`shell_2`: ended by signal SIGKILL"));
}

#[tokio::test]
async fn what_does_not_come_in_time_is_told_and_the_shell_goes_on() {
    let mut bench = Bench::new();
    let id = start(&mut bench, "echo one; sleep 1000").await;
    bench.ok("BashOutput", wait(&id, "one")).await;
    let text = bench.ok("BashOutput", json!({"bash_id": id, "wait_for": "two", "timeout": 50})).await;
    assert!(
        text.starts_with("`two` did not appear within 50 ms") && text.ends_with("is running; no new output"),
        "{text}"
    );
    // An interrupt ends the wait and takes nothing away.
    let cancel = bench.cx.cancel.clone();
    let watcher = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        cancel.cancel();
    });
    let text = bench.failure("BashOutput", wait(&id, "two")).await;
    assert!(text.starts_with("Interrupted; `shell_1` is still running"), "{text}");
    watcher.await.unwrap();
}

#[tokio::test]
async fn lines_are_filtered_and_none_is_lost() {
    let mut bench = Bench::new();
    let text = bench.ok("Bash", json!({"command": "seq 1 100000", "run_in_background": true})).await;
    let path = text.split('`').nth(3).unwrap().to_owned();
    let wait =
        json!({"bash_id": "shell_1", "wait_for": "^100000$", "filter": "^(5|.*7777)$", "timeout": 60_000});
    let text = bench.ok("BashOutput", wait).await;
    assert!(
        text.starts_with("5\n7777\n17777\n27777\n") && text.contains("\n97777\n[99989 of 100000 new lines"),
        "{text}"
    );
    let whole: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
    assert!(std::fs::read_to_string(path).unwrap() == whole);
    let id = start(&mut bench, "echo a; echo b").await;
    rest(&mut bench, &id).await;
    let text = bench.ok("BashOutput", json!({"bash_id": id, "filter": "a"})).await;
    assert_eq!(text, "`shell_2`: ended, exit code 0");
}

#[tokio::test]
async fn much_output_is_bounded() {
    let mut bench = Bench::new();
    let id = start(&mut bench, "seq 1 2000000; echo; echo the end").await;
    let text = bench.ok("BashOutput", wait(&id, "^the end$")).await;
    assert!(
        text.starts_with("1\n2\n") && text.contains("left out here; the full output is in"),
        "{}",
        &text[..200]
    );
    assert!(text.chars().count() < 31_000);
}

#[tokio::test]
async fn a_command_that_takes_long_goes_on_if_wanted() {
    let mut bench = Bench::new();
    let command = "echo one; cd /; export V=1; sleep 2; echo two; sleep 0.3; echo three";
    let input = json!({"command": command, "timeout": 1000, "on_timeout": "background"});
    let outcome = bench.call("Bash", input).await;
    let text = outcome.result.text();
    assert!(
        text.starts_with("one\nStill running after 1000 ms: moved to the background as `shell_1`"),
        "{text}"
    );
    assert!(!outcome.result.is_error);
    let [SessionEffect::ShellStarted(shell)] = &outcome.effects[..] else { panic!("{:?}", outcome.effects) };
    assert_eq!((shell.id.as_str(), shell.command.as_str()), ("shell_1", command));
    let text = rest(&mut bench, "shell_1").await;
    assert!(text.starts_with("two\nthree\n") && text.ends_with("`shell_1`: ended, exit code 0"), "{text}");
    assert_eq!(bench.ok("Bash", json!({"command": "echo ${V-none}"})).await, "none");
}

#[tokio::test]
async fn a_shell_has_what_was_set_and_leaves_nothing() {
    let mut bench = Bench::new();
    bench.ok("Bash", json!({"command": "export V=1; mkdir sub; cd sub"})).await;
    let id = start(&mut bench, "echo $V ${PWD##*/}; export V=2; cd /").await;
    assert!(rest(&mut bench, &id).await.starts_with("1 sub\n"));
    assert_eq!(bench.ok("Bash", json!({"command": "echo $V ${PWD##*/}"})).await, "1 sub");
}

#[tokio::test]
async fn a_shell_that_is_not_there() {
    let mut bench = Bench::new();
    let text = bench.failure("BashOutput", json!({"bash_id": "shell_9"})).await;
    assert!(
        text.contains("You have no shell `shell_9`") && text.contains("shells end when Forelook exits"),
        "{text}"
    );
    let id = start(&mut bench, "exit 2").await;
    rest(&mut bench, &id).await;
    for (tool, field) in [("BashOutput", "bash_id"), ("KillShell", "shell_id")] {
        let text = bench.failure(tool, json!({field: "shell_9"})).await;
        assert!(text.ends_with("These are yours:\n- `shell_1` (ended, exit code 2): exit 2"), "{text}");
    }
}

#[tokio::test]
async fn bad_input_says_what_to_send() {
    let mut bench = Bench::new();
    for (input, part) in [
        (json!({"bash_id": "shell_1", "filter": "("}), "`filter` is not a valid regular expression"),
        (
            json!({"bash_id": "shell_1", "wait_for": "(a{1000}){1000}"}),
            "`wait_for` is not a valid regular expression",
        ),
        (json!({"bash_id": "shell_1", "timeout": 5}), "`timeout` only works with `wait_for`"),
        (json!({"bash_id": "shell_1", "wait_for": "a", "timeout": 600_001}), "send 1 to 600000"),
        (json!({"id": "shell_1"}), "unknown field `id`"),
    ] {
        let text = bench.failure("BashOutput", input).await;
        assert!(text.contains(part), "{text}");
    }
}
