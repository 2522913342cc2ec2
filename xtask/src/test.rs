//! The whole test run: what a change must pass.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::ordinary::Who;
use crate::run::{Done, cargo, run};
use crate::{needs, picture, sdk, tidy, wire};

type Step = (&'static str, fn(&Who) -> Done);

const STEPS: &[Step] = &[
    ("format", |_| {
        run(&mut cargo(&["fmt", "--all", "--check"]))
            .map_err(|error| format!("{error}\nRun `cargo fmt --all`"))
    }),
    ("lints", |_| run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))),
    ("build", |_| run(&mut cargo(&["build"]))),
    ("tests", tests),
    ("requests are valid to the published packages", wire::validate),
    ("the published clients understand our server", wire::clients),
    ("the Python SDK drives the program", sdk::drive),
    ("the picture is true", picture::check_by),
    ("house rules", |_| tidy::tidy()),
];

/// What a run that root started shows for root as well, after an ordinary user has shown all of it: what root's rights
/// change. The arguments of `cargo test`.
const FOR_ROOT_TOO: &[&[&str]] = &[
    // The fence is another one for root: no namespace of users, and everything on the machine to lose.
    &["-p", "forelook-sandbox"],
    &["-p", "forelook-tools", "--test", "honest"],
    // So is all that stands on it: rehearsals with files of other owners, and what plan mode promises.
    &["-p", "forelook-fences"],
    &["-p", "forelook-tools", "--lib", "rehearse"],
    // Every attempt in every kind of project; which way led into plan mode is the same for all users.
    &["-p", "forelook-cli", "--test", "promise", "in/flag"],
    // Root can read and write everything, gives files away, and owns some that others wrote.
    &["-p", "forelook-disk"],
    &["-p", "forelook-plan", "--test", "unprivileged"],
    &["-p", "forelook-cli", "--test", "bad_places"],
    &["-p", "forelook-cli", "--test", "doctor"],
];

/// All of them, and for root once more what must hold for both.
fn tests(who: &Who) -> Done {
    // Without namespaces the corpus of shell lines would be passed over; here that is a failure.
    let strictly = |mut command: Command| run(command.env("FORELOOK_REQUIRE_NAMESPACES", "1"));
    strictly(who.cargo_test(&["--workspace"]))?;
    if matches!(who, Who::Ordinary { .. }) {
        println!("── what must hold for root too");
        FOR_ROOT_TOO.iter().try_for_each(|arguments| strictly(Who::Ourselves.cargo_test(arguments)))?;
    }
    Ok(())
}

/// Runs every step; stops at the first that fails.
pub(crate) fn test() -> Done {
    let start = Instant::now();
    println!("── what the tests need");
    needs::provide()?;
    let who = Who::ready()?;
    println!("   they run {}\n", who.name());
    for (at, (name, step)) in STEPS.iter().enumerate() {
        println!("── {}/{} {name}", at + 1, STEPS.len());
        let began = Instant::now();
        step(&who)
            .map_err(|error| format!("{error}\n\nStep {} of {} failed: {name}", at + 1, STEPS.len()))?;
        println!("── {name}: {}\n", seconds(began.elapsed()));
    }
    println!("whole run: {}", seconds(start.elapsed()));
    println!("{} steps passed", STEPS.len());
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
