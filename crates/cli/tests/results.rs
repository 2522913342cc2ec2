//! Every prompt that was read ends in exactly one result, whatever fails. A program that drives us counts them.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test"
)]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use forelook_testkit::{Lab, copy_program, small_disk};
use serde_json::{Value, json};

const STREAM: [&str; 5] = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];

/// Long enough for the slowest machine; it only passes when a test fails.
const DEADLINE: Duration = Duration::from_secs(30);

/// Fills the disk under the journal, little by little.
const FILLS: &str = r#"
[[answer]]
name = "again"
text = "I write a little, and a little more."
[[answer.call]]
tool = "Bash"
input = { command = "head -c 3000 /dev/urandom | base64" }
[[answer.next]]
goto = "again"
"#;

/// A lab whose program can be reached in a namespace of its own.
fn lab(script: &str) -> Lab {
    let binary = env!("CARGO_BIN_EXE_forelook");
    let lab = Lab::in_folder(binary, OsStr::new("project"));
    let copy = lab.root().join("forelook");
    copy_program(binary.as_ref(), &copy);
    lab.with_binary(copy).with_script(script)
}

/// A program that drives us.
struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Host {
    fn start(mut command: Command) -> Self {
        command.env("FORELOOK_TEST_REQUESTS", "/dev/null").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    fn says(&mut self, words: &str) {
        self.writes(&json!({"type": "user", "message": {"role": "user", "content": words}}).to_string());
    }

    fn writes(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next result.
    fn result(&mut self) -> Value {
        let mut before = Vec::new();
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) if line["type"] == "result" => return line,
                Ok(line) => before.push(line.to_string()),
                Err(_) => panic!("There is no result. Before it came:\n{}", before.join("\n")),
            }
        }
    }

    /// Ends the input; the exit code. Nothing more is a result.
    fn ends(mut self) -> Option<i32> {
        self.stdin = None;
        while let Ok(line) = self.lines.recv_timeout(DEADLINE) {
            assert_ne!(line["type"], "result", "one too many: {line}");
        }
        self.child.wait().unwrap().code()
    }
}

impl Drop for Host {
    /// A test that failed leaves nothing running.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_disk_that_fills_up_leaves_no_prompt_without_one() {
    let lab = lab(FILLS);
    let wrapper = small_disk(&lab.home(), 128, "true");
    let args = STREAM.into_iter().chain(["--allowedTools", "Bash", "--max-turns", "500"]);
    let mut host = Host::start(lab.wrapped(&wrapper, args));
    for words in ["one", "two", "three"] {
        host.says(words);
    }
    for _ in 0..3 {
        let result = host.result();
        assert_eq!(result["is_error"], true, "{result}");
        assert!(result["errors"][0].as_str().unwrap().contains("full"), "{result}");
    }
    // And one that the session does not take any more.
    host.says("four");
    assert_eq!(host.result()["is_error"], true);
    assert_eq!(host.ends(), Some(1));
}

#[test]
fn a_home_that_is_full_from_the_start_is_told_as_one() {
    for format in ["json", "stream-json"] {
        let lab = lab("[[answer]]\ntext = 'Never said.'");
        let wrapper = small_disk(&lab.home(), 64, "head -c 65536 /dev/zero > all || true");
        let args = ["-p", "go", "--output-format", format];
        let mut command = lab.wrapped(&wrapper, args);
        command.env("FORELOOK_TEST_REQUESTS", "/dev/null");
        let out = command.output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert_eq!(out.status.code(), Some(1), "{stdout}{stderr}");
        let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [result] = &lines[..] else { panic!("{format}: {stdout}{stderr}") };
        assert_eq!((&result["type"], &result["is_error"]), (&json!("result"), &json!(true)));
        assert!(result["errors"][0].as_str().unwrap().contains("full"), "{result}");
    }
}

#[test]
fn a_line_that_cannot_be_parsed_costs_no_prompt_before_it_its_own() {
    let lab = lab("[[answer]]\ntext = 'One.'\n[[answer]]\ntext = 'Two.'");
    for (bad, error) in [
        ("{", None),
        (r#"{"type":"user","message":{"content":[{"type":"video"}]}}"#, Some("`video` is not allowed")),
        (r#"{"type":"user"}"#, Some("Cannot parse line 3")),
    ] {
        let mut host = Host::start(lab.command(STREAM));
        host.says("one");
        host.says("two");
        host.writes(bad);
        assert_eq!(
            (host.result()["result"].clone(), host.result()["result"].clone()),
            (json!("One."), json!("Two."))
        );
        // What was meant as a prompt has one too.
        if let Some(error) = error {
            let result = host.result();
            assert!(result["errors"][0].as_str().unwrap().contains(error), "{result}");
        }
        assert_eq!(host.ends(), Some(2), "{bad}");
    }
}

/// The second signal waits for nothing; what was read has its result all the same.
#[test]
fn a_run_that_is_stopped_twice_gives_them_before_it_ends() {
    let lab = lab("[[answer]]\n[[answer.call]]\ntool = 'Bash'\n\
         input = { command = 'echo > begun.txt; sleep 986' }");
    let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--allowedTools", "Bash"])));
    host.says("one");
    host.says("two");
    let began = Instant::now();
    while !lab.project().join("begun.txt").exists() {
        assert!(began.elapsed() < DEADLINE, "the call never began");
        std::thread::yield_now();
    }
    for _ in 0..2 {
        let id = host.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }
    for _ in 0..2 {
        assert_eq!(host.result()["terminal_reason"].as_str().unwrap().split('_').next(), Some("aborted"));
    }
    assert_eq!(host.ends(), Some(130));
}
