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
fn a_line_that_cannot_be_parsed_costs_no_prompt_its_own() {
    let lab = lab("[[answer]]\ntext = 'One.'\n[[answer]]\ntext = 'Two.'\n[[answer]]\ntext = 'Three.'");
    for (bad, error) in [
        ("{", None),
        (r#"{"type":"user","message":{"content":[{"type":"video"}]}}"#, Some("`video` is not allowed")),
        (r#"{"type":"user"}"#, Some("Cannot parse line 3")),
        (r#"{"type": "user", "message": {"role": "user", "content": "cut"#, Some("Cannot parse line 3")),
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
        // The host may go on, at once or later.
        host.says("three");
        assert_eq!(host.result()["result"], json!("Three."), "{bad}");
        assert_eq!(host.ends(), Some(2), "{bad}");
    }
}

#[test]
fn prompts_in_one_write_with_a_line_that_cannot_be_parsed_have_their_results() {
    let lab = lab("[[answer]]\ntext = 'One.'\n[[answer]]\ntext = 'Two.'\n[[answer]]\ntext = 'Three.'");
    let prompt = |words: &str| json!({"type": "user", "message": {"role": "user", "content": words}});
    let lines = format!("{}\n{{not json\n{}\n{}\n", prompt("one"), prompt("two"), prompt("three"));
    for round in 0..10 {
        let output = lab.run_with(&STREAM, &lines);
        let results = output.json_lines().iter().filter(|line| line["type"] == "result").count();
        assert_eq!(results, 3, "round {round}");
    }
}

/// What waited behind an interrupt is not run. Each prompt has its one result all the same, in order.
#[test]
fn an_interrupt_gives_every_prompt_that_waits_its_own() {
    let lab = lab("[[answer]]\n[[answer.call]]\ntool = 'Bash'\n\
         input = { command = 'echo > begun.txt; sleep 986' }\n\
         [[answer]]\ntext = 'After.'");
    let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--allowedTools", "Bash"])));
    for words in ["one", "two", "/plan list", "three"] {
        host.says(words);
    }
    let began = Instant::now();
    while !lab.project().join("begun.txt").exists() {
        assert!(began.elapsed() < DEADLINE, "the call never began");
        std::thread::yield_now();
    }
    host.writes(r#"{"type":"control_request","request_id":"stop","request":{"subtype":"interrupt"}}"#);
    let reasons: Vec<Value> = (0..4).map(|_| host.result()["terminal_reason"].clone()).collect();
    assert_eq!(reasons, ["aborted_tools", "aborted_streaming", "completed", "aborted_streaming"]);
    host.says("four");
    assert_eq!(host.result()["result"], json!("After."));
    assert_eq!(host.ends(), Some(0));
    let journal = lab.journal();
    let taken = journal.iter().filter(|entry| entry["kind"] == "prompt_accepted");
    assert_eq!(taken.count(), 2, "only the first and the last were run");
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

/// A picture that is none would be refused with every later request.
#[test]
fn a_prompt_with_a_picture_that_is_none_fails_and_spoils_nothing() {
    let lab = lab("[[answer]]\nname = 'say'\ntext = 'Said.'\nnext = [{ goto = 'say' }]");
    let mut host = Host::start(lab.wrapped(&[], STREAM));
    let source = json!({"type": "base64", "media_type": "image/png", "data": "AAAA"});
    let content = json!([{"type": "text", "text": "Look"}, {"type": "image", "source": source}]);
    host.writes(&json!({"type": "user", "message": {"role": "user", "content": content}}).to_string());
    let result = host.result();
    assert_eq!(result["is_error"], true, "{result}");
    assert!(result["errors"][0].as_str().unwrap().contains("is not a PNG"), "{result}");
    host.says("Go on");
    assert_eq!(host.result()["result"], "Said.");
    host.ends();
}

/// Runs a command that does not end; what comes after that ends at once, and what comes then runs the command again.
const WORKS: &str = r#"
[[answer]]
name = "work"
text = "Working."
[[answer.call]]
tool = "Bash"
input = { command = "echo x >> ran; sleep 986" }
[[answer]]
text = "Stopped."
next = [{ goto = "work" }]
"#;

fn runs(lab: &Lab) -> usize {
    std::fs::read_to_string(lab.project().join("ran")).unwrap_or_default().lines().count()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < DEADLINE, "{what}");
        std::thread::yield_now();
    }
}

fn has_entries(lab: &Lab, kind: &str, count: usize) -> bool {
    let text = lab.journals().first().map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default();
    text.matches(&format!("\"kind\":\"{kind}\"")).count() >= count
}

/// Nothing from before a kill runs after the new words, and they alone have a result.
#[test]
fn new_words_after_a_kill_have_the_only_one_and_nothing_older_runs() {
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "STOP now"}}).to_string();
    let json = ["-p", "-c", "STOP now", "--output-format", "json"].to_vec();
    for (args, stdin) in [
        (vec!["-p", "-c", "STOP now"], ""),
        (json.clone(), ""),
        ([json, vec!["--fork-session"]].concat(), ""),
        ([&STREAM[..], &["-c"]].concat(), &*prompt),
        (vec!["-c", "STOP now"], ""),
    ] {
        let lab = lab(WORKS);
        let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--allowedTools", "Bash"])));
        ["one", "two", "three"].iter().for_each(|words| host.says(words));
        until("the call never began", || runs(&lab) == 1 && has_entries(&lab, "prompt_queued", 2));
        host.child.kill().unwrap();
        host.child.wait().unwrap();
        let ran = lab.run_with(&[&args[..], &["--allowedTools", "Bash"]].concat(), stdin);
        assert_eq!(ran.code, Some(0), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(runs(&lab), 1, "{args:?}: {}", ran.stdout);
        assert!(ran.stdout.contains("Stopped."), "{args:?}: {}", ran.stdout);
        if ran.stdout.starts_with('{') {
            let lines = ran.json_lines();
            let results = lines.iter().filter(|line| line["type"] == "result").count();
            assert_eq!(results, 1, "{args:?}: {}", ran.stdout);
        }
        let requests = lab.requests();
        let last = requests.last().unwrap()["messages"].to_string();
        let places: Vec<Option<usize>> = ["two", "three", "STOP now"].map(|words| last.find(words)).to_vec();
        assert!(places.is_sorted() && places[0].is_some(), "{args:?}: {last}");
    }
}

/// A call that nobody ever allowed does not run before the new words, whatever the flags of the day would allow.
#[test]
fn a_call_that_waited_for_a_yes_does_not_run_before_new_words() {
    const WRITES: &str = r#"
        [[start]]
        prompt = "STOP"
        goto = "stopped"
        [[answer]]
        call = [{ tool = "Write", input = { file_path = "f0", content = "x" } }]
        [[answer]]
        name = "stopped"
        text = "Stopped."
        next = [{ goto = "stopped" }]
    "#;
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "STOP: nothing"}}).to_string();
    let host_args =
        [&STREAM[..], &["-c", "--permission-prompt-tool", "stdio", "--permission-mode", "acceptEdits"]];
    for (args, stdin) in [
        (vec!["-c", "STOP: nothing", "--permission-mode", "acceptEdits"], ""),
        (vec!["-c", "STOP: nothing", "--allowedTools", "Write"], ""),
        (vec!["-c", "/plan STOP: nothing", "--allowedTools", "Write"], ""),
        (vec!["-p", "-c", "STOP: nothing", "--permission-mode", "acceptEdits"], ""),
        (host_args.concat(), &*prompt),
    ] {
        let lab = lab(WRITES);
        let mut host =
            Host::start(lab.command(STREAM.into_iter().chain(["--permission-prompt-tool", "stdio"])));
        host.says("go");
        until("the question never came", || has_entries(&lab, "question_opened", 1));
        host.child.kill().unwrap();
        host.child.wait().unwrap();
        let ran = lab.run_with(&args, stdin);
        assert!(ran.stdout.contains("Stopped."), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(!lab.project().join("f0").exists(), "{args:?}: {}", ran.stdout);
    }
}

/// It steers the turn that runs, and is answered with it.
#[test]
fn a_task_for_a_plan_that_joins_a_running_turn_has_its_own() {
    let lab =
        lab("[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'echo x >> ran; sleep 1' }\n\
         [[answer]]\nname = 'done'\ntext = 'Done.'\nnext = [{ goto = 'done' }]");
    let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--allowedTools", "Bash"])));
    host.says("go");
    until("the call never began", || runs(&lab) == 1);
    host.says("/plan write it");
    for _ in 0..2 {
        assert_eq!(host.result()["result"], json!("Done."));
    }
    assert_eq!(host.ends(), Some(0));
}

/// A host that ends without a word resumes nothing and waits for nothing.
#[test]
fn a_host_that_says_nothing_ends_at_once_and_leaves_what_waits() {
    let lab = lab(WORKS);
    let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--allowedTools", "Bash"])));
    ["one", "two"].iter().for_each(|words| host.says(words));
    until("the call never began", || runs(&lab) == 1 && has_entries(&lab, "prompt_queued", 1));
    host.child.kill().unwrap();
    host.child.wait().unwrap();
    let host = Host::start(lab.command(STREAM.into_iter().chain(["-c"])));
    assert_eq!(host.ends(), Some(0));
    assert_eq!(runs(&lab), 1);
    // The same with a call that waits for a yes.
    let lab = self::lab(WORKS);
    let mut host = Host::start(lab.command(STREAM.into_iter().chain(["--permission-prompt-tool", "stdio"])));
    host.says("one");
    until("the question never came", || has_entries(&lab, "question_opened", 1));
    host.child.kill().unwrap();
    host.child.wait().unwrap();
    let host =
        Host::start(lab.command(STREAM.into_iter().chain(["-c", "--permission-prompt-tool", "stdio"])));
    assert_eq!(host.ends(), Some(0));
    assert_eq!(runs(&lab), 0);
}
