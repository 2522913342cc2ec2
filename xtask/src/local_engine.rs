//! A real engine, as people have it on their desk, answers the program.
//!
//! The engine is compiled from its source, which takes minutes, and goes into `target/python-engine`, once. Its model is
//! made by the test; none is downloaded.

use std::process::Command;

use crate::ordinary::Who;
use crate::run::{Done, cargo, root, run, target};
use crate::{needs, sdk};

/// Runs the tests of `crates/cli/tests/engine` with the debug binary.
pub(crate) fn drive() -> Done {
    needs::provide_for_engine()?;
    run(&mut cargo(&["build", "-p", "forelook-cli"]))?;
    let tests = root().join("crates/cli/tests/engine");
    let python =
        sdk::environment(&Who::Ourselves, &target().join("python-engine"), &tests.join("requirements.txt"))?;
    run(Command::new(python).arg(tests.join("drive.py")).arg(target().join("debug/forelook")))
}
