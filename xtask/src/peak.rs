//! The greatest memory a program needed.
//!
//! The kernel keeps one maximum for all children that a process ever had, and this tool had cargo as
//! a child. So the measurement runs in a fresh process: this tool again, with a chore of its own.
//! (Watching `/proc/<pid>/status` from outside would miss the end; starting it from Python would
//! count Python, because a child inherits the maximum of the process it was split from.)

use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

use crate::run::{XtaskResult, output};

/// The hidden chore that measures.
pub(crate) const CHORE: &str = "report-peak-memory";

/// Runs a program and prints the most memory it had, in KiB.
pub(crate) fn report(program: &str, arguments: &[&str]) -> XtaskResult {
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("Cannot start `{program}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{program}` failed ({status})"));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|error| format!("Cannot get resource usage from the kernel: {error}"))?;
    println!("{}", usage.max_rss());
    Ok(())
}

/// The most memory that a program had, in KiB; `prepare` sets its environment and folder.
pub(crate) fn peak_of(
    program: &Path,
    arguments: &[&str],
    prepare: impl Fn(&mut Command),
) -> XtaskResult<u64> {
    let this = std::env::current_exe().map_err(|error| format!("This tool cannot find itself: {error}"))?;
    let mut command = Command::new(this);
    command.arg(CHORE).arg(program).args(arguments);
    prepare(&mut command);
    let text = output(&mut command)?;
    text.trim().parse().map_err(|_| format!("`{}` is not a number of KiB", text.trim()))
}
