//! The long run: what hundreds of kills in every test run cannot show, thousands may.

use crate::run::{Done, cargo, run};

const KILLS: &str = "5000";

/// Runs the kill harness for long.
pub(crate) fn soak() -> Done {
    println!("{KILLS} kills; this takes a while");
    run(cargo(&["test", "--release", "-p", "forelook-cli", "--test", "kill"]).env("FORELOOK_KILLS", KILLS))
}
