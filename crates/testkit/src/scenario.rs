//! A scenario: a folder with `script.toml` (what the model says), `files/` (the project) and `expected` (shell lines
//! and what they print).
//!
//! In `expected` a line `$ command` is run by bash in the project; what follows it, up to the next one, is what it
//! must print, standard error included, with `[exit N]` if it did not exit with 0. Lines `#: …` are for the
//! reader. With `UPDATE_EXPECTED=1` the file is written anew.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::lab::{Lab, finish};

/// Runs one scenario; `Err` says what differs.
pub fn run(binary: &str, folder: &Path) -> Result<(), String> {
    let lab = Lab::new(binary);
    fs::copy(folder.join("script.toml"), lab.script()).map_err(|error| format!("script.toml: {error}"))?;
    copy(&folder.join("files"), lab.project());
    let path = folder.join("expected");
    let expected = fs::read_to_string(&path).map_err(|error| format!("expected: {error}"))?;
    let actual = play(&lab, &expected);
    lab.check();
    if actual == expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(path, actual).map_err(|error| error.to_string())?;
        return Ok(());
    }
    Err(difference(&expected, &actual))
}

/// Runs the commands of an expectation and writes down what they really print.
fn play(lab: &Lab, expected: &str) -> String {
    let mut actual = String::new();
    for line in expected.lines() {
        if line.starts_with("#: ") {
            actual.push_str(&format!("{line}\n"));
        } else if let Some(command) = line.strip_prefix("$ ") {
            actual.push_str(&format!("{line}\n{}", lab.tidy(&shell(lab, command))));
        }
    }
    actual
}

fn shell(lab: &Lab, line: &str) -> String {
    let mut command = Command::new("bash");
    // `forelook` is a function, so that a scenario reads as a person would type it.
    let script = format!("exec 2>&1; forelook() {{ \"$FORELOOK_BINARY\" \"$@\"; }}; {line}");
    command.args(["-c", &script]).current_dir(lab.project()).env_clear().envs(lab.environment());
    command.env("FORELOOK_BINARY", lab.binary()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = finish(command, b"");
    let mut out = ran.stdout;
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str("[no newline]\n");
    }
    match ran.code {
        Some(0) => {}
        Some(code) => out.push_str(&format!("[exit {code}]\n")),
        None => out.push_str("[killed]\n"),
    }
    out
}

fn copy(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    fs::create_dir_all(to).unwrap();
    for entry in entries.map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn difference(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let from = |text: &str| text.lines().skip(same.saturating_sub(3)).take(25).collect::<Vec<_>>().join("\n");
    format!(
        "differs from line {}\n--- expected\n{}\n--- actual\n{}\n(UPDATE_EXPECTED=1 writes it anew)",
        same + 1,
        from(expected),
        from(actual)
    )
}
