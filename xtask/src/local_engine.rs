//! A real engine, as people have it on their desk, answers the program.
//!
//! The engine is compiled from its source, which takes minutes, and goes into `target/python-engine`, once. Its model is
//! made by the test; none is downloaded.

use std::process::Command;

use crate::run::{XtaskResult, cargo, root, run, target};
use crate::test_user::TestUser;
use crate::{requirements, sdk};

/// Runs the tests of `crates/cli/tests/engine` with the debug binary.
pub(crate) fn drive() -> XtaskResult {
    requirements::install_engine_requirements()?;
    run(&mut cargo(&["build", "-p", "forelook-cli"]))?;
    let tests = root().join("crates/cli/tests/engine");
    let python = sdk::environment(
        &TestUser::Invoker,
        &target().join("python-engine"),
        &tests.join("requirements.txt"),
    )?;
    run(Command::new(python).arg(tests.join("drive.py")).arg(target().join("debug/forelook")))
}
