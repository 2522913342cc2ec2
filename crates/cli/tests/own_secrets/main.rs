//! No command of a model finds a key to models, and none speaks for the person.
//!
//! The key is looked for in everything that a command can read: as root and unprivileged, in a fence and outside of one, in
//! every mode except `bypassPermissions`. The same hunt finds it in a program that does not guard itself (`control/…`).
//! Commands that stand for a person's word are tried from inside tools, with everything that could hide where they come
//! from. `docs/security.md` says for people what is promised.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test, and tests lay out their files by hand"
)]

mod files;
mod hunt;
mod person;
mod place;
mod records;

use forelook_testkit::attack::RunsAs;
use forelook_testkit::is_root;
use libtest_mimic::{Arguments, Failed, Trial};

use place::Setup;

/// What a test says: nothing, or what is wrong.
type Outcome = Result<(), String>;

/// Layers of the fence, and what a set of them is called here.
const LAYERS: [(&str, &str); 3] =
    [("all-layers", ""), ("landlock-and-seccomp", "landlock,seccomp"), ("no-layers", "none")];
const MODES: [&str; 4] = ["default", "acceptEdits", "dontAsk", "plan"];

fn main() {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, trials()).exit();
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |name: String, run: Box<dyn FnOnce() -> Outcome + Send>| {
        trials.push(Trial::test(name, move || run().map_err(Failed::from)));
    };
    let users: &[RunsAs] =
        if is_root() { &[RunsAs::Tester, RunsAs::Unprivileged] } else { &[RunsAs::Tester] };
    for &who in users {
        let user = if who == RunsAs::Tester { "tester" } else { "unprivileged" };
        add(format!("control/{user}"), Box::new(move || hunt::control(who)));
        for (name, layers) in LAYERS {
            for mode in MODES {
                let setup = Setup { mode, layers, who };
                add(format!("hunt/{user}/{mode}/{name}"), Box::new(move || hunt::run(setup)));
            }
            let setup = Setup { mode: "default", layers, who };
            add(format!("files/{user}/{name}"), Box::new(move || files::run(setup)));
            add(format!("records/{user}/{name}"), Box::new(move || records::run(setup)));
            for mode in ["default", "bypassPermissions"] {
                let setup = Setup { mode, layers, who };
                add(format!("person/{user}/{mode}/{name}"), Box::new(move || person::run(setup)));
            }
        }
    }
    trials
}
