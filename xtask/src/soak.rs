//! The long run: what hundreds of kills and lines in every test run cannot show, thousands may.

use std::process::{Child, Command};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::run::{XtaskResult, cargo, run};
use crate::test_user::TestUser;
use crate::{local_engine, requirements};

const KILLS: &str = "5000";

/// Kills after which nothing may be left behind: no process, and no file that nobody needs.
const LEFTOVER_KILLS: &str = "500";

/// How many times as many prompts, calls and faults as in every test run: 2,000 prompts, 4,000 calls in a turn.
const TORTURE: &str = "20";

/// How often the fence is attacked, each time by all attacks.
const SIEGES: usize = 10;

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

/// Runs the kill harness, long sessions with faulty servers, the attacks on the fence, a real engine, the properties of the shell analysis and the fuzzers for long.
pub(crate) fn soak() -> XtaskResult {
    let user = TestUser::prepare()?;
    println!("{KILLS} kills; this takes a while");
    // With its output: the harness says how many of the kills hit a running program.
    let test = ["--release", "-p", "forelook-cli", "--test", "kill", "--", "--nocapture"];
    run(user.cargo_test(&test).env("FORELOOK_KILLS", KILLS))?;
    println!("{LEFTOVER_KILLS} kills, and what they leave behind");
    let test = ["--release", "-p", "forelook-cli", "--test", "leftovers"];
    run(user.cargo_test(&test).env("FORELOOK_KILLS", LEFTOVER_KILLS))?;
    println!("long sessions and faulty servers");
    let test =
        ["--release", "-p", "forelook-cli", "--test", "torture", "--", "--nocapture", "--test-threads=1"];
    run(user.cargo_test(&test).env("FORELOOK_TORTURE", TORTURE))?;
    siege(&user)?;
    println!("a real engine; the first run compiles it");
    local_engine::drive()?;
    println!("nested shell commands, {CASES} of each kind");
    let test = ["test", "--release", "-p", "forelook-shell", "--test", "properties"];
    run(cargo(&test).env("PROPTEST_CASES", CASES))?;
    fuzz()
}

/// All at once: each uses one processor.
fn fuzz() -> XtaskResult {
    println!("fuzzers, for {SECONDS} s");
    // Another seed each time; the fuzzers print it, so that a finding can be had again.
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs()).to_string();
    for (package, example) in FUZZERS {
        run(&mut cargo(&["build", "--release", "-q", "-p", package, "--example", example]))?;
    }
    let one = |(package, example): &(&str, &str)| {
        let fuzz = ["run", "--release", "-q", "-p", package, "--example", example, "--"];
        run(cargo(&fuzz).args(["--seconds", SECONDS, "--seed", &seed]))
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = FUZZERS.iter().map(|fuzzer| scope.spawn(|| one(fuzzer))).collect();
        let ended =
            running.into_iter().map(|it| it.join().unwrap_or_else(|_| Err("A fuzzer crashed".into())));
        ended.collect::<Vec<XtaskResult>>().into_iter().collect()
    })
}

/// Attacks the fence again and again while every processor is busy: what holds by being quick does not hold then. Honest
/// use is tried under the same load, with `go` too.
fn siege(user: &TestUser) -> XtaskResult {
    requirements::install_requirements()?;
    requirements::install_soak_requirements()?;
    let attacks = ["--release", "-p", "forelook-sandbox", "--test", "attacks"];
    let honest = ["--release", "-p", "forelook-tools", "--test", "honest"];
    run(user.cargo_test(&attacks).arg("--no-run"))?;
    run(user.cargo_test(&honest).arg("--no-run"))?;
    let _load = Load::on_every_processor()?;
    for siege in 1..=SIEGES {
        println!("all attacks on the fence, round {siege} of {SIEGES}");
        run(&mut user.cargo_test(&attacks))?;
    }
    println!("normal use in the fence");
    run(user.cargo_test(&honest).env("FORELOOK_HONEST_GO", "1"))
}

/// Processes that do nothing but keep processors busy; they end when this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn on_every_processor() -> XtaskResult<Self> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let mut load = Self(Vec::new());
        for _ in 0..processors {
            // Ends by itself when we are killed: then nobody is its parent any more.
            let line = "while [ \"$(ps -o ppid= -p $$ | tr -d ' ')\" = \"$1\" ]; do i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done; done";
            let mut busy = Command::new("sh");
            busy.args(["-c", line, "sh", &std::process::id().to_string()]);
            load.0.push(busy.spawn().map_err(|error| format!("Cannot start `sh`: {error}"))?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for busy in &mut self.0 {
            // It may have ended.
            let _ = busy.kill();
            let _ = busy.wait();
        }
    }
}
