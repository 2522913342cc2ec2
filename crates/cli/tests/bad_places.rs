//! Folders one may not write to, a disk that is full, and paths that are no text.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use forelook_testkit::{Lab, copy_program, small_disk, unprivileged};

const WRITE: &str = r#"
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "new.txt", content = "new\n" }
[[answer.call]]
tool = "Read"
input = { file_path = "old.txt" }
[[answer.call]]
tool = "Edit"
input = { file_path = "old.txt", old_string = "old", new_string = "changed" }
[[answer]]
text = "I tried."
"#;

/// A lab whose binary an unprivileged user can reach, wherever the build is.
fn open_lab(script: &str, name: &OsStr) -> Lab {
    let binary = env!("CARGO_BIN_EXE_forelook");
    let place = Lab::in_folder(binary, name);
    let copy = place.root().join("forelook");
    copy_program(binary.as_ref(), &copy);
    fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
    place.with_binary(copy).with_script(script)
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_project_is_told_to_the_model() {
    let lab = open_lab(WRITE, OsStr::new("project"));
    lab.file("old.txt", "old\n");
    let wrapper = unprivileged(&[&lab.home(), lab.project()]);
    chmod(lab.project(), 0o555);
    chmod(&lab.project().join("old.txt"), 0o444);
    let args = ["-p", "go", "--permission-mode", "acceptEdits", "--output-format", "stream-json"];
    let out = lab.wrapped(&wrapper, args).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("\"is_error\":true").count(), 2, "{text}");
    assert!(text.contains("ermission"), "{text}");
    assert_eq!(lab.read("old.txt"), "old\n");
    lab.check();
    chmod(lab.project(), 0o755);
}

#[test]
fn a_home_that_cannot_be_written_stops_before_anything_is_done() {
    let lab = open_lab(WRITE, OsStr::new("project"));
    lab.file("old.txt", "old\n");
    let wrapper = unprivileged(&[&lab.home(), lab.project()]);
    chmod(&lab.home(), 0o555);
    let out = lab.wrapped(&wrapper, ["-p", "go", "--permission-mode", "acceptEdits"]).output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("home") && stderr.contains("hint:"), "{stderr}");
    assert!(!lab.project().join("new.txt").exists());
    assert_eq!(lab.read("old.txt"), "old\n");
    chmod(&lab.home(), 0o755);
}

/// The journal's disk fills up in the middle of a turn. What could not be written down was not done, and every line
/// that is there is whole.
#[test]
fn a_full_disk_under_the_journal_ends_the_turn() {
    let script = r#"
        [[answer]]
        name = "again"
        text = "I write a little, and a little more."
        [[answer.call]]
        tool = "Bash"
        input = { command = "echo line >> ../count.txt; head -c 3000 /dev/urandom | base64" }
        [[answer.next]]
        goto = "again"
    "#;
    let lab = open_lab(script, OsStr::new("project"));
    let keep = lab.root().join("kept");
    // The namespace ends with the program, so what is on the small disk is copied out first.
    let wrapper = small_disk(&lab.home(), 128, "true");
    let mut command = lab.wrapped(&wrapper, ["-p", "go", "--allowedTools", "Bash", "--max-turns", "500"]);
    command.env("FORELOOK_TEST_REQUESTS", "/dev/null");
    let mut words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_owned).collect();
    let script_at = words.iter().position(|word| word.as_bytes().starts_with(b"mount ")).unwrap();
    let text = words[script_at].to_str().unwrap().replace(
        "exec \"$@\"",
        &format!("{{ \"$@\"; code=$?; cp -r '{}' '{}'; exit $code; }}", lab.home().display(), keep.display()),
    );
    words[script_at] = text.into();
    let mut again = std::process::Command::new(&words[0]);
    again.args(&words[1..]).current_dir(lab.project()).env_clear().envs(lab.environment());
    again.env("FORELOOK_TEST_REQUESTS", "/dev/null");
    let out = again.output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("full") || stderr.contains("space"), "{stderr}");
    let project = fs::read_dir(keep.join("projects")).unwrap().next().unwrap().unwrap().path();
    let journal = fs::read_dir(project)
        .unwrap()
        .map(|it| it.unwrap().path())
        .find(|it| it.extension().is_some_and(|it| it == "jsonl"));
    let entries = forelook_testkit::check::journal(&journal.unwrap());
    assert!(fs::read(keep.join("x")).is_err());
    let started = entries.iter().filter(|entry| entry["kind"] == "tool_started").count();
    let done = fs::read_to_string(lab.root().join("count.txt")).unwrap().lines().count();
    assert!(started >= 3, "the disk was full too early to tell: {started}");
    assert_eq!(started, done, "a call ran whose intent is not in the journal");
}

/// A command ran and only its record failed: nobody says that nothing was changed.
#[test]
fn a_result_that_cannot_be_recorded_is_told_as_a_call_that_ran() {
    let script = r#"
        [[answer]]
        [[answer.call]]
        tool = "Bash"
        input = { command = "echo line > ../changed.txt; seq 8000" }
    "#;
    let lab = open_lab(script, OsStr::new("project"));
    // Room for everything but the output.
    let wrapper = small_disk(&lab.home(), 64, "true");
    let mut command = lab.wrapped(&wrapper, ["-p", "go", "--allowedTools", "Bash"]);
    let out = command.env("FORELOOK_TEST_REQUESTS", "/dev/null").output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{stderr}");
    assert!(lab.root().join("changed.txt").exists(), "{stderr}");
    assert!(stderr.contains("The last `Bash` call had begun by then: check what it did"), "{stderr}");
    assert!(!stderr.contains("not changed") && !stderr.contains("othing was"), "{stderr}");
}

#[test]
fn a_project_path_of_any_bytes_works() {
    for name in [
        &b"with space"[..],
        b"two\nlines",
        b"caf\xe9 \xff",
        "größe 漢字 🦀".as_bytes(),
        b"-rf",
        b"$(touch x)`'\"",
    ] {
        let lab = open_lab(WRITE, OsStr::from_bytes(name));
        lab.file("old.txt", "old\n");
        let ran = lab.run(&["-p", "go", "--permission-mode", "acceptEdits"]);
        assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "I tried."), "{name:?}: {}", ran.stderr);
        assert_eq!(lab.read("new.txt"), "new\n");
        assert_eq!(lab.read("old.txt"), "changed\n");
        let ran = lab.run(&["sessions", "list"]);
        assert_eq!(ran.stdout.lines().count(), 1, "{name:?}: {}", ran.stdout);
        lab.check();
    }
}

const SAYS: &str = "[[answer]]\ntext = 'Said.'";

/// Runs in a shell that sets limits first.
fn limited(limit: &str, args: &[&str]) -> (Option<i32>, String) {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(SAYS);
    let wrapper = ["sh", "-c", &format!("{limit}; exec \"$0\" \"$@\"")].map(str::to_owned);
    let out = lab.wrapped(&wrapper, args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout) + &text(&out.stderr))
}

#[test]
fn limits_of_the_shell_are_told_and_not_died_of() {
    for limit in ["ulimit -n 8", "ulimit -n 32"] {
        let (code, told) = limited(limit, &["-p", "go"]);
        assert_eq!(code, Some(2), "{limit}: {told}");
        assert!(told.contains("may open only") && told.contains("ulimit -n"), "{limit}: {told}");
    }
    // Not a byte of a journal fits.
    let (code, told) = limited("ulimit -f 0", &["-p", "go", "--output-format", "json"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("\"type\":\"result\"") && told.contains("\"is_error\":true"), "{told}");
}

#[test]
fn output_that_cannot_be_written_is_told() {
    for line in [
        "exec \"$0\" -p go > /dev/full",
        "exec \"$0\" -p go --output-format json > /dev/full",
        "exec \"$0\" doctor > /dev/full",
        "exec \"$0\" --help > /dev/full",
    ] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(SAYS);
        let wrapper = ["sh", "-c", line].map(str::to_owned);
        let out = lab.wrapped(&wrapper, [""; 0]).output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{line}: {told}");
        assert!(told.contains("Cannot write the output"), "{line}: {told}");
    }
}
