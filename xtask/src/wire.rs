//! The three wires, judged by others: the published packages of Anthropic and OpenAI for Python.
//!
//! What they need goes into `target/python-wire`, once; after that no network is used.

use std::path::PathBuf;

use crate::run::{XtaskResult, cargo, root, run, target};
use crate::sdk::environment;
use crate::test_user::TestUser;

fn tests() -> PathBuf {
    root().join("crates/cli/tests/wire")
}

fn python(user: &TestUser) -> XtaskResult<PathBuf> {
    environment(user, &target().join("python-wire"), &tests().join("requirements.txt"))
}

/// All of it, alone.
pub(crate) fn check(user: &TestUser) -> XtaskResult {
    run(&mut user.cargo_test(&["-p", "forelook-cli", "--test", "scenarios"]))?;
    validate(user)?;
    clients(user)
}

/// Every request of every scenario is one that the packages would send. The scenarios, which the tests have run, leave
/// their requests in `target/wire`.
pub(crate) fn validate(user: &TestUser) -> XtaskResult {
    run(user.command(python(user)?).arg(tests().join("validate.py")).arg(target().join("wire")))
}

/// The packages' own clients understand the scripted server, which so many tests believe.
pub(crate) fn clients(user: &TestUser) -> XtaskResult {
    run(&mut cargo(&["build", "-p", "forelook-testkit", "--example", "wire_server"]))?;
    let server = target().join("debug/examples/wire_server");
    run(user.command(python(user)?).arg(tests().join("clients.py")).arg(server))
}
