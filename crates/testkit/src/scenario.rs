//! A scenario: a folder with `script.toml` (what the model says), `files/` (the project) and `expected` (shell lines
//! and what they print).
//!
//! In `expected` a line `$ command` is run by bash in the project; what follows it, up to the next one, is what it
//! must print, standard error included, with `[exit N]` if it did not exit with 0. Lines `#: …` are for the
//! reader. With `UPDATE_EXPECTED=1` the file is written anew.
//!
//! A scenario can also be played over a wire. What must differ there stands in `expected.FORM`: the same lines, and what
//! they print then; `UPDATE_EXPECTED=wire` writes these files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::lab::{Lab, PLANTED_KEY, finish};
use crate::wire::{self, ScriptedServer, ServerOptions, WireFormat};

/// A line of an expectation, and what follows it.
type ScenarioStep = (String, String);

/// Runs one scenario; `Err` says what differs.
pub fn run(binary: &str, folder: &Path) -> Result<(), String> {
    let expected = read(folder, "expected")?;
    let actual = play(&lab(binary, folder)?, &expected);
    if actual != expected && updates("1") {
        return fs::write(folder.join("expected"), text(&actual)).map_err(|error| error.to_string());
    }
    compare(&expected, &actual, "UPDATE_EXPECTED=1")
}

/// How a scenario is played over a wire.
pub struct WireRun<'a> {
    /// The form.
    pub wire_format: WireFormat,
    /// The folder that the bodies of all requests are written to, one file a form and scenario.
    pub bodies: &'a Path,
    /// The script of the model `demo`.
    pub demo: &'a str,
}

/// Runs one scenario with its models behind a server; `Err` says what differs.
pub fn run_over_wire(wire_run: &WireRun<'_>, binary: &str, folder: &Path) -> Result<(), String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let log = wire_run.bodies.join(wire_run.wire_format.name()).join(format!("{name}.jsonl"));
    fs::create_dir_all(log.parent().unwrap()).map_err(|error| error.to_string())?;
    let _ = fs::remove_file(&log);
    let server = ScriptedServer::start(ServerOptions {
        key: Some(PLANTED_KEY.to_owned()),
        demo: Some(wire_run.demo.to_owned()),
        keep: true,
        log: Some(log),
        ..ServerOptions::default()
    });
    let lab = lab(binary, folder)?.with_wire(wire_run.wire_format, &server);
    let usual = read(folder, "expected")?;
    let other = format!("expected.{}", wire_run.wire_format.name());
    let differing = if folder.join(&other).exists() { read(folder, &other)? } else { Vec::new() };
    let actual = play(&lab, &usual);
    wire::verify(wire_run.wire_format, &server, &lab.requests());
    if updates("wire") {
        return write_differing(&folder.join(other), &usual, &actual);
    }
    compare(&replaced(&usual, &differing), &actual, "UPDATE_EXPECTED=wire")
}

fn lab(binary: &str, folder: &Path) -> Result<Lab, String> {
    let lab = Lab::new(binary);
    fs::copy(folder.join("script.toml"), lab.script()).map_err(|error| format!("script.toml: {error}"))?;
    copy(&folder.join("files"), lab.project());
    Ok(lab)
}

fn updates(what: &str) -> bool {
    std::env::var_os("UPDATE_EXPECTED").is_some_and(|it| it == what)
}

/// The lines of an expectation, each with what follows it.
fn read(folder: &Path, name: &str) -> Result<Vec<ScenarioStep>, String> {
    let text = fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let mut steps: Vec<ScenarioStep> = Vec::new();
    for line in text.lines() {
        match steps.last_mut() {
            Some((_, output)) if !is_step(line) => output.push_str(&format!("{line}\n")),
            _ => steps.push((line.to_owned(), String::new())),
        }
    }
    Ok(steps)
}

fn is_step(line: &str) -> bool {
    line.starts_with("#: ") || line.starts_with("$ ")
}

fn text(steps: &[ScenarioStep]) -> String {
    steps.iter().map(|(line, output)| format!("{line}\n{output}")).collect()
}

/// Runs the commands of an expectation and writes down what they really print.
fn play(lab: &Lab, expected: &[ScenarioStep]) -> Vec<ScenarioStep> {
    let ran = expected.iter().map(|(line, _)| {
        let output = line.strip_prefix("$ ").map(|command| lab.tidy(&shell(lab, command)));
        (line.clone(), output.unwrap_or_default())
    });
    let steps: Vec<ScenarioStep> = ran.collect();
    assert!(!text(&steps).contains(PLANTED_KEY), "the key was printed:\n{}", text(&steps));
    lab.check();
    steps
}

/// The usual expectation, with what is different: of a line that stands there, everything it prints, time by time.
fn replaced(usual: &[ScenarioStep], differing: &[ScenarioStep]) -> Vec<ScenarioStep> {
    let mut left: Vec<&ScenarioStep> = differing.iter().filter(|(line, _)| line.starts_with("$ ")).collect();
    let step = |(line, output): &ScenarioStep| {
        let found = left.iter().position(|(other, _)| other == line);
        (line.clone(), found.map_or_else(|| output.clone(), |at| left.remove(at).1.clone()))
    };
    let mut steps: Vec<ScenarioStep> = usual.iter().map(step).collect();
    // What is expected of a line that is never run is a mistake.
    steps.extend(left.into_iter().cloned());
    steps
}

fn write_differing(path: &Path, usual: &[ScenarioStep], actual: &[ScenarioStep]) -> Result<(), String> {
    let pairs = || usual.iter().zip(actual);
    let differs = |line: &str| pairs().any(|(usual, actual)| usual.0 == line && usual.1 != actual.1);
    let steps: Vec<ScenarioStep> = actual.iter().filter(|(line, _)| differs(line)).cloned().collect();
    if steps.is_empty() {
        let _ = fs::remove_file(path);
        return Ok(());
    }
    fs::write(path, text(&steps)).map_err(|error| error.to_string())
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

fn compare(expected: &[ScenarioStep], actual: &[ScenarioStep], update: &str) -> Result<(), String> {
    let (expected, actual) = (text(expected), text(actual));
    if expected == actual {
        return Ok(());
    }
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let from = |text: &str| text.lines().skip(same.saturating_sub(3)).take(25).collect::<Vec<_>>().join("\n");
    Err(format!(
        "differs from line {}\n--- expected\n{}\n--- actual\n{}\n({update} rewrites it)",
        same + 1,
        from(&expected),
        from(&actual)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(pairs: &[(&str, &str)]) -> Vec<ScenarioStep> {
        pairs.iter().map(|(line, output)| ((*line).to_owned(), (*output).to_owned())).collect()
    }

    #[test]
    fn a_line_that_differs_is_replaced_and_no_other() {
        let usual = steps(&[("#: Words.", ""), ("$ a", "1\n"), ("$ b", "2\n"), ("$ a", "3\n")]);
        let other = replaced(&usual, &steps(&[("$ a", "x\n"), ("$ a", "3\n")]));
        assert_eq!(other, steps(&[("#: Words.", ""), ("$ a", "x\n"), ("$ b", "2\n"), ("$ a", "3\n")]));
        assert_ne!(replaced(&usual, &steps(&[("$ c", "x\n")])), usual, "a line that is not there is noticed");
    }
}
