//! The whole test run: what a change must pass.

use std::time::{Duration, Instant};

use crate::run::{Done, cargo, run};
use crate::{needs, picture, sdk, tidy, wire};

type Step = (&'static str, fn() -> Done);

const STEPS: &[Step] = &[
    ("programs that tests need", needs::provide),
    ("format", || {
        run(&mut cargo(&["fmt", "--all", "--check"]))
            .map_err(|error| format!("{error}\nRun `cargo fmt --all`"))
    }),
    ("lints", || run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))),
    ("build", || run(&mut cargo(&["build"]))),
    // Without namespaces the corpus of shell lines would be passed over; here that is a failure.
    ("tests", || run(cargo(&["test", "--workspace"]).env("FORELOOK_REQUIRE_NAMESPACES", "1"))),
    ("requests are valid to the published packages", wire::validate),
    ("the published clients understand our server", wire::clients),
    ("the Python SDK drives the program", sdk::drive),
    ("the picture is true", picture::check),
    ("house rules", tidy::tidy),
];

/// Runs every step; stops at the first that fails.
pub(crate) fn test() -> Done {
    let start = Instant::now();
    for (at, (name, step)) in STEPS.iter().enumerate() {
        println!("── {}/{} {name}", at + 1, STEPS.len());
        let began = Instant::now();
        step().map_err(|error| format!("{error}\n\nStep {} of {} failed: {name}", at + 1, STEPS.len()))?;
        println!("── {name}: {}\n", seconds(began.elapsed()));
    }
    println!("whole run: {}", seconds(start.elapsed()));
    println!("{} steps passed", STEPS.len());
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
