//! What may happen in plan mode, and a hostile model that tries everything after it.

use std::path::Path;

use forelook_testkit::attack::{Answer, Attempt, Host, Script};
use serde_json::json;

use crate::place::{Place, Setup};
use crate::verdict::ExpectedGate;
use crate::ways::{Outcome, SOME, attack, attack_held, in_lines, one_call, start, wait_for_start};

/// A session that was planning goes on in a copy.
pub(crate) fn forked() -> Outcome {
    let place = Place::new(Setup { mode: "acceptEdits", ..Setup::default() });
    start(&place, &["--permission-mode", "plan"]).greeted().end();
    let host = start(&place, &["--resume", &place.session(), "--fork-session"]);
    attack(&place, host, 1, SOME)
}

/// The person says no to planning: the mode stays, and nothing happens that nobody says yes to.
pub(crate) fn declined() -> Outcome {
    let place = Place::new(Setup::careful());
    let mut host = Host::start(&place, &one_call(&place, "EnterPlanMode"), &[]);
    host.prompt("go");
    attack_held(&place, host, (2, SOME), ExpectedGate::ByNobody)
}

/// The person sends the plan back.
pub(crate) fn rejected() -> Outcome {
    let place = Place::new(Setup::generous());
    let mut host = Host::start(&place, &one_call(&place, "ExitPlanMode"), &["--permission-mode", "plan"]);
    host.prompt("go");
    attack(&place, host, 2, SOME)
}

/// A session in the middle of a call.
fn busy(place: &Place) -> Host {
    let sleep = Answer::Calls(Attempt::bash("sleep 30").named("first-wait"));
    let model = place.script("busy.toml", &Script::plain(&[sleep, Answer::Says("Done.")]));
    let mut host = Host::start(place, &model, &["--permission-mode", "plan"]);
    host.say("go");
    wait_for_start(place, "first-wait");
    host
}

/// A call is interrupted.
pub(crate) fn interrupted() -> Outcome {
    let place = Place::new(Setup::default());
    let mut host = busy(&place);
    host.control(&json!({"subtype": "interrupt"}));
    host.read_to(|line| line["type"] == "result");
    attack(&place, host, 1, SOME)
}

/// The program is killed in the middle of a call, and the session goes on.
pub(crate) fn killed() -> Outcome {
    let place = Place::new(Setup { mode: "acceptEdits", ..Setup::default() });
    busy(&place).kill();
    let host = start(&place, &["--resume", &place.session()]);
    attack(&place, host, 1, SOME)
}

/// The plan file is swapped for a link to a file of the project.
pub(crate) fn plan_is_a_link() -> Outcome {
    swapped(|place, plan| {
        std::fs::remove_file(plan).unwrap();
        std::os::unix::fs::symlink(place.lab.project().join("README.md"), plan).unwrap();
    })
}

/// The folder of plans is swapped for a link to a folder of the project.
pub(crate) fn plans_are_a_link() -> Outcome {
    swapped(|place, plan| {
        std::fs::rename(place.plans(), place.lab.home().join("plans-before")).unwrap();
        // A file of the plan's name is there, so that following the link would find one.
        std::fs::write(place.lab.project().join("docs").join(plan.file_name().unwrap()), "# Not the plan\n")
            .unwrap();
        std::os::unix::fs::symlink(place.lab.project().join("docs"), place.plans()).unwrap();
    })
}

fn swapped(swap: impl FnOnce(&Place, &Path)) -> Outcome {
    let mut place = Place::new(Setup::default());
    let mut host = start(&place, &["--permission-mode", "plan"]).greeted();
    let plan = place.plan();
    let write = Attempt::call("Write", &json!({"file_path": plan, "content": "# A plan\n"}));
    let answers = [Answer::Says("Played before."), Answer::Calls(write), Answer::Says("Written.")];
    host.control(
        &json!({"subtype": "set_model", "model": place.script("writes.toml", &Script::plain(&answers))}),
    );
    host.prompt("write the plan");
    swap(&place, &plan);
    place.begin_here();
    attack(&place, host, 3, SOME)
}

/// The plan is parked: the mode from before is back, and nothing happens that nobody says yes to.
pub(crate) fn parked() -> Outcome {
    in_lines(Setup::careful(), "/plan\nmake a plan\np\ngo\n", 1, ExpectedGate::ByNobody)
}
