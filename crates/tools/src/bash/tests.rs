//! Bash, with real commands.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use forelook_protocol::SessionEffect;
use forelook_sandbox::ChildEnv;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::OutputSink;
use crate::testing::Bench;

mod environment;
mod fences;
mod hostile;
mod unasked;

pub(crate) fn run(command: &str) -> Value {
    json!({"command": command})
}

#[tokio::test]
async fn what_commands_come_to() {
    let mut bench = Bench::new();
    for (command, expected) in [
        ("echo a; echo b >&2; echo c", "a\nb\nc"),
        ("true", "(no output)"),
        ("cat; read x; echo end", "end"),
        ("printf 'a\\0b\\xff\\033[31mred\\033[0m\\n'", "a\u{fffd}b\u{fffd}red"),
        ("echo $# \"$0\" \"[$1]\"", "0 bash []"),
        ("set -u; set -C; echo ok", "ok"),
        ("trap 'echo mine' EXIT; echo a", "a\nmine"),
        ("x='it'\\''s'; echo \"$x\" '$HOME' `echo sub` # end", "it's $HOME sub"),
        ("cat <<END\nhere\nEND", "here"),
        ("echo \"$TERM $PAGER $GIT_TERMINAL_PROMPT\"", "dumb cat 0"),
        ("printf '10%%\\r'; sleep 0.2; printf '20%%\\r'; printf '100%%\\n'", "100%"),
        ("set -x; cd .", "++ cd ."),
        ("set -eu; trap 'echo no' ERR; true; echo $0", "bash"),
    ] {
        assert_eq!(bench.ok("Bash", run(command)).await, expected, "{command}");
    }
    for (command, expected) in [
        ("echo a; exit 3", "a\nExit code 3"),
        ("trap - EXIT; exit 4", "Exit code 4"),
        ("no-such-command-here", "bash: line 1: no-such-command-here: command not found\nExit code 127"),
        ("kill -KILL $$", "Ended by signal SIGKILL"),
        ("exec >&- 2>&-; exit 5", "Exit code 5"),
        ("set -e; false; echo no", "Exit code 1"),
    ] {
        assert_eq!(bench.failure("Bash", run(command)).await, expected, "{command}");
    }
    assert!(bench.failure("Bash", run("if then")).await.contains("syntax error"));
    assert!(bench.shown.lock().unwrap().starts_with("a\nb\nc\n"));
}

#[tokio::test]
async fn the_folder_is_kept() {
    for name in ["project", "with space", "new\nline\n", "it's \"$HOME\"", "caf\u{e9}"] {
        check_folder_is_kept(Bench::in_folder(name)).await;
    }
    check_folder_is_kept(Bench::in_folder(OsStr::from_bytes(b"caf\xe9"))).await;
}

async fn check_folder_is_kept(mut bench: Bench) {
    let project = bench.cx.place.project.clone();
    let outcome = bench.call("Bash", run("mkdir -p 'a b' && pwd -P >/dev/null")).await;
    assert_eq!(outcome.effects, [], "{outcome:?}");
    let outcome = bench.call("Bash", run("cd 'a b'; exit 3")).await;
    assert_eq!(outcome.effects, [SessionEffect::SetFolder { folder: project.join("a b") }]);
    // What the shell wrote in its folder is where Read looks for it.
    bench.ok("Bash", run("echo here >file")).await;
    assert!(bench.ok("Read", json!({"file_path": "file"})).await.contains("here"));
    let shown = format!("{project}/a b/file");
    assert!(bench.ok("Read", json!({"file_path": shown})).await.contains("here"));
    // In a subshell it is not ours.
    assert_eq!(bench.call("Bash", run("(cd /); true")).await.effects, []);
    // Its own trap replaces ours; with `exit` nobody tells, and nothing breaks.
    assert_eq!(bench.call("Bash", run("trap 'echo bye' EXIT; cd /; exit 0")).await.effects, []);
    let outcome = bench.call("Bash", run("trap 'echo bye' EXIT; cd ..")).await;
    assert_eq!((outcome.result.text().as_str(), outcome.effects.len()), ("bye", 1));
    assert_eq!(bench.call("Bash", run("f() { cd 'a b'; exit 5; }; f")).await.effects.len(), 1);
    // Gone: the project's folder takes its place, said aloud.
    bench.ok("Bash", run("rm -r \"$PWD\"")).await;
    let text = bench.ok("Bash", run("test -d 'a b' || echo none")).await;
    assert!(text.ends_with(&format!("no longer exists; this ran in `{project}`]\nnone")), "{text}");
    assert_eq!(bench.cx.place.folder, project);
    assert!(!bench.services.scratch.as_path().exists());
}

#[tokio::test]
async fn a_long_output_is_cut_in_the_middle_and_whole_in_a_file() {
    let mut bench = Bench::new();
    let text = bench.ok("Bash", run("seq 1 1400000")).await;
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("\n1400000"));
    assert!(text.chars().count() < 30_400, "{}", text.len());
    let path = text.split('`').nth(1).unwrap();
    let whole: String = (1..=1_400_000).map(|n| format!("{n}\n")).collect();
    assert!(whole.len() > 10_000_000);
    assert!(std::fs::read_to_string(path).unwrap() == whole);
    assert!(bench.ok("Read", json!({"file_path": path, "limit": 1})).await.starts_with("     1\t1\n"));
}

#[tokio::test]
async fn who_wants_a_terminal_gets_a_hint() {
    let mut bench = Bench::new();
    let text = bench.ok("Bash", run("sh")).await;
    assert!(text.starts_with("(no output)\n[It got no input"), "{text}");
    let text = bench.failure("Bash", run("echo 'EOFError: EOF when reading a line'; exit 1")).await;
    assert!(text.contains("EOFError") && text.contains("[There is no terminal"), "{text}");
    let text = bench.failure("Bash", run("stty size")).await;
    assert!(text.contains("[There is no terminal"), "{text}");
    bench
        .ok("Bash", run("git init -q . && git config user.name t && git config user.email t@example.com"))
        .await;
    let text = bench.failure("Bash", run("touch a && git add a && git commit")).await;
    assert!(text.contains("[No editor is available here: give git the message with `-m`"), "{text}");
    assert!(!bench.failure("Bash", run("git commit -m x nothing-here")).await.contains("No editor"));
    let text = bench.failure("Bash", run("cat </dev/tty")).await;
    assert!(text.contains("[There is no terminal"), "{text}");
}

/// Whether a process with this word among its arguments still runs.
pub(crate) fn is_running(marker: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == marker.as_bytes())
    })
}

pub(crate) async fn assert_begins(marker: &str) {
    let start = Instant::now();
    while !is_running(marker) {
        assert!(start.elapsed() < Duration::from_secs(20), "`{marker}` never began");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) async fn assert_ends(marker: &str) {
    let start = Instant::now();
    while is_running(marker) {
        assert!(start.elapsed() < Duration::from_secs(10), "`{marker}` is left");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_time_out_ends_everything() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}1", std::process::id());
    let command = format!("echo begun; cd /; sleep {marker} & sleep {marker}");
    let outcome = bench.call("Bash", json!({"command": command, "timeout": 300})).await;
    let text = outcome.result.text();
    assert!(text.starts_with("begun\n") && text.contains("Timed out after 300 ms"), "{text}");
    assert!(outcome.result.is_error);
    assert_ends(&marker).await;
}

#[tokio::test]
async fn an_interrupt_ends_everything() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}2", std::process::id());
    let cancel = bench.cx.cancel.clone();
    // As soon as the command has begun, and not by the clock.
    bench.cx.output = OutputSink::new(move |_: &str| cancel.cancel());
    let text = bench.failure("Bash", run(&format!("echo begun; sleep {marker} & sleep {marker}"))).await;
    assert!(text.starts_with("begun\nInterrupted"), "{text}");
    assert_ends(&marker).await;
}

#[tokio::test]
async fn what_is_left_behind_ends_with_the_call() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}3", std::process::id());
    assert_eq!(bench.ok("Bash", run(&format!("sleep {marker} & echo now"))).await, "now");
    assert_ends(&marker).await;
}

#[tokio::test]
async fn an_abandoned_call_leaves_nothing() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}4", std::process::id());
    let command = run(&format!("sleep {marker}"));
    let _ = tokio::time::timeout(Duration::from_millis(200), bench.call("Bash", command)).await;
    assert_ends(&marker).await;
}

#[tokio::test]
async fn no_key_is_in_the_environment() {
    let planted = [
        ("ANTHROPIC_API_KEY", "planted-key-1"),
        ("MINE", "planted-key-1"),
        ("GROQ_API_KEY", "planted-key-2"),
    ];
    let process = std::env::vars_os().chain(planted.map(|(name, value)| (name.into(), value.into())));
    let mut bench = Bench::new().with_env(ChildEnv::from_process_without_secrets(process));
    let text = bench.ok("Bash", run("env")).await;
    assert!(text.contains("PATH=") && !text.contains("planted"), "{text}");
}

#[tokio::test]
async fn bad_input_says_what_to_send() {
    let mut bench = Bench::new();
    for (input, part) in [
        (json!({"command": "true", "timeout": 600_001}), "send 1 to 600000"),
        (json!({"command": "true", "timeout": 0}), "send 1 to 600000"),
        (json!({"command": "a\0b"}), "NUL"),
        (json!({"command": " \n"}), "`command` is empty"),
        (json!({"cmd": "true"}), "unknown field `cmd`"),
        (json!({"command": ["ls"]}), "Bad input in `command`"),
        (json!({"command": "ls", "on_timeout": "wait"}), "`on_timeout`"),
    ] {
        let text = bench.failure("Bash", input).await;
        assert!(text.contains(part), "{text}");
    }
    let text = bench.failure("Bash", run(&format!("true {}", "x".repeat(3_000_000)))).await;
    assert!(text.contains("too long"), "{text}");
}
