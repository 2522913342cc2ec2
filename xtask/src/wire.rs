//! The three wires, judged by others: the published packages of Anthropic and OpenAI for Python.
//!
//! What they need goes into `target/python-wire`, once; after that no network is used.

use std::path::PathBuf;

use crate::ordinary::Who;
use crate::run::{Done, cargo, root, run, target};
use crate::sdk::environment;

fn tests() -> PathBuf {
    root().join("crates/cli/tests/wire")
}

fn python(who: &Who) -> Done<PathBuf> {
    environment(who, &target().join("python-wire"), &tests().join("requirements.txt"))
}

/// All of it, alone.
pub(crate) fn check(who: &Who) -> Done {
    run(&mut who.cargo_test(&["-p", "forelook-cli", "--test", "scenarios"]))?;
    validate(who)?;
    clients(who)
}

/// Every request of every scenario is one that the packages would send. The scenarios, which the tests have run, leave
/// their requests in `target/wire`.
pub(crate) fn validate(who: &Who) -> Done {
    run(who.command(python(who)?).arg(tests().join("validate.py")).arg(target().join("wire")))
}

/// The packages' own clients understand the scripted server, which so many tests believe.
pub(crate) fn clients(who: &Who) -> Done {
    run(&mut cargo(&["build", "-p", "forelook-testkit", "--example", "wire_server"]))?;
    let server = target().join("debug/examples/wire_server");
    run(who.command(python(who)?).arg(tests().join("clients.py")).arg(server))
}
