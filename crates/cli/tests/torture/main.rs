//! Long sessions and faulty servers: nothing grows, nothing is left open, and every prompt has one result.
//!
//! `FORELOOK_TORTURE` says how many times as much; `cargo xtask soak` says 20. Kills are in `kill.rs`, full and vanishing
//! disks in `bad_places.rs`, hang-ups in `signals.rs` and `screen/leaving.rs`.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test; how long to torture is for the one who runs it to say"
)]

mod faults;
mod process;

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use forelook_testkit::Lab;
use process::Footprint;
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_forelook");

/// How many times as much as in every test run.
fn factor() -> usize {
    std::env::var("FORELOOK_TORTURE").map_or(1, |times| times.parse().unwrap())
}

/// A host that drives a session over `stream-json`.
struct Host {
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Host {
    /// Sends a prompt and reads to its result.
    fn prompt(&mut self, words: &str) -> Value {
        let prompt = json!({"type": "user", "message": {"role": "user", "content": words}});
        writeln!(self.stdin, "{prompt}").unwrap();
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "it ended without a result");
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["type"] == "result" {
                return line;
            }
        }
    }
}

/// Starts a session and runs `work` with it; what it left is checked at the end.
fn with_host(lab: &Lab, args: &[&str], work: impl FnOnce(&mut Host, u32)) {
    let stream = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    let mut command = lab.command(stream.iter().chain(args));
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut host = Host { stdin, lines: BufReader::new(stdout) };
    work(&mut host, child.id());
    drop(host.stdin);
    let rest: Vec<String> = host.lines.lines().map(Result::unwrap).collect();
    assert!(!rest.iter().any(|line| line.contains("\"type\":\"result\"")), "a result too many: {rest:?}");
    assert!(child.wait().unwrap().success());
}

/// A prompt costs the same at the end of a long session as at its beginning, and nothing stays open.
#[test]
fn prompts_do_not_pile_up() {
    let count = 100 * factor();
    let script = "[[answer]]\nname = \"a\"\ntext = \"Yes.\"\nnext = [{ goto = \"a\" }]\n";
    let lab = Lab::new(BINARY).with_script(script);
    with_host(&lab, &[], |host, pid| {
        // The first ones fill caches.
        (0..20).for_each(|_| drop(host.prompt("go")));
        let before = Footprint::of(pid);
        let mut times = Vec::new();
        for at in 0..count {
            let began = Instant::now();
            let result = host.prompt(&format!("prompt {at}"));
            assert_eq!(result["subtype"], "success", "{result}");
            times.push(began.elapsed());
        }
        let after = Footprint::of(pid);
        let mean = |times: &[std::time::Duration]| {
            times.iter().sum::<std::time::Duration>() / u32::try_from(times.len()).unwrap()
        };
        let tenth = count / 10;
        println!(
            "{count} prompts: {:?}, then {:?} each; {before}, then {after}",
            mean(&times[..tenth]),
            mean(&times[count - tenth..])
        );
        after.must_not_exceed(&before);
    });
    lab.check();
}

/// Thousands of calls in one turn.
#[test]
fn calls_do_not_pile_up() {
    const AT_ONCE: usize = 100;
    let answers = 2 * factor();
    let call = r#"{ tool = "Read", input = { file_path = "a.txt" } }"#;
    let calls = vec![call; AT_ONCE].join(", ");
    let mut script = format!("[[answer]]\ncall = [{calls}]\n").repeat(answers);
    script.push_str("[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{ goto = \"end\" }]\n");
    let lab = Lab::new(BINARY).with_script(&script);
    lab.file("a.txt", "one\n");
    with_host(&lab, &["--max-turns", "100000"], |host, pid| {
        let result = host.prompt("go");
        assert_eq!(result["subtype"], "success", "{result}");
        let before = Footprint::of(pid);
        (0..20).for_each(|_| drop(host.prompt("again")));
        let after = Footprint::of(pid);
        println!("{} calls in a turn: {before}, then {after}", answers * AT_ONCE);
        after.must_not_exceed(&before);
    });
    lab.check();
}
