//! What the kernel holds, and what runs outside of that, in words.

use forelook_protocol::{Confinement, FenceReport, RunningShell};

use crate::{counted, visible};

/// What is said of commands that began before planning did.
pub const RUNNING_SHELLS_NOTE: &str =
    "Plan mode does not restrict commands that were already running: they can still change files.";

/// Where a call would run, as a sentence; nothing where the kernel does not hold it.
pub fn sandbox_note(sandbox: Confinement) -> Option<&'static str> {
    match sandbox {
        Confinement::Off => None,
        Confinement::Masked => {
            Some("Runs without a fence, but cannot see files that your rules deny reading")
        }
        Confinement::ReadOnly | Confinement::Inspect => {
            Some("Runs read-only: it cannot change files and has no network")
        }
        Confinement::InspectSecrets => {
            Some("Runs read-only: it can read secrets, but cannot change files and has no network")
        }
        Confinement::ReadOnlyOnline => Some("Runs read-only: it cannot change files but has network access"),
        Confinement::Workspace => {
            Some("Runs inside the fence: it can change files only in the working directories")
        }
        Confinement::Rehearsal => {
            Some("Runs as a rehearsal: its changes go to an overlay, not to your files")
        }
    }
}

/// What still runs from before planning, as the beginning of a question.
pub fn still_running(count: usize) -> String {
    counted(count as u64, "command", "commands")
        + " started before planning "
        + if count == 1 { "is" } else { "are" }
        + " still running"
}

/// What was kept.
pub fn kept_running(count: usize) -> String {
    counted(count as u64, "command keeps running", "commands keep running") + ", outside the fence"
}

/// What was not kept.
pub fn stopped_running(count: usize) -> String {
    counted(count as u64, "earlier command", "earlier commands") + " stopped"
}

/// A command that runs, in a line.
pub fn running_shell(shell: &RunningShell) -> String {
    let command = visible(&shell.command).replace('\n', " ⏎ ");
    match &shell.id {
        Some(id) => format!("{}: {command}", visible(id)),
        None => command,
    }
}

/// What holds here: a name and words each; a name that is empty goes on with the one before.
pub fn fence_lines(report: &FenceReport, outside: &[RunningShell]) -> Vec<(&'static str, String)> {
    let planning = match report.enforced {
        true => "enforced by the kernel: commands cannot change files while planning",
        false => "not enforced by the kernel here: Forelook checks each command before it runs",
    };
    let outside = outside.iter().map(running_shell).collect::<Vec<_>>();
    let visible = |lines: &[String]| lines.iter().map(|line| visible(line).into_owned()).collect::<Vec<_>>();
    let parts = [
        ("Planning", vec![planning.to_owned()]),
        ("Layers", visible(&report.layers)),
        ("Fences", visible(&report.policies)),
        ("Outside", outside),
    ];
    let named = |(name, lines): (&'static str, Vec<String>)| {
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        names.zip(lines).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_in_lines() {
        let report = FenceReport {
            enforced: true,
            layers: vec!["namespaces: active".into(), "Landlock: \u{1b}[8mABI 7".into()],
            policies: Vec::new(),
        };
        let shell = RunningShell { id: Some("shell_1".into()), command: "npm run dev\nls".into() };
        let lines: Vec<String> = fence_lines(&report, &[shell])
            .into_iter()
            .map(|(name, words)| format!("{name:<8} {words}"))
            .collect();
        assert_eq!(
            lines,
            [
                "Planning enforced by the kernel: commands cannot change files while planning",
                "Layers   namespaces: active",
                "         Landlock: ␛[8mABI 7",
                "Outside  shell_1: npm run dev ⏎ ls",
            ]
        );
    }
}
