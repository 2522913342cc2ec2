//! The long run: what hundreds of kills in every test run cannot show, thousands may.

use crate::run::{Done, cargo, run};

const KILLS: &str = "5000";

/// Runs the kill harness for long.
pub(crate) fn soak() -> Done {
    println!("{KILLS} kills; this takes a while");
    // With its output: the harness says how many of the kills hit a running program.
    let test = ["test", "--release", "-p", "forelook-cli", "--test", "kill", "--", "--nocapture"];
    run(cargo(&test).env("FORELOOK_KILLS", KILLS))
}
