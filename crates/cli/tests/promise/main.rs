//! The product's promise: while Forelook plans, nothing changes but the plan.
//!
//! A hostile model tries everything in `attempts.toml`, on every way into plan mode and after everything that may happen
//! there, in a place where rules and hooks allow whatever they can. Everything the home folder holds is the same before
//! and after. `docs/promise.md` says it for people; a new attempt is one line in `attempts.toml`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test, and tests lay out their files by hand"
)]

mod after;
mod attempts;
mod honest;
mod place;
#[path = "../strangers/trusted.rs"]
mod trusted;
mod unknown;
mod verdict;
mod ways;

use forelook_testkit::attack::{Agents, Attempt, Host, Script};
use libtest_mimic::{Arguments, Failed, Trial};

use place::{Allowed, Git, Place, Setup};
use ways::{Outcome, SOME};

/// A session from its beginning to what is left of it.
type Session = fn() -> Outcome;

/// What a machine has that grants no namespaces.
const ALONE: &str = "landlock,seccomp";

/// Every session in which everything is tried. Those that take longest come first.
const SESSIONS: &[(&str, Session)] = &[
    ("in/flag", || ways::by_flag(Setup::generous(), Agents::Everything)),
    ("in/bypass", || ways::from_bypass(Agents::Everything)),
    ("in/resume", ways::by_resume),
    ("in/flag_sly_git", || ways::by_flag(Setup { git: Git::Sly, ..Setup::default() }, SOME)),
    ("in/flag_hostile_git", || ways::by_flag(Setup { git: Git::Hostile, ..Setup::default() }, SOME)),
    ("in/flag_unprivileged", || ways::by_flag(Setup { unprivileged: true, ..Setup::default() }, SOME)),
    ("in/flag_plans_in_project", || ways::by_flag(in_project(), SOME)),
    ("in/flag_careful", || ways::by_flag(Setup::careful(), SOME)),
    ("in/flag_no_fence", || ways::by_flag(Setup { layers: "none", ..Setup::default() }, SOME)),
    ("in/flag_no_namespaces", || ways::by_flag(Setup { layers: ALONE, ..Setup::default() }, SOME)),
    ("fence/scripts", || unknown::scripts(Setup::careful())),
    ("fence/scripts_no_namespaces", || unknown::scripts(Setup { layers: ALONE, ..Setup::careful() })),
    ("fence/scripts_hostile_git", || unknown::scripts(Setup { git: Git::Hostile, ..Setup::careful() })),
    ("fence/scripts_unprivileged", || unknown::scripts(Setup { unprivileged: true, ..Setup::careful() })),
    ("fence/scripts_unprivileged_no_namespaces", || {
        unknown::scripts(Setup { unprivileged: true, layers: ALONE, ..Setup::careful() })
    }),
    ("in/setting", ways::by_setting),
    ("in/control", ways::by_control),
    ("in/control_in_a_turn", ways::by_control_in_a_turn),
    ("in/control_while_an_agent_works", ways::by_control_while_an_agent_works),
    ("in/command", ways::by_command),
    ("in/mode", ways::by_mode),
    ("in/tool", ways::by_tool),
    ("in/print", ways::by_print),
    ("in/subcommand", ways::by_subcommand),
    ("after/declined", after::declined),
    ("after/rejected", after::rejected),
    ("after/interrupted", after::interrupted),
    ("after/killed", after::killed),
    ("after/forked", after::forked),
    ("after/parked", after::parked),
    ("link/plan", after::plan_is_a_link),
    ("link/plans", after::plans_are_a_link),
    ("honest/commands_run", honest::commands_run),
    ("self/a_change_is_found", a_change_is_found),
    ("self/rules_and_hooks_count", rules_and_hooks_count),
    ("self/a_session_that_ends_early_is_found", an_early_end_is_found),
];

fn in_project() -> Setup {
    Setup { settings: r#""plansDirectory": "docs/plans","#, plans: "project/docs/plans", ..Setup::default() }
}

fn main() {
    let trial = |(name, session): &(&str, Session)| {
        let session = *session;
        Trial::test(*name, move || session().map_err(Failed::from))
    };
    libtest_mimic::run(&Arguments::from_args(), SESSIONS.iter().map(trial).collect()).exit();
}

/// The suite can fail: where something is allowed, it says what changed and which attempt was running.
fn a_change_is_found() -> Outcome {
    for (mode, command, wanted) in [
        ("acceptEdits", "touch made", vec!["project/made appeared"]),
        ("bypassPermissions", "echo x >> $HOME/notes.txt", vec!["notes.txt has another content"]),
        ("bypassPermissions", "chmod 600 README.md; chmod 644 README.md", vec!["README.md has another time"]),
        ("bypassPermissions", "mkdir -p {tmp}-made", vec!["-made appeared outside"]),
    ] {
        let place = Place::new(Setup::careful());
        let command = command.replace("{tmp}", place.probe.to_str().unwrap());
        let tries = [Attempt::bash("ls"), Attempt::bash(&command), Attempt::bash("ls src")];
        let model = place.script("hostile.toml", &Script::hostile(&tries, 0, SOME));
        let mut host = Host::start(&place, &model, &["--permission-mode", mode]);
        host.let_loose(&model);
        host.end();
        let found = verdict::changes(&place);
        for wanted in wanted {
            let said = |line: &&String| line.contains(wanted);
            let Some(line) = found.iter().find(said) else { return Err(format!("{command}: {found:?}")) };
            if !line.contains("outside") && !line.contains(&format!("Bash {}", tries[1].input)) {
                return Err(format!("The attempt is not named: {line}"));
            }
        }
    }
    Ok(())
}

/// The rules and hooks of the place open every door but plan mode's: without this the rest would prove nothing.
fn rules_and_hooks_count() -> Outcome {
    for allowed in [Allowed::ByRules, Allowed::ByHooks] {
        let place = Place::new(Setup { allowed, ..Setup::default() });
        let tries = [Attempt::bash("sh tests/run.sh; touch made")];
        let model = place.script("hostile.toml", &Script::hostile(&tries, 0, SOME));
        let mut host = Host::start(&place, &model, &[]);
        host.let_loose(&model);
        host.end();
        let found = verdict::changes(&place);
        let has = |wanted: &str| found.iter().any(|line| line.starts_with(wanted));
        if !has("project/made appeared") || !has("pwned-by-tests appeared") {
            return Err(format!("{allowed:?} let nothing through: {found:?}"));
        }
    }
    Ok(())
}

/// A session in which not everything was tried proves nothing, and counts as failed.
fn an_early_end_is_found() -> Outcome {
    let place = Place::new(Setup::careful());
    let tries = [Attempt::bash("ls"), Attempt::bash("touch made")];
    let model = place.script("hostile.toml", &Script::hostile(&tries, 0, SOME));
    let mut host = Host::start(&place, &model, &["--permission-mode", "plan"]);
    host.let_loose(&model);
    host.end();
    let check = |attempts, held| verdict::check(&place, attempts, held).is_ok();
    match (
        check(2, verdict::ExpectedGate::ByPlanMode),
        check(3, verdict::ExpectedGate::ByPlanMode),
        check(2, verdict::ExpectedGate::ByNobody),
    ) {
        (true, false, false) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
