//! What the kernel holds, and what runs outside of that, in words.

use forelook_protocol::{Confinement, FenceReport, RunningShell};

use crate::{counted, visible};

/// What is said of commands that began before planning did.
pub const RUNNING_ABOUT: &str =
    "What began before planning is outside of what planning holds: it can still change files.";

/// Where a call would run, as a sentence; nothing where the kernel does not hold it.
pub fn would_run(within: Confinement) -> Option<&'static str> {
    match within {
        Confinement::Off => None,
        Confinement::ReadOnly => Some("It would run read-only: it can change no file, and has no network"),
        Confinement::ReadOnlyOnline => {
            Some("It would run read-only: it can change no file, and has the network")
        }
        Confinement::Workspace => {
            Some("It would run inside the fence: it can change files in the working folders only")
        }
        Confinement::Rehearsal => {
            Some("It would be rehearsed: what it changes goes to a layer over the working folders")
        }
    }
}

/// What still runs from before planning, as the beginning of a question.
pub fn still_running(count: usize) -> String {
    counted(count as u64, "command", "commands")
        + " from before planning still "
        + if count == 1 { "runs" } else { "run" }
}

/// What was kept.
pub fn kept_running(count: usize) -> String {
    counted(count as u64, "command goes on", "commands go on") + ", outside the fence"
}

/// What was not kept.
pub fn stopped_running(count: usize) -> String {
    counted(count as u64, "command from before is", "commands from before are") + " stopped"
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
    let planning = match report.holds {
        true => "the kernel holds it: what runs while planning cannot change files",
        false => "commands are judged by what they say; the kernel does not hold them here",
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
            holds: true,
            layers: vec!["namespaces: in force".into(), "Landlock: \u{1b}[8mABI 7".into()],
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
                "Planning the kernel holds it: what runs while planning cannot change files",
                "Layers   namespaces: in force",
                "         Landlock: ␛[8mABI 7",
                "Outside  shell_1: npm run dev ⏎ ls",
            ]
        );
    }
}
