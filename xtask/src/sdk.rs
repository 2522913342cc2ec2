//! The Claude Agent SDK for Python, as it is published, drives the program.
//!
//! What it needs goes into `target/python`, once; after that no network is used.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ordinary::Who;
use crate::run::{Done, root, run, target};

/// Runs the tests of `crates/cli/tests/sdk` with the debug binary.
pub(crate) fn drive(who: &Who) -> Done {
    let tests = root().join("crates/cli/tests/sdk");
    let python = environment(who, &target().join("python"), &tests.join("requirements.txt"))?;
    run(who.command(python).arg(tests.join("run.py")).arg(target().join("debug/forelook")))
}

/// A Python with exactly what is pinned, made anew when the pins change or when `who` cannot start it. Returns its
/// interpreter.
pub(crate) fn environment(who: &Who, folder: &Path, requirements: &Path) -> Done<PathBuf> {
    let python = folder.join("bin/python");
    let pins = std::fs::read_to_string(requirements)
        .map_err(|error| format!("Cannot read `{}`: {error}", requirements.display()))?;
    // Written last, so that an environment that was not finished is not taken for one.
    let stamp = folder.join("installed.txt");
    if is_made_for(&stamp, &pins) && starts(who, &python) {
        return Ok(python);
    }
    println!("making an environment for Python");
    run(who.maker("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(&python).args(install).arg(requirements))
        .map_err(|error| format!("{error}\nWhat it needs comes from PyPI: is there a network?"))?;
    std::fs::write(&stamp, pins).map_err(|error| format!("Cannot write `{}`: {error}", stamp.display()))?;
    Ok(python)
}

/// An environment leads to the Python that made it, which may be gone, or be of somebody else.
fn starts(who: &Who, python: &Path) -> bool {
    python.exists() && who.command(python).arg("--version").output().is_ok_and(|it| it.status.success())
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
