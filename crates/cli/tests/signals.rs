//! Signals end the program cleanly: the conversation is valid, children are gone, and it can go on.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test"
)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command};
use std::time::{Duration, Instant};

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
    send(signal, &child);
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn journal_has(lab: &Lab, text: &str) -> bool {
    lab.journals().first().is_some_and(|path| std::fs::read_to_string(path).unwrap().contains(text))
}

fn is_running(pattern: &str) -> bool {
    Command::new("pgrep").args(["-f", pattern]).output().unwrap().status.success()
}

#[test]
fn signals_end_cleanly() {
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT", "-ABRT", "-USR1", "-USR2"] {
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

/// What a pipe holds on Linux unless somebody asks for more.
const PIPE: u64 = 65_536;

/// Longer than a second by what a busy machine needs, and far below what a person would wait.
const SOON: Duration = Duration::from_secs(5);

/// A run in a stream of JSON whose output nobody reads.
fn unread(lab: &Lab) -> (Child, ChildStdout) {
    let args = ["-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json"];
    let mut child = lab.command(args).spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    (child, stdout)
}

/// Waits until so much is in the pipe.
fn until_unread(stdout: &ChildStdout, is_enough: impl Fn(u64) -> bool) {
    until(|| is_enough(rustix::io::ioctl_fionread(stdout).unwrap()));
}

fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "it never was so");
        std::thread::yield_now();
    }
}

fn ends_soon(signal: &str, child: &mut Child) {
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > SOON {
            child.kill().unwrap();
            panic!("{signal} did not end it");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(status.code(), Some(130), "{signal}");
}

fn goes_on(lab: &Lab) {
    let ran = lab.run(&["--continue", "-p", "go on"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "Going on."), "{}", ran.stderr);
    lab.check();
}

#[test]
fn one_signal_ends_a_run_whose_reader_stopped_reading() {
    let long = "many words ".repeat(20_000);
    let script = format!("[[answer]]\ntext = '''{long}'''\n[[answer]]\ntext = 'Going on.'");
    for signal in ["-INT", "-TERM", "-HUP"] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(&script);
        let (mut child, stdout) = unread(&lab);
        // The last page of a pipe may have room that a write does not use.
        until_unread(&stdout, |bytes| bytes > PIPE - 8192);
        send(signal, &child);
        ends_soon(signal, &mut child);
        goes_on(&lab);
    }
}

/// The signal is taken, and then what it leads to cannot be written.
#[test]
fn one_signal_ends_a_run_that_gets_stuck_after_it() {
    // Almost all of the pipe, so that the result of the call does not fit any more.
    let script = format!(
        "[[answer]]\ntext = '''{}'''\n[[answer.call]]\ntool = 'Bash'\n\
         input = {{ command = 'seq 5000; echo > begun.txt; sleep 986' }}\n[[answer]]\ntext = 'Going on.'",
        "many words ".repeat(5_000)
    );
    for signal in ["-INT", "-TERM", "-HUP"] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(&script);
        let (mut child, stdout) = unread(&lab);
        let begun = lab.project().join("begun.txt");
        until_unread(&stdout, |bytes| bytes > 50_000 && begun.exists());
        assert!(rustix::io::ioctl_fionread(&stdout).unwrap() < PIPE - 8192, "it was stuck before the signal");
        send(signal, &child);
        ends_soon(signal, &mut child);
        goes_on(&lab);
    }
}

/// We are stopped for longer than the command may take, and it ends meanwhile: that is no timeout.
#[test]
fn a_command_that_ended_while_we_were_stopped_did_not_time_out() {
    let script = "[[answer]]\n[[answer.call]]\ntool = 'Bash'\n\
                  input = { command = 'echo > begun.txt; sleep 0.2; echo > ended.txt', timeout = 1000 }\n\
                  [[answer]]\ntext = 'Seen.'";
    // Which of two things that have both happened is looked at first is left to chance.
    for _ in 0..4 {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(script);
        let (mut child, _stdout) = unread(&lab);
        until(|| lab.project().join("begun.txt").exists());
        send("-STOP", &child);
        let stopped = Instant::now();
        until(|| lab.project().join("ended.txt").exists() && stopped.elapsed() > Duration::from_millis(1100));
        send("-CONT", &child);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let result = lab.journal().into_iter().find(|entry| entry["kind"] == "tool_finished").unwrap();
        assert!(!result.to_string().contains("Timed out"), "{result}");
    }
}
