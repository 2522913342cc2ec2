//! The Claude Agent SDK for Python, as it is published, drives the program.
//!
//! What it needs goes into `target/python`, once; after that no network is used.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{XtaskResult, root, run, target};
use crate::test_user::TestUser;

/// Runs the tests of `crates/cli/tests/sdk` with the debug binary.
pub(crate) fn drive(user: &TestUser) -> XtaskResult {
    let tests = root().join("crates/cli/tests/sdk");
    let python = environment(user, &target().join("python"), &tests.join("requirements.txt"))?;
    run(user.command(python).arg(tests.join("run.py")).arg(target().join("debug/forelook")))
}

/// A Python with exactly what is pinned, made anew when the pins change or when `user` cannot start it. Returns its
/// interpreter.
pub(crate) fn environment(user: &TestUser, folder: &Path, requirements: &Path) -> XtaskResult<PathBuf> {
    let python = folder.join("bin/python");
    let pins = std::fs::read_to_string(requirements)
        .map_err(|error| format!("Cannot read `{}`: {error}", requirements.display()))?;
    // Written last, so that an environment that was not finished is not taken for one.
    let stamp = folder.join("installed.txt");
    if is_made_for(&stamp, &pins) && starts(user, &python) {
        return Ok(python);
    }
    println!("creating a Python environment");
    run(user.build_command("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(&python).args(install).arg(requirements))
        .map_err(|error| format!("{error}\nThe packages come from PyPI: check your network connection"))?;
    std::fs::write(&stamp, pins).map_err(|error| format!("Cannot write `{}`: {error}", stamp.display()))?;
    Ok(python)
}

/// An environment leads to the Python that made it, which may be gone, or be of somebody else.
fn starts(user: &TestUser, python: &Path) -> bool {
    python.exists() && user.command(python).arg("--version").output().is_ok_and(|it| it.status.success())
}

fn is_made_for(stamp: &Path, pins: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|made| made == pins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_kept_while_the_pins_stay() {
        let stamp = std::env::temp_dir().join(format!("forelook-stamp-{}", std::process::id()));
        assert!(!is_made_for(&stamp, "a==1"));
        std::fs::write(&stamp, "a==1").unwrap();
        assert!(is_made_for(&stamp, "a==1"));
        assert!(!is_made_for(&stamp, "a==2"));
        std::fs::remove_file(&stamp).unwrap();
    }
}
