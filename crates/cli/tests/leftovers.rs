//! The program is killed again and again in the middle of its work; one ordinary start later nothing of that is left.
//!
//! `FORELOOK_KILLS` says how often; `cargo xtask soak` says more.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "how often to kill is for the one who runs the test to say; helpers stop at the first surprise"
)]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use forelook_testkit::Lab;
use forelook_testkit::kill::{SeededRng, run_and_kill, time};

/// Two background shells, a long output, files and todos. `SLEEP` is nobody else's number.
const WORK: &str = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch a; sleep SLEEP & sleep SLEEP", run_in_background = true }
[[answer.call]]
tool = "Bash"
input = { command = "seq 1 20000; touch b; sleep 0.05" }
[[answer.call]]
tool = "Write"
input = { file_path = "sub/a.txt", content = "one\n" }
[[answer.call]]
tool = "TodoWrite"
input = { todos = [{ content = "Write", status = "completed", activeForm = "Writing" }] }
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "sub/a.txt", old_string = "one", new_string = "two" }
[[answer.call]]
tool = "Bash"
input = { command = "ls; sleep 0.05" }
[[answer]]
name = "last"
text = "Done."
next = [{ goto = "last" }]
"#;

/// Looks around in a fence, rehearses on an overlay, and writes a plan.
const PLANS: &str = r##"
[capture]
plan = '`([^`]+/plans/[^`]+\.md)`'
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "ls; sleep SLEEP & sleep 0.05" }
[[answer.call]]
tool = "Bash"
input = { command = "echo tried > tried.txt; sleep 0.05", rehearse = true }
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "{plan}", content = "# Plan\none\n" }
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "{plan}", old_string = "one", new_string = "two" }
[[answer]]
name = "last"
text = "Done."
next = [{ goto = "last" }]
"##;

/// Says that it runs, and ends when it is told to.
const LAST: &str = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "echo up > began; cat go" }
[[answer]]
text = "Done."
"#;

/// Long after everything that may be resumed is kept for.
const LATER: &str = "2099-01-02T03:04:05Z";

const PATIENCE: Duration = Duration::from_secs(30);

fn kills() -> u64 {
    std::env::var("FORELOOK_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(30)
}

/// Which story is played, with which flags, and whether a rule hides a file: then commands run with masks.
fn story(seed: u64) -> (&'static str, &'static [&'static str], bool) {
    match seed % 4 {
        0 => (WORK, &["--allowedTools", "Bash,Write,Edit"], false),
        1 => (WORK, &["--allowedTools", "Bash,Write,Edit"], true),
        2 => (WORK, &["--permission-mode", "acceptEdits"], false),
        _ => (PLANS, &["--permission-mode", "plan"], false),
    }
}

#[test]
fn nothing_is_left_of_killed_sessions() {
    let sleep = format!("31{:07}", std::process::id());
    let mut lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    lab.file("secret.txt", "hidden\n");
    let mut whole = [Duration::ZERO; 4];
    for seed in 0..kills() {
        let (script, flags, masked) = story(seed);
        lab = lab.with_script(&script.replace("SLEEP", &sleep));
        let denied = if masked { r#"{"permissions": {"deny": ["Read(/secret.txt)"]}}"# } else { "{}" };
        fs::write(lab.home().join("settings.json"), denied).unwrap();
        let args = [&["-p", "go", "--output-format", "stream-json"], flags].concat();
        let took = &mut whole[seed as usize % 4];
        if took.is_zero() {
            *took = time(&lab, &args);
        }
        let delay = SeededRng::new(seed + 1).below(took.as_micros() as u64);
        run_and_kill(&lab, &args, Duration::from_micros(delay));
    }
    assert!(!lab.journals().is_empty(), "no session came to anything");
    until("all processes are gone", || processes(&sleep).is_empty(), || format!("{:?}", processes(&sleep)));
    plant(&lab);
    let before = leftovers(&lab);
    let is_any = |part: &str| before.iter().any(|path| path.to_string_lossy().contains(part));
    // Locks are swept by every start, so a kill late in the last run may have left none.
    assert!(["/outputs/", "/fences/", ".tmp"].iter().all(|part| is_any(part)), "{before:#?}");
    one_ordinary_start(&lab);
    assert_eq!(leftovers(&lab), [] as [PathBuf; 0]);
}

/// What a kill leaves only if it hits the right microsecond.
fn plant(lab: &Lab) {
    fs::create_dir_all(lab.home().join("todos")).unwrap();
    let project = ["sub/deep", "node_modules/one"].map(|folder| lab.project().join(folder));
    for folder in [lab.home(), lab.home().join("todos"), beside(lab).join("deep")].iter().chain(&project) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(".forelook-0123456789abcdef.tmp"), "half").unwrap();
    }
}

/// A working folder beside the project.
fn beside(lab: &Lab) -> PathBuf {
    lab.root().join("beside")
}

/// A run that lasts until everything is swept: that is done beside it.
fn one_ordinary_start(lab: &Lab) {
    fs::write(lab.home().join("settings.json"), "{}").unwrap();
    fs::write(lab.script(), LAST).unwrap();
    let pipes = Command::new("mkfifo").args(["began", "go"]).current_dir(lab.project()).status().unwrap();
    assert!(pipes.success());
    let mut command = lab.command(["-p", "go", "--allowedTools", "Bash", "--add-dir", "../beside"]);
    let child = command.env("FORELOOK_TEST_CLOCK", LATER).spawn().unwrap();
    fs::File::open(lab.project().join("began")).unwrap().read_to_end(&mut Vec::new()).unwrap();
    // Its own lock is there as long as it runs.
    until("all is swept", || leftovers(lab).len() == 1, || format!("{:#?}", leftovers(lab)));
    fs::OpenOptions::new().write(true).open(lab.project().join("go")).unwrap().write_all(b"on\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

fn until(what: &str, holds: impl Fn() -> bool, found: impl Fn() -> String) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "It never came to this: {what}. {}", found());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Programs that sleep for this long.
fn processes(seconds: &str) -> Vec<String> {
    let words = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    };
    let all = fs::read_dir("/proc").unwrap().flatten().map(words);
    all.filter(|line| line.contains(&format!("sleep {seconds}"))).collect()
}

/// Temporary files in the home and the working folders, locks of sessions, outputs, and what fences keep.
fn leftovers(lab: &Lab) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [lab.home(), lab.project().to_path_buf(), beside(lab)] {
        collect(&folder, &mut found);
    }
    for folder in ["scratch/outputs", "scratch/fences"] {
        let entries = fs::read_dir(lab.home().join(folder)).into_iter().flatten().flatten();
        found.extend(entries.map(|entry| entry.path()));
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    // What is removed meanwhile is no failure here.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Locks with a name of their own are few, and taken again.
        let is_session = name.strip_suffix(".lock").is_some_and(|id| id.len() == 36);
        if name.starts_with(".forelook-") || name.starts_with("bash-") || is_session {
            found.push(entry.path());
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && name != "fences" && name != "outputs" {
            collect(&entry.path(), found);
        }
    }
}
