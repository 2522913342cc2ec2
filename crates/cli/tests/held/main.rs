//! What runs unasked is held, in every mode but bypass.
//!
//! A hostile model tries combinations of ways to reach a folder, spellings of a path, options that a rule allows, and
//! links. Nobody approves anything, so whatever happens happened unasked. Nothing may be changed that the mode does not
//! let be edited, no program of a stranger may leave a mark, and no secret may come back. The same attempts work with
//! plain bash (`control/…`). `docs/security.md` says for people what is promised.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test, and tests lay out their files by hand"
)]

mod attempt;
mod control;
mod folders;
mod honest;
mod itself;
mod links;
mod place;
mod planted;
mod programs;
mod race;
mod reads;
mod rules;
mod spellings;
mod tools;
mod verdict;
mod writes;

use forelook_testkit::attack::{Agents, Attempt, Host, RunsAs, Script, Stage};
use forelook_testkit::is_root;
use libtest_mimic::{Arguments, Failed, Trial};

use attempt::Try;
use place::{Group, Place, Setup};

/// What a test says: nothing, or what is wrong.
type Outcome = Result<(), String>;

/// Layers of the fence, and what a set of them is called here.
const LAYERS: [(&str, &str); 3] =
    [("all-layers", ""), ("landlock-and-seccomp", "landlock,seccomp"), ("no-layers", "none")];
const MODES: [&str; 3] = ["default", "acceptEdits", "dontAsk"];

fn main() {
    let arguments = Arguments::from_args();
    let conclusion = libtest_mimic::run(&arguments, trials());
    tools::remove();
    conclusion.exit();
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |name: String, run: Box<dyn FnOnce() -> Outcome + Send>| {
        trials.push(Trial::test(name, move || run().map_err(Failed::from)));
    };
    for group in Group::ALL {
        add(format!("control/{}", group.name()), Box::new(move || control::run(group)));
    }
    for setup in setups() {
        add(name(setup), Box::new(move || attack(setup)));
    }
    // Very many files take a minute on some disks: once is enough.
    for (mode, called, layers, files) in [
        ("acceptEdits", "all-layers", "", "200000"),
        ("default", "all-layers", "", "20000"),
        ("default", "landlock-and-seccomp", "landlock,seccomp", "20000"),
    ] {
        let setup = Setup { mode, layers, flood: files, ..Setup::new(Group::Planted) };
        add(format!("flood/{mode}/{called}"), Box::new(move || planted::flood(setup)));
    }
    add("race/write".into(), Box::new(race::write));
    add("race/control".into(), Box::new(race::control));
    add("honest/commands_run".into(), Box::new(honest::commands_run));
    add("self/enough_attempts".into(), Box::new(itself::enough_attempts));
    add("self/what_gets_through_is_found".into(), Box::new(itself::what_gets_through_is_found));
    add("self/a_session_that_ends_early_is_found".into(), Box::new(itself::an_early_end_is_found));
    trials
}

/// Every session. Plan mode has a suite of its own; here it is tried where no kernel stands behind it.
fn setups() -> Vec<Setup> {
    let mut setups = Vec::new();
    let users: &[RunsAs] =
        if is_root() { &[RunsAs::Tester, RunsAs::Unprivileged] } else { &[RunsAs::Tester] };
    for &who in users {
        setups.push(Setup { sees_home: true, who, ..Setup::new(Group::Reads) });
        for group in Group::ALL {
            for (_, layers) in LAYERS {
                setups.extend(MODES.map(|mode| Setup { mode, layers, who, ..Setup::new(group) }));
            }
            setups.push(Setup { mode: "plan", layers: "none", who, ..Setup::new(group) });
        }
    }
    setups
}

fn name(setup: Setup) -> String {
    let who = if setup.who == RunsAs::Tester { "held" } else { "unprivileged" };
    let layers = LAYERS.iter().find(|it| it.1 == setup.layers).map_or("?", |it| it.0);
    let home = if setup.sees_home { "-and-home" } else { "" };
    format!("{who}/{}{home}/{}/{layers}", setup.group.name(), setup.mode)
}

/// Lets a model try everything of a group.
fn attack(setup: Setup) -> Outcome {
    let place = Place::new(setup);
    let tries = setup.group.tries();
    tried(&place, &tries);
    let through = verdict::through(&place, &tries)?;
    let told: Vec<String> = through.iter().map(|(name, shown)| format!("{name}: {shown}")).collect();
    match told.is_empty() {
        true => Ok(()),
        false => Err(format!("{} of {} got through:\n    {}", told.len(), tries.len(), told.join("\n    "))),
    }
}

/// A session in which all of this is tried, to its end.
fn tried(place: &Place, tries: &[Try]) {
    let back = back(place, "back");
    let mut calls = Vec::new();
    for (at, attempt) in tries.iter().enumerate() {
        calls.extend(attempt.calls(at, place));
        // Where one line went, the next begins.
        if attempt.words().contains("cd ") || attempt.words().contains("pushd ") {
            calls.push(back(at));
        }
    }
    let model = place.script("hostile.toml", &Script::hostile(&calls, 0, Agents::OneIn(usize::MAX)));
    let home = place.lab.root().display().to_string();
    let mut arguments = vec!["--permission-mode", place.setup.mode];
    if place.setup.sees_home {
        arguments.extend(["--add-dir", &home]);
    }
    let mut host = Host::start(place, &model, &arguments);
    host.let_loose(&model);
    host.end();
}

/// Calls that lead back to the project.
fn back(stage: &Stage, name: &'static str) -> impl Fn(usize) -> Attempt {
    let line = format!("cd {}", stage.lab.project().display());
    move |at| Attempt::bash(&line).named(format!("{name}-{at}")).alone()
}
