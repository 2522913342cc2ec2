//! The home folder vanishes while a session runs: that is said once, nothing claims success, and the next start is clean.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test; somebody else removes the folder"
)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use forelook_testkit::Lab;
use serde_json::Value;

/// The first call says that it runs, and ends when it is told to. There is a todo list after that: it must not be the
/// beginning of another home.
const SCRIPT: &str = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "echo up > began; cat go" }
[[answer.call]]
tool = "TodoWrite"
input = { todos = [{ content = "Write", status = "pending", activeForm = "Writing" }] }
[[answer]]
text = "All is well."
"#;

/// Removed; moved away; moved away with another in its place; the journals alone removed; one of them replaced.
const LOSSES: [fn(&Path); 5] = [
    remove,
    |home| fs::rename(home, home.with_extension("old")).unwrap(),
    |home| {
        fs::rename(home, home.with_extension("old")).unwrap();
        fs::create_dir(home).unwrap();
    },
    |home| remove(&home.join("projects")),
    |home| {
        let line = "for one in projects/*/*.jsonl; do cp $one copy && mv copy $one; done";
        assert!(Command::new("sh").args(["-c", line]).current_dir(home).status().unwrap().success());
    },
];

/// Moved first: what the program makes meanwhile would be in the way.
fn remove(folder: &Path) {
    let gone = folder.with_extension("gone");
    fs::rename(folder, &gone).unwrap();
    fs::remove_dir_all(gone).unwrap();
}

fn lab() -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(SCRIPT);
    let pipes = Command::new("mkfifo").args(["began", "go"]).current_dir(lab.project()).status().unwrap();
    assert!(pipes.success());
    lab
}

/// Runs a prompt; the home is lost while its first call runs. The exit code, standard output and standard error.
fn run_while(lab: &Lab, format: &str, lose: fn(&Path)) -> (Option<i32>, String, String) {
    run_while_losing(lab, format, || lose(&lab.home()))
}

fn run_while_losing(lab: &Lab, format: &str, lose: impl Fn()) -> (Option<i32>, String, String) {
    let args = ["-p", "go", "--allowedTools", "Bash", "--output-format", format];
    let child = lab.command(args).spawn().unwrap();
    // Both wait until the call has opened the other end.
    File::open(lab.project().join("began")).unwrap().read_to_end(&mut Vec::new()).unwrap();
    lose();
    fs::OpenOptions::new().write(true).open(lab.project().join("go")).unwrap().write_all(b"on\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_lost_home_is_said_once_and_is_no_success() {
    for (number, lose) in LOSSES.into_iter().enumerate() {
        let (code, stdout, stderr) = run_while(&lab(), "text", lose);
        assert_eq!((code, stdout.trim()), (Some(1), "All is well."), "{number}: {stderr}");
        assert_eq!(stderr.matches("The journal of this session was").count(), 1, "{number}: {stderr}");
        assert!(stderr.contains("/export FILE"), "{number}: {stderr}");
        assert!(!stderr.contains("flushed"), "{number}: {stderr}");
    }
}

#[test]
fn a_host_reads_it_in_the_result() {
    for format in ["json", "stream-json"] {
        let (code, stdout, stderr) = run_while(&lab(), format, LOSSES[0]);
        let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let result = lines.last().unwrap();
        assert_eq!((code, &result["type"], &result["is_error"]), (Some(1), &"result".into(), &true.into()));
        assert_ne!(result["subtype"], "success");
        assert!(result["errors"][0].as_str().unwrap().contains("was removed"), "{result}");
        // What the model said is worth having all the same.
        assert_eq!(result["result"], "All is well.");
        let told = stdout.matches("was removed").count() + stderr.matches("was removed").count();
        assert_eq!(told, 2, "once when it happened, once in the result: {stdout}{stderr}");
    }
}

#[test]
fn what_is_left_of_a_home_confuses_nobody() {
    let mut codes = Vec::new();
    for lose in LOSSES {
        let lab = lab();
        run_while(&lab, "text", lose);
        assert_eq!(
            fs::read_dir(lab.home().join("todos")).map_or(0, Iterator::count),
            0,
            "a list of nobody's"
        );
        for pipe in ["began", "go"] {
            fs::remove_file(lab.project().join(pipe)).unwrap();
        }
        let lab = lab.with_script("[[answer]]\nname = 'last'\ntext = 'Here.'\nnext = [{ goto = 'last' }]");
        let again = lab.run(&["--continue", "-p", "go on"]);
        codes.push(again.code);
        if again.code == Some(2) {
            assert!(again.stderr.contains("session"), "{}", again.stderr);
        }
        let fresh = lab.run(&["-p", "hello"]);
        assert_eq!((fresh.code, fresh.stdout.trim()), (Some(0), "Here."), "{}", fresh.stderr);
    }
    // There is nothing to go on with, but for the last: there the old journal stands where it was.
    assert_eq!(codes, [Some(2), Some(2), Some(2), Some(2), Some(0)]);
}

/// Cut, emptied, or written to by somebody else.
const CHANGES: [&str; 3] = [": > $one", "truncate -s 100 $one", "printf 'garbage\\n{\"half\":' >> $one"];

#[test]
fn a_journal_that_somebody_else_changes_is_said_once_and_is_no_success() {
    for change in CHANGES {
        let lab = lab();
        let journals = lab.home().join("projects");
        let line = format!("for one in {}/*/*.jsonl; do {change}; done", journals.display());
        let lose = || assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
        let (code, stdout, stderr) = run_while_losing(&lab, "json", lose);
        let result: Value = serde_json::from_str(stdout.trim()).unwrap();
        assert_eq!((code, &result["is_error"]), (Some(1), &true.into()), "{change}: {stderr}");
        assert_eq!(result["result"], "All is well.");
        assert_eq!(stderr.matches("was changed by another program").count(), 1, "{change}: {stderr}");
        // None of our lines became part of somebody else's.
        let text = fs::read_to_string(&lab.journals()[0]).unwrap();
        let ended = text
            .lines()
            .filter(|line| serde_json::from_str::<Value>(line).is_ok_and(|it| it["kind"] == "turn_ended"));
        assert_eq!(ended.count(), 1, "{change}: {text}");
        let whole = text
            .lines()
            .filter(|line| line.contains("tool_finished"))
            .all(|line| line.starts_with("{\"id\""));
        assert!(whole, "{change}: {text}");
    }
}
