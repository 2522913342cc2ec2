//! The programs that `cargo test` has built, to run some of them again as they are.
//!
//! `cargo test -p` would build them anew: what features a dependency has depends on which packages are built together.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{XtaskResult, cargo, output};

/// One program with tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TestProgram {
    /// The folder of its package, where it is run.
    folder: PathBuf,
    /// The name of the target: a file in `tests`, or the library.
    target: String,
    file: PathBuf,
}

impl TestProgram {
    /// All of the workspace.
    pub(crate) fn all() -> XtaskResult<Vec<Self>> {
        let arguments = ["test", "--workspace", "--no-run", "-q", "--message-format", "json"];
        Ok(output(&mut cargo(&arguments))?.lines().filter_map(Self::reported).collect())
    }

    /// Those of a package, or the one target of it that is named. That there is none is a mistake in the list.
    pub(crate) fn chosen<'a>(
        all: &'a [Self],
        package: &str,
        target: Option<&str>,
    ) -> XtaskResult<Vec<&'a Self>> {
        let folder = package.strip_prefix("forelook-").unwrap_or(package);
        let is_it =
            |it: &&Self| it.folder.ends_with(folder) && target.is_none_or(|target| it.target == target);
        let chosen: Vec<&Self> = all.iter().filter(is_it).collect();
        match chosen.is_empty() {
            true => Err(format!("`{package}` has no test program named {}", target.unwrap_or("anything"))),
            false => Ok(chosen),
        }
    }

    /// Runs it, or those of its tests that have this in their names.
    pub(crate) fn command(&self, filter: Option<&str>) -> Command {
        let mut command = Command::new(&self.file);
        command.args(filter).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }

    /// Reads a line that cargo printed; nothing if it is about something else.
    fn reported(line: &str) -> Option<Self> {
        let report: Value = serde_json::from_str(line).ok()?;
        let is_test = report["reason"] == "compiler-artifact" && report["profile"]["test"] == true;
        let manifest = Path::new(report["manifest_path"].as_str()?);
        is_test.then_some(Self {
            folder: manifest.parent()?.to_owned(),
            target: report["target"]["name"].as_str()?.to_owned(),
            file: PathBuf::from(report["executable"].as_str()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(test: bool, target: &str) -> String {
        json!({
            "reason": "compiler-artifact", "manifest_path": "/src/crates/disk/Cargo.toml",
            "target": {"name": target}, "profile": {"test": test}, "executable": format!("/out/{target}-1")
        })
        .to_string()
    }

    #[test]
    fn programs_are_found_by_package_and_name() {
        let lines = [report(true, "forelook_disk"), report(false, "tool"), report(true, "locks")];
        let all: Vec<_> = lines.iter().filter_map(|line| TestProgram::reported(line)).collect();
        let names = |target| -> XtaskResult<Vec<&str>> {
            let chosen = TestProgram::chosen(&all, "forelook-disk", target)?;
            Ok(chosen.iter().map(|it| it.target.as_str()).collect())
        };
        assert_eq!(names(None), Ok(vec!["forelook_disk", "locks"]));
        assert_eq!(names(Some("locks")), Ok(vec!["locks"]));
        // A list that names what no longer exists fails, and does not pass without running anything.
        assert!(names(Some("gone")).is_err());
        assert!(TestProgram::chosen(&all, "forelook-plan", None).is_err());
    }
}
