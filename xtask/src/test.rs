//! The whole test run: what a change must pass.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::run::{XtaskResult, cargo, run};
use crate::test_program::TestProgram;
use crate::test_user::TestUser;
use crate::{picture, requirements, sdk, tidy, wire};

type Step = (&'static str, fn(&TestUser) -> XtaskResult);

const STEPS: &[Step] = &[
    ("format", |_| {
        run(&mut cargo(&["fmt", "--all", "--check"]))
            .map_err(|error| format!("{error}\nRun `cargo fmt --all`"))
    }),
    ("lints", |_| run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))),
    ("build", |_| run(&mut cargo(&["build"]))),
    ("tests", tests),
    ("the published packages accept our requests", wire::validate),
    ("the published clients understand our server", wire::clients),
    ("the Python SDK drives the program", sdk::drive),
    ("the picture is up to date", picture::check_by),
    ("house rules", |_| tidy::tidy()),
];

/// What a run that root started shows for root as well, after an ordinary user has shown all of it: what root's rights
/// change. Package, test target or all of the package's, and the tests whose names begin like this.
const FOR_ROOT_TOO: &[(&str, Option<&str>, Option<&str>)] = &[
    // The fence is another one for root: no namespace of users, and everything on the machine to lose.
    ("forelook-sandbox", None, None),
    ("forelook-tools", Some("honest"), None),
    // So is all that stands on it: rehearsals with files of other owners, and what plan mode promises.
    ("forelook-fences", None, None),
    ("forelook-tools", Some("forelook_tools"), Some("rehearse")),
    // Every attempt in every kind of project; which way led into plan mode is the same for all users.
    ("forelook-cli", Some("promise"), Some("in/flag")),
    // The same for the other modes; as an ordinary user all of it has been shown.
    ("forelook-cli", Some("held"), Some("held/")),
    // Root looks into every process, and plays several users in one folder.
    ("forelook-cli", Some("own_secrets"), None),
    ("forelook-cli", Some("strangers"), None),
    // Root can read and write everything, gives files away, and owns some that others wrote.
    ("forelook-disk", None, None),
    ("forelook-plan", Some("unprivileged"), None),
    ("forelook-cli", Some("bad_places"), None),
    ("forelook-cli", Some("doctor"), None),
];

/// All of them, and for root once more what must hold for both.
fn tests(user: &TestUser) -> XtaskResult {
    // Without namespaces the corpus of shell lines would be passed over; here that is a failure.
    let strictly = |mut command: Command| run(command.env("FORELOOK_REQUIRE_NAMESPACES", "1"));
    strictly(user.cargo_test(&["--workspace"]))?;
    if matches!(user, TestUser::Invoker) {
        println!(
            "   Not run, because you are not root: tests with several users in one folder (`strangers`)"
        );
    }
    if matches!(user, TestUser::Unprivileged { .. }) {
        println!("── tests that must also pass as root");
        let built = TestProgram::all()?;
        for &(package, target, filter) in FOR_ROOT_TOO {
            for program in TestProgram::chosen(&built, package, target)? {
                strictly(program.command(filter))?;
            }
        }
    }
    Ok(())
}

/// Runs every step; stops at the first that fails.
pub(crate) fn test() -> XtaskResult {
    let start = Instant::now();
    println!("── test requirements");
    requirements::install_requirements()?;
    let user = TestUser::prepare()?;
    println!("   tests run {}\n", user.name());
    for (at, (name, step)) in STEPS.iter().enumerate() {
        println!("── {}/{} {name}", at + 1, STEPS.len());
        let began = Instant::now();
        step(&user)
            .map_err(|error| format!("{error}\n\nStep {} of {} failed: {name}", at + 1, STEPS.len()))?;
        println!("── {name}: {}\n", seconds(began.elapsed()));
    }
    println!("total: {}", seconds(start.elapsed()));
    println!("{} steps passed", STEPS.len());
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
