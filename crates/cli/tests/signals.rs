//! Signals end the program cleanly: the conversation is valid, children are gone, and it can go on.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::io::{BufRead, BufReader, Read};
use std::process::Command;

use forelook_testkit::Lab;

const SCRIPT: &str = r#"
[[answer]]
text = "I'll wait."
[[answer.call]]
tool = "Bash"
input = { command = "sleep 987 & echo started; sleep 986" }
[[answer.call]]
tool = "Bash"
input = { command = "echo never > never.txt" }
[[answer]]
text = "Going on."
"#;

/// Starts a run, sends the signal when the first call has begun, and returns the exit code and the rest of the output.
fn interrupted_by(signal: &str, lab: &Lab) -> (Option<i32>, String) {
    let args = ["-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json"];
    let mut child = lab.command(args).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"assistant\"") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "ended too early");
    }
    while !journal_has(lab, "\"kind\":\"tool_started\"") {
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

fn journal_has(lab: &Lab, text: &str) -> bool {
    lab.journals().first().is_some_and(|path| std::fs::read_to_string(path).unwrap().contains(text))
}

fn is_running(pattern: &str) -> bool {
    Command::new("pgrep").args(["-f", pattern]).output().unwrap().status.success()
}

#[test]
fn signals_end_cleanly() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(SCRIPT);
        let (code, rest) = interrupted_by(signal, &lab);
        assert_eq!(code, Some(130), "{signal}: {rest}");
        assert!(rest.contains("\"terminal_reason\":\"aborted_tools\""), "{signal}: {rest}");
        assert!(rest.trim_end().lines().last().unwrap().contains("\"type\":\"result\""), "{signal}: {rest}");
        assert!(!lab.project().join("never.txt").exists(), "{signal}: the second call ran");
        let ran = lab.run(&["--continue", "-p", "go on"]);
        assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "Going on."), "{signal}: {}", ran.stderr);
        lab.check();
    }
    assert!(!is_running("^sleep 98[67]$"), "a child was left behind");
}
