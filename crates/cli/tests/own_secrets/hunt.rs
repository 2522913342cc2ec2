//! The hunt for the key, from inside of tools.

use std::fs;
use std::process::Command;

use forelook_testkit::attack::{Attempt, RunsAs};
use forelook_testkit::{copy_program, is_root, unprivileged};
use serde_json::Value;

use crate::Outcome;
use crate::place::{Answers, Setup};

const HUNT: &str = include_str!("hunt.sh");

/// What a hunt must find in a program that does not guard itself.
const EASY: [&str; 14] = [
    "FOUND key in environ",
    "SHOWN environ",
    "FOUND mem",
    "SHOWN maps",
    "SHOWN auxv",
    "SHOWN fd",
    "FOUND fd/0",
    "FOUND exe",
    "FOUND cwd",
    "FOUND root",
    "FOUND ns/user",
    "FOUND task/",
    "FOUND key in our own environment",
    "FOUND key in /",
];

/// In two, so that it stands in no command line.
fn parts(key: &str) -> (&str, &str) {
    key.split_at(key.len() / 2)
}

/// The same hunt in a shell that is called `forelook` and has the key.
pub(crate) fn control(who: RunsAs) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let key = Setup { mode: "control", layers: "", who }.key();
    let (program, script) = (folder.path().join("forelook"), folder.path().join("hunt.sh"));
    copy_program("/bin/bash".as_ref(), &program);
    fs::write(&script, HUNT).unwrap();
    fs::create_dir(folder.path().join("home")).unwrap();
    fs::write(folder.path().join("home/file"), &key).unwrap();
    let wrapper = if who == RunsAs::Unprivileged { unprivileged(&[folder.path()]) } else { Vec::new() };
    let (first, second) = parts(&key);
    let line = "bash \"$@\"; true";
    let words = wrapper.iter().map(String::as_str).chain([program.to_str().unwrap(), "-c", line, "-"]);
    let words: Vec<&str> = words.collect();
    let said = Command::new(words[0])
        .args(&words[1..])
        .arg(&script)
        .arg(folder.path().join("home"))
        .args([first, second])
        .env("ANTHROPIC_API_KEY", &key)
        .current_dir("/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    match EASY.into_iter().find(|easy| !said.contains(easy)) {
        None => Ok(()),
        Some(missed) => Err(format!("`{missed}` was not found without a guard:\n{said}")),
    }
}

/// Nothing is found from inside of a tool.
pub(crate) fn run(setup: Setup) -> Outcome {
    let stage = setup.stage(|lab| {
        lab.file("hunt.sh", HUNT);
    });
    let key = setup.key();
    let (first, second) = parts(&key);
    let hunt = format!("bash hunt.sh {} {first} {second}", stage.lab.home().display());
    // The first lets a fence be raised: who holds it is a copy of the program.
    let calls = [Attempt::bash("ls"), Attempt::bash(&hunt), Attempt::bash(&format!("cd . && {hunt} 2>&1"))];
    let results = setup.results(&stage, &calls, Answers::Yes)?;
    let hunts = results.iter().skip(1).map(Value::to_string);
    let is_root = is_root() && setup.who == RunsAs::Tester;
    let mut ran = 0;
    for said in hunts {
        let shown = said.contains("SHOWN") && !is_root;
        if said.contains("FOUND") || said.contains(&key) || shown {
            return Err(said.replace("\\n", "\n"));
        }
        ran += usize::from(said.contains("HUNTED as"));
        // Outside of a fence there are processes to look at.
        if setup.layers == "none" && said.contains("HUNTED as") && !said.contains("LOOKED at") {
            return Err(format!("There was nothing to look at: {said}"));
        }
        if said.contains("HUNTED as") && said.contains("HUNTED as 0") != is_root {
            return Err(format!("It ran as somebody else: {said}"));
        }
    }
    // What nobody may be asked about does not run at all there.
    match (ran, setup.mode) {
        (0, "dontAsk") | (1.., _) => Ok(()),
        _ => Err(format!("It did not run: {results:?}")),
    }
}
