//! The long run: what hundreds of kills and lines in every test run cannot show, thousands may.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::local_engine;
use crate::run::{Done, cargo, run};

const KILLS: &str = "5000";

/// Texts for each property of the shell analysis.
const CASES: &str = "1000000";

/// How long each fuzzer runs.
const SECONDS: &str = "600";

/// The fuzzers: package and example.
const FUZZERS: &[(&str, &str)] = &[
    ("forelook-shell", "fuzz"),
    ("forelook-permissions", "fuzz_rules"),
    ("forelook-settings", "fuzz_settings"),
];

/// Runs the kill harness, a real engine, the properties of the shell analysis and the fuzzers for long.
pub(crate) fn soak() -> Done {
    println!("{KILLS} kills; this takes a while");
    // With its output: the harness says how many of the kills hit a running program.
    let test = ["test", "--release", "-p", "forelook-cli", "--test", "kill", "--", "--nocapture"];
    run(cargo(&test).env("FORELOOK_KILLS", KILLS))?;
    println!("a real engine; the first time, it is compiled");
    local_engine::drive()?;
    println!("shell lines put into others, {CASES} of each kind");
    let test = ["test", "--release", "-p", "forelook-shell", "--test", "properties"];
    run(cargo(&test).env("PROPTEST_CASES", CASES))?;
    // Another seed each time; the fuzzer prints it, so that a finding can be had again.
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs()).to_string();
    for (package, example) in FUZZERS {
        println!("{package}: {example} for {SECONDS} s");
        let fuzz = ["run", "--release", "-q", "-p", package, "--example", example, "--"];
        run(cargo(&fuzz).args(["--seconds", SECONDS, "--seed", &seed]))?;
    }
    Ok(())
}
