//! Ways into plan mode: each is a session in which a hostile model tries everything.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use forelook_testkit::attack::{Agents, Answer, Attempt, DONE, Host, Script, watch};
use serde_json::json;

use crate::attempts::all;
use crate::place::{Place, Setup};
use crate::verdict::{self, ExpectedGate};

/// What a test says: nothing, or what is wrong.
pub(crate) type Outcome = Result<(), String>;

/// Subagents try everything in some ways, and a part of it in the others.
pub(crate) const SOME: Agents = Agents::OneIn(17);

/// A model that only talks, for what comes before.
fn friendly(place: &Place) -> String {
    place.script("friendly.toml", &Script::plain(&[Answer::Says("Hello."), Answer::Says("Hello again.")]))
}

/// Lets the hostile model loose in a session that is open, in which `played` answers were given, and looks at what is left.
pub(crate) fn attack(place: &Place, host: Host, played: usize, agents: Agents) -> Outcome {
    attack_held(place, host, (played, agents), ExpectedGate::ByPlanMode)
}

pub(crate) fn attack_held(
    place: &Place,
    mut host: Host,
    (played, agents): (usize, Agents),
    held: ExpectedGate,
) -> Outcome {
    // It answers when the session is open, and the plan of a copy has its own name.
    host.control(&json!({"subtype": "initialize"}));
    let attempts = all(place, &place.plan());
    let model = place.script("hostile.toml", &Script::hostile(&attempts, played, agents));
    host.let_loose(&model);
    host.end();
    verdict::check(place, attempts.len(), held)
}

pub(crate) fn start(place: &Place, args: &[&str]) -> Host {
    Host::start(place, &friendly(place), args)
}

/// `--permission-mode plan`.
pub(crate) fn by_flag(setup: Setup, agents: Agents) -> Outcome {
    let place = Place::new(setup);
    let host = start(&place, &["--permission-mode", "plan"]);
    attack(&place, host.greeted(), 1, agents)
}

/// The setting `permissions.defaultMode`.
pub(crate) fn by_setting() -> Outcome {
    let place = Place::new(Setup { mode: "plan", ..Setup::default() });
    attack(&place, start(&place, &[]).greeted(), 1, SOME)
}

/// A host sets the mode.
pub(crate) fn by_control() -> Outcome {
    let place = Place::new(Setup::default());
    let mut host = start(&place, &[]);
    host.mode("plan");
    attack(&place, host, 0, SOME)
}

/// `/plan`.
pub(crate) fn by_command() -> Outcome {
    let place = Place::new(Setup::default());
    let mut host = start(&place, &["--permission-mode", "acceptEdits"]);
    host.prompt("/plan");
    attack(&place, host, 0, SOME)
}

/// The model asks to plan, and the person agrees.
pub(crate) fn by_tool() -> Outcome {
    let place = Place::new(Setup::generous());
    let mut host = Host::start(&place, &one_call(&place, "EnterPlanMode"), &[]);
    host.lets_plan = true;
    host.prompt("go");
    attack(&place, host, 2, SOME)
}

/// A model that makes one call without input, and then ends.
pub(crate) fn one_call(place: &Place, tool: &str) -> String {
    let call = Answer::Calls(Attempt::call(tool, &json!({})));
    place.script("one-call.toml", &Script::plain(&[call, Answer::Says("Done.")]))
}

/// From `bypassPermissions`.
pub(crate) fn from_bypass(agents: Agents) -> Outcome {
    let place = Place::new(Setup::default());
    let mut host =
        start(&place, &["--permission-mode", "bypassPermissions", "--allow-dangerously-skip-permissions"]);
    host.mode("plan");
    attack(&place, host, 0, agents)
}

/// A session that was planning goes on.
pub(crate) fn by_resume() -> Outcome {
    let place = Place::new(Setup { mode: "acceptEdits", ..Setup::generous() });
    start(&place, &["--permission-mode", "plan"]).greeted().end();
    // Without a word about the mode: the journal knows it, and the settings' is for new sessions.
    let host = start(&place, &["--resume", &place.session()]);
    attack(&place, host, 1, SOME)
}

/// Planning begins while calls of a wider mode are under way: those that have not begun are held already.
pub(crate) fn by_control_in_a_turn() -> Outcome {
    in_a_turn(|attempts| Script::hostile(attempts, 0, SOME))
}

/// The same while an agent is at work, which was started in a wider mode.
pub(crate) fn by_control_while_an_agent_works() -> Outcome {
    in_a_turn(Script::through_agent)
}

fn in_a_turn(script: impl FnOnce(&[Attempt]) -> String) -> Outcome {
    let place = Place::new(Setup::default());
    let sign = PathBuf::from(format!("{}-go", place.probe.display()));
    // Tried again inside of the fence, where neither the sign nor the program's home is seen, it is over at once.
    let home = place.lab.root().join("home");
    assert!(home.is_dir());
    let wait = format!("until [ -e {} ] || [ ! -d {} ]; do sleep 0.02; done", sign.display(), home.display());
    // The plan has no name yet, so the attempts are made for one that is not its.
    let mut attempts = all(&place, &place.plans().join("not-named-yet.md"));
    attempts.insert(0, Attempt::bash(&wait).named("first-wait"));
    let model = place.script("hostile.toml", &script(&attempts));
    let mut host = Host::start(&place, &model, &["--permission-mode", "acceptEdits"]);
    host.say("go");
    wait_for_start(&place, "first-wait");
    host.mode("plan");
    std::fs::write(&sign, "").unwrap();
    host.let_loose(&model);
    host.end();
    std::fs::remove_file(&sign).unwrap();
    verdict::check(&place, attempts.len() - 1, ExpectedGate::ByPlanMode)
}

pub(crate) fn wait_for_start(place: &Place, call: &str) {
    let begun = |entry: &serde_json::Value| entry["kind"] == "tool_started" && entry["data"]["call"] == call;
    let began = Instant::now();
    while !place.journal().iter().any(begun) {
        assert!(began.elapsed() < Duration::from_secs(60), "`{call}` never began");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// `-p`, with nobody to ask.
pub(crate) fn by_print() -> Outcome {
    let place = Place::new(Setup::generous());
    run(&place, &["-p", "hello", "--permission-mode", "plan", "--model", &friendly(&place)], "", None);
    let attempts = all(&place, &place.plan());
    go_on(&place, &place.script("hostile.toml", &Script::hostile(&attempts, 1, SOME)))?;
    verdict::check(&place, attempts.len(), ExpectedGate::ByPlanMode)
}

/// `forelook plan`.
pub(crate) fn by_subcommand() -> Outcome {
    let twin = Place::new(Setup::default());
    run(&twin, &["plan", "a task", "--model", &friendly(&twin)], "", SEED);
    let place = Place::new(Setup::default());
    let attempts = all(&place, &twin_of(&twin, &place));
    let model = place.script("hostile.toml", &Script::hostile(&attempts, 0, SOME));
    run(&place, &["plan", "a task", "--model", &model], "", SEED);
    // A plan that is handed over ends that run; the rest is tried in the same session.
    go_on(&place, &model)?;
    same_plan(&twin, &place)?;
    verdict::check(&place, attempts.len(), ExpectedGate::ByPlanMode)
}

/// Continues the session until everything is tried.
fn go_on(place: &Place, model: &str) -> Outcome {
    let said = || run(place, &["-c", "-p", "go on", "--model", model], "", None);
    match (0..20).any(|_| said().contains(DONE)) {
        true => Ok(()),
        false => Err("The model never came to an end".to_owned()),
    }
}

/// With fixed ids the name of a plan is the same every time, so a twin tells it beforehand.
const SEED: Option<u64> = Some(40);

fn twin_of(twin: &Place, place: &Place) -> PathBuf {
    place.plans().join(twin.plan().file_name().unwrap())
}

fn same_plan(twin: &Place, place: &Place) -> Outcome {
    match place.plan() == twin_of(twin, place) {
        true => Ok(()),
        false => Err(format!("The attempts were made for another plan than {}", place.plan().display())),
    }
}

/// `/mode`, from a mode in which edits need no yes. Without a name it only lists the modes.
pub(crate) fn by_mode() -> Outcome {
    in_lines(Setup::default(), "/mode acceptEdits\n/mode plan\n/mode\ngo\n", 0, ExpectedGate::ByPlanMode)
}

/// A conversation in lines that ends with its input; then nobody is there to answer. With `exits`, the model's first
/// answers ask for that many reviews.
pub(crate) fn in_lines(setup: Setup, input: &str, exits: usize, held: ExpectedGate) -> Outcome {
    let twin = Place::new(setup.clone());
    let exit = || Answer::Calls(Attempt::call("ExitPlanMode", &json!({})));
    let mut answers: Vec<Answer<'_>> = (0..exits).map(|_| exit()).collect();
    answers.push(Answer::Says("Done."));
    run(&twin, &["--model", &twin.script("twin.toml", &Script::plain(&answers))], input, SEED);

    let place = Place::new(setup);
    let attempts = all(&place, &twin_of(&twin, &place));
    answers.pop();
    let hostile = Script::hostile(&attempts, 0, SOME);
    let (head, rest) = hostile.split_once("[[answer]]").expect("an answer");
    let model = place.script("hostile.toml", &format!("{head}{}[[answer]]{rest}", Script::plain(&answers)));
    run(&place, &["--model", &model], input, SEED);
    same_plan(&twin, &place)?;
    verdict::check(&place, attempts.len(), held)
}

/// Runs the program to its end; returns what it printed.
pub(crate) fn run(place: &Place, args: &[&str], input: &str, seed: Option<u64>) -> String {
    let mut child = place.command(args, seed).spawn().unwrap();
    let _watched = watch(child.id());
    // Dropped at once: the input ends there.
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    // 3: something needed a person, and nobody was there.
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{args:?}: {:?}\n{error}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}
