//! Running other programs, and where the repository is.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A chore's end: nothing, or a sentence for the developer.
pub(crate) type XtaskResult<T = ()> = Result<T, String>;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds, and where what is made and can be made again belongs.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// `cargo`, the same that started this tool.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // What cargo told this tool about itself. Build scripts look at some of it: with it, what a developer has built by hand
    // would be built again, and then once more by hand.
    for (name, _) in std::env::vars_os() {
        let about_us = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        if name.to_str().is_some_and(about_us) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command with its output on the screen.
pub(crate) fn run(command: &mut Command) -> XtaskResult {
    let status = command.status().map_err(|error| format!("Cannot start {}: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", shown(command))) }
}

/// Runs a command and gives what it printed.
pub(crate) fn output(command: &mut Command) -> XtaskResult<String> {
    let output = command.output().map_err(|error| format!("Cannot start {}: {error}", shown(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} failed ({})\n{}", shown(command), output.status, said.trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{} printed invalid UTF-8", shown(command)))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words: Vec<_> =
        std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}
