//! Commands that stand for a person's word refuse to run inside of tools, however they are started.

use std::fs;

use forelook_testkit::attack::{Attempt, RunsAs};
use forelook_testkit::is_root;

use crate::Outcome;
use crate::place::{Answers, Setup};

const REFUSED: &str = "only a person can run it";

/// Commands of the program that speak for a person.
const COMMANDS: [&str; 10] = [
    "apply some-plan -p",
    "import claude --apply",
    "permissions restore --all",
    "permissions restore 1",
    "serve --stdio",
    "-p hello --permission-mode bypassPermissions",
    "-p hello --on-plan approve",
    "-p hello --continue",
    "-p hello --allowedTools Bash",
    "hello",
];

/// Ways to start one. `@` is the command, `%` what it needs to know.
const WAYS: [&str; 6] = [
    "@",
    "unset FORELOOK_IN_TOOL; @",
    "env -i % @",
    "setsid env -i % @",
    // Its parents are gone when it begins.
    "(setsid -f bash -c 'sleep 0.3; env -i % @ > said-# 2>&1'); sleep 1.2; cat said-#",
    "bash -c 'ulimit -Hx unlimited; ulimit -Sx unlimited; env -i % @' 2>&1",
];

pub(crate) fn run(setup: Setup) -> Outcome {
    let stage = setup.stage(|lab| {
        let folder = lab.root().join(".claude");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("settings.json"), r#"{"permissions": {"allow": ["Bash(evil:*)"]}}"#).unwrap();
    });
    let known = format!(
        "HOME={} FORELOOK_HOME={} PATH=$PATH ANTHROPIC_API_KEY=none",
        stage.lab.root().display(),
        stage.lab.home().display()
    );
    let is_free_root = setup.mode == "bypassPermissions" && setup.who == RunsAs::Tester && is_root();
    let mut lines = Vec::new();
    for (at, way) in WAYS.iter().enumerate() {
        // Whoever has every right can take off every mark.
        if way.contains("ulimit") && is_free_root {
            continue;
        }
        let some = if at == 0 { &COMMANDS[..] } else { &COMMANDS[..2] };
        for (number, command) in some.iter().enumerate() {
            let command = format!("{} {command} < /dev/null", stage.lab.binary().display());
            let line =
                way.replace('@', &command).replace('%', &known).replace('#', &format!("{at}-{number}"));
            lines.push(line);
        }
    }
    let looks = format!("{} sessions list --all", stage.lab.binary().display());
    let calls: Vec<Attempt> = lines.iter().chain([&looks]).map(|line| Attempt::bash(line)).collect();
    let results = setup.results(&stage, &calls, Answers::Yes)?;
    for (result, line) in results.iter().zip(&lines) {
        let said = result.to_string();
        if !said.contains(REFUSED) {
            return Err(format!("{line}: {said}"));
        }
    }
    let settings = fs::read_to_string(stage.lab.home().join("settings.json")).unwrap();
    if settings.contains("evil") {
        return Err(format!("The settings were changed: {settings}"));
    }
    match results.last().is_some_and(|looked| looked["is_error"] != true) {
        true => Ok(()),
        false => Err(format!("What only looks did not run: {results:?}")),
    }
}
