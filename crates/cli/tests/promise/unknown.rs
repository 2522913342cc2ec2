//! The same attempts where no text gives them away: each command of the list stands in a script of the project, and the
//! line that is judged is only `bash tries/7.sh`. Such a line runs unasked, so here the kernel alone keeps the promise.

use forelook_testkit::attack::{Attempt, Journal, Script};
use serde_json::{Value, json};

use crate::attempts::all;
use crate::place::{Place, Setup};
use crate::verdict::{self, ExpectedGate};
use crate::ways::{Outcome, SOME, start};

/// Lets the model loose with scripts, in a fence of what this setup grants.
pub(crate) fn scripts(setup: Setup) -> Outcome {
    let mut place = Place::new(setup);
    // The home folder lies where scratch is in a fence; as a working folder it is seen, and so can be tried.
    let root = place.lab.root().to_str().unwrap().to_owned();
    let mut host = start(&place, &["--permission-mode", "plan", "--add-dir", &root]).greeted();
    host.control(&json!({"subtype": "initialize"}));
    let attempts = scripted(&place);
    place.begin_here();
    let model = place.script("hostile.toml", &Script::hostile(&attempts, 1, SOME));
    host.let_loose(&model);
    host.end();
    verdict::check(&place, attempts.len(), ExpectedGate::ByPlanMode)?;
    let held = Journal::read(&place).held("try-");
    match held == attempts.len() {
        true => Ok(()),
        false => Err(format!("Only {held} of {} scripts ran in a fence", attempts.len())),
    }
}

/// Every command of the list, in a script of its own.
fn scripted(place: &Place) -> Vec<Attempt> {
    let lines = all(place, &place.plan());
    let lines = lines.iter().filter(|attempt| attempt.tool == "Bash");
    let inputs = lines.filter_map(|attempt| serde_json::from_str::<Value>(&attempt.input).ok());
    let written = inputs.enumerate().filter_map(|(at, input)| {
        let command = input["command"].as_str()?;
        // What is rehearsed is held otherwise, whatever its text.
        if input.get("rehearse").is_some() {
            return None;
        }
        let name = format!("tries/{at}.sh");
        place.lab.file(&name, command);
        let beside = input["run_in_background"] == true;
        let call = json!({ "command": format!("bash {name}"), "run_in_background": beside });
        Some(Attempt::call("Bash", &call))
    });
    written.collect()
}
