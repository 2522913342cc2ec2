//! What is added to the output of a command that failed because of a fence: what confines it, and for the model alone
//! what to do instead ([`FenceHint`]).
//!
//! Only where the output shows it. What succeeded with what it normally writes has no note, except for what shows
//! processes or sockets: that succeeds with too little.

use forelook_protocol::{Confinement, FenceHint};

use crate::masked_paths::{MaskReason, MaskedName};

/// Who reads a note: what to do instead depends on it, and nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteAudience {
    /// The main agent, while planning.
    Planner,
    /// A subagent, while planning.
    PlanningAgent,
    /// An agent in a mode in which commands may change things, of a command that ran read-only because its text was judged
    /// to only read, so that nobody was asked.
    JudgedReadOnly,
    /// An agent that only reads, whatever the mode; or any agent of a command that did not run read-only.
    Other,
}

/// A command that ran in a fence, and what came of it.
#[derive(Debug)]
pub(crate) struct CommandOutcome<'a> {
    pub(crate) sandbox: Confinement,
    pub(crate) note_audience: NoteAudience,
    pub(crate) command: &'a str,
    pub(crate) output: &'a str,
    pub(crate) failed: bool,
    /// Whether changes can be rehearsed on this machine.
    pub(crate) can_rehearse: bool,
    /// Hosts that it was not let through to.
    pub(crate) refused: &'a [String],
    /// Something that the command names, and that shows nothing inside.
    pub(crate) masked: Option<&'a MaskedName>,
    /// Whether it shows processes, sockets or services.
    pub(crate) shows_machine: bool,
}

/// What came in the way of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// A change, for certain.
    Change,
    /// A change perhaps: permissions may have refused it as well.
    MaybeChange,
    Network,
    /// A file of somebody else, which a layer cannot take.
    ForeignFile,
}

/// What programs write, in lower case.
const OUTPUT_PATTERNS: &[(&str, Obstacle)] = &[
    ("value too large for defined data type", Obstacle::ForeignFile),
    ("eoverflow", Obstacle::ForeignFile),
    ("os error 75", Obstacle::ForeignFile),
    ("read-only file system", Obstacle::Change),
    ("erofs", Obstacle::Change),
    ("os error 30", Obstacle::Change),
    ("could not resolve host", Obstacle::Network),
    ("temporary failure in name resolution", Obstacle::Network),
    ("name or service not known", Obstacle::Network),
    ("nodename nor servname provided", Obstacle::Network),
    ("no address associated with hostname", Obstacle::Network),
    ("network is unreachable", Obstacle::Network),
    ("unknown host", Obstacle::Network),
    ("failed to lookup address", Obstacle::Network),
    ("dns error", Obstacle::Network),
    ("unable to resolve", Obstacle::Network),
    ("failed to resolve", Obstacle::Network),
    ("eai_again", Obstacle::Network),
    ("enotfound", Obstacle::Network),
    ("enetunreach", Obstacle::Network),
    ("enotcached", Obstacle::Network),
    ("--offline was specified", Obstacle::Network),
    ("offline mode", Obstacle::Network),
    ("disabled by goproxy=off", Obstacle::Network),
    ("permission denied", Obstacle::MaybeChange),
    ("operation not permitted", Obstacle::MaybeChange),
    ("eacces", Obstacle::MaybeChange),
    ("eperm", Obstacle::MaybeChange),
];

/// How a line ends that tells of a change that was not made, also where the command went on and succeeded.
const REFUSED: &str = ": Read-only file system";

/// What is said of a command that shows processes or sockets.
const OWN_PROCESSES: &str = "In the fence, a command sees only its own processes and sockets, and no services: this says \
     nothing about what else runs on the machine";

/// What is to be said of it.
pub(crate) fn note(outcome: &CommandOutcome<'_>) -> Vec<String> {
    if outcome.sandbox.is_off() {
        return Vec::new();
    }
    // What wrote something found what it looked for, or said so itself.
    let came_to_nothing = outcome.failed || outcome.output.trim().is_empty();
    let masked = outcome.masked.filter(|_| came_to_nothing).map(|it| masked(outcome, it));
    let obstacle = match outcome.refused {
        [] => obstacle(outcome).and_then(|obstacle| describe(outcome, obstacle)),
        // An `Obstacle::Network` for certain, and more can be said.
        refused => Some(domains(refused)),
    };
    let own_processes =
        (outcome.shows_machine && !outcome.sandbox.is_unconfined()).then(|| OWN_PROCESSES.to_owned());
    masked.into_iter().chain(obstacle).chain(own_processes).map(|text| format!("[{text}]")).collect()
}

fn obstacle(outcome: &CommandOutcome<'_>) -> Option<Obstacle> {
    if !outcome.failed {
        let told = outcome.output.lines().any(|line| line.ends_with(REFUSED));
        // Whoever looks for the text finds it.
        return (told && !outcome.command.contains("ead-only")).then_some(Obstacle::Change);
    }
    let output = outcome.output.to_lowercase();
    OUTPUT_PATTERNS.iter().find(|(text, _)| output.contains(text)).map(|(_, obstacle)| *obstacle)
}

fn describe(outcome: &CommandOutcome<'_>, obstacle: Obstacle) -> Option<String> {
    use Confinement::{Inspect, InspectSecrets, Masked, Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};
    let maybe = if obstacle == Obstacle::MaybeChange { "If it tried to change something: " } else { "" };
    let text = match (outcome.sandbox, obstacle) {
        (Off | Masked, _) | (ReadOnlyOnline, Obstacle::Network) => return None,
        (
            ReadOnly | ReadOnlyOnline | Inspect | InspectSecrets,
            Obstacle::Change | Obstacle::MaybeChange | Obstacle::ForeignFile,
        ) => {
            format!("{maybe}{}", read_only(outcome))
        }
        (ReadOnly | Inspect | InspectSecrets, Obstacle::Network) => offline(outcome),
        (Rehearsal, Obstacle::Change | Obstacle::MaybeChange) => format!(
            "{maybe}a rehearsal can change only the working directories, and only on an overlay; elsewhere, only \
             `$TMPDIR` is writable"
        ),
        (Rehearsal, Obstacle::Network) => {
            let hint = match outcome.note_audience {
                NoteAudience::Planner => FenceHint::LocalOrPlan,
                NoteAudience::PlanningAgent | NoteAudience::JudgedReadOnly | NoteAudience::Other => {
                    FenceHint::LocalOrReport
                }
            };
            hint.after("A rehearsal has no network except its own loopback")
        }
        (Rehearsal, Obstacle::ForeignFile) => FenceHint::ReplaceFile
            .after("A file that belongs to another user cannot be changed in a rehearsal"),
        (Workspace, Obstacle::Change | Obstacle::MaybeChange | Obstacle::ForeignFile) => format!(
            "{maybe}only the working directories are writable here, except for files that control what runs later \
             (such as `.git`). Two settings allow more: `sandbox.writable` (writable directories) and `sandbox.outside` \
             (commands that run outside the fence after approval)"
        ),
        (Workspace, Obstacle::Network) => {
            "Only the domains in `sandbox.network` can be reached here; commands in `sandbox.outside` run outside the \
             fence after approval"
                .to_owned()
        }
    };
    Some(forelook_protocol::capitalize(&text))
}

fn read_only(outcome: &CommandOutcome<'_>) -> String {
    let hint = match (outcome.note_audience, outcome.can_rehearse) {
        (NoteAudience::Other, _) => {
            return FenceHint::Report
                .after("read-only: this agent cannot change anything, and neither can any command it runs");
        }
        (NoteAudience::JudgedReadOnly, _) => {
            return FenceHint::StateTheChange.after(
                "this command ran read-only: its text was judged to only read, so it ran without asking the user",
            );
        }
        (NoteAudience::Planner, true) => FenceHint::RehearseOrPlan,
        (NoteAudience::Planner, false) => FenceHint::Plan,
        (NoteAudience::PlanningAgent, true) => FenceHint::RehearseOrReport,
        (NoteAudience::PlanningAgent, false) => FenceHint::Report,
    };
    hint.after("read-only while planning: no command can change anything now")
}

fn offline(outcome: &CommandOutcome<'_>) -> String {
    match outcome.note_audience {
        NoteAudience::Planner => FenceHint::FetchOrPlan
            .after("No network while planning, except for read-only commands in `plan.networkCommands`"),
        NoteAudience::PlanningAgent => FenceHint::FetchOrReport.after("No network while planning"),
        NoteAudience::JudgedReadOnly => FenceHint::FetchOrAsk.after(
            "No network: the text of this command was judged to only read, so it ran without asking the user",
        ),
        NoteAudience::Other => FenceHint::FetchOrReport.after("No network: this agent is read-only"),
    }
}

fn masked(outcome: &CommandOutcome<'_>, masked: &MaskedName) -> String {
    let name = &masked.name;
    match (masked.reason, outcome.note_audience) {
        (MaskReason::Denied, _) => {
            format!("A rule denies reading `{name}`, so commands cannot see what it contains")
        }
        (MaskReason::Secret, NoteAudience::JudgedReadOnly) => FenceHint::ReadAsks.after(&format!(
            "`{name}` contains secrets: to a command that runs without asking the user it looks empty, whatever it \
             really contains"
        )),
        (MaskReason::Secret, NoteAudience::Planner | NoteAudience::PlanningAgent) => {
            secret_note(name, "while planning")
        }
        (MaskReason::Secret, NoteAudience::Other) if outcome.sandbox == Confinement::Workspace => format!(
            "{}. `sandbox.outside` lists commands that run outside the fence after approval",
            secret_note(name, "here")
        ),
        (MaskReason::Secret, NoteAudience::Other) => secret_note(name, "here"),
    }
}

fn secret_note(name: &str, place: &str) -> String {
    format!("`{name}` contains secrets: {place}, commands cannot see what it contains")
}

fn domains(refused: &[String]) -> String {
    let names: Vec<_> = refused.iter().map(|host| format!("`{host}`")).collect();
    FenceHint::AllowHost
        .after(&format!("Blocked because `sandbox.network` does not list it: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Confinement::{Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};

    fn outcome<'a>(sandbox: Confinement, output: &'a str) -> CommandOutcome<'a> {
        CommandOutcome {
            sandbox,
            note_audience: NoteAudience::Planner,
            command: "./run",
            output,
            failed: true,
            can_rehearse: true,
            refused: &[],
            masked: None,
            shows_machine: false,
        }
    }

    #[test]
    fn what_shows_processes_shows_too_few_inside() {
        for (sandbox, noted) in [(ReadOnly, true), (Rehearsal, true), (Workspace, true), (Off, false)] {
            let outcome =
                CommandOutcome { shows_machine: true, failed: false, ..outcome(sandbox, "PID TTY") };
            let notes = note(&outcome).concat();
            assert_eq!(notes.contains("only its own processes"), noted, "{sandbox:?}: {notes}");
        }
    }

    #[test]
    fn what_failed_at_a_fence_says_so() {
        let touch = "touch: cannot touch 'a': Read-only file system";
        for (sandbox, output, begins) in [
            (ReadOnly, touch, Some("[Read-only while planning: no command")),
            (ReadOnlyOnline, touch, Some("[Read-only while planning: no command")),
            (ReadOnly, "OSError: [Errno 30] Read-only file system: 'a'", Some("[Read-only while planning")),
            (ReadOnly, "chmod: Operation not permitted", Some("[If it tried to change something: read-only")),
            (ReadOnly, "bash: a: Permission denied", Some("[If it tried to change something: read-only")),
            (ReadOnly, "curl: (6) Could not resolve host: x", Some("[No network while planning")),
            (ReadOnlyOnline, "curl: (6) Could not resolve host: x", None),
            (ReadOnly, "error: test failed", None),
            (Rehearsal, touch, Some("[A rehearsal can change only the working")),
            (Rehearsal, "cp: Value too large for defined data type", Some("[A file that belongs to another")),
            (Rehearsal, "npm error code ENOTFOUND", Some("[A rehearsal has no network")),
            (Workspace, touch, Some("[Only the working directories are writable")),
            (Workspace, "Network is unreachable", Some("[Only the domains in")),
            (Off, touch, None),
        ] {
            let said = note(&outcome(sandbox, output));
            assert_eq!(said.len(), usize::from(begins.is_some()), "{sandbox:?} {output}: {said:?}");
            assert!(
                said.iter().all(|text| text.starts_with(begins.unwrap_or_default())),
                "{output}: {said:?}"
            );
        }
    }

    #[test]
    fn what_succeeded_says_nothing_unless_it_tells_of_a_change_itself() {
        let touch = "touch: cannot touch 'a': Read-only file system\ndone";
        for (command, output, expected) in [
            ("touch a; echo done", touch, 1),
            ("grep -rn 'Read-only file system'", "docs/x: Read-only file system", 0),
            ("./run", "Permission denied is what it prints", 0),
            ("./run", "could not resolve host: cached copy used", 0),
        ] {
            let said = note(&CommandOutcome { command, failed: false, ..outcome(ReadOnly, output) });
            assert_eq!(said.len(), expected, "{command}: {said:?}");
        }
    }

    #[test]
    fn who_reads_it_decides_what_to_do_instead() {
        for (note_audience, can_rehearse, has, lacks) in [
            (
                NoteAudience::Planner,
                true,
                "`rehearse: true`; to have it done, put it into the plan",
                "your answer",
            ),
            (NoteAudience::Planner, false, "To have it done, put it into the plan", "rehearse"),
            (NoteAudience::PlanningAgent, true, "say in your answer", "into the plan"),
            (NoteAudience::PlanningAgent, false, "Say in your answer", "rehearse"),
            (NoteAudience::Other, true, "this agent", "planning"),
            (NoteAudience::JudgedReadOnly, true, "send a command whose text shows it", "this agent"),
        ] {
            let base = outcome(ReadOnly, "a: Read-only file system");
            let said = note(&CommandOutcome { note_audience, can_rehearse, ..base }).concat();
            assert!(said.contains(has) && !said.contains(lacks), "{said}");
        }
    }

    #[test]
    fn refused_hosts_and_masked_files_are_named() {
        let refused = ["a.example".to_owned(), "b.example:8080".to_owned()];
        let base = outcome(Workspace, "curl: (56) CONNECT tunnel failed, response 403");
        let said = note(&CommandOutcome { refused: &refused, ..base }).concat();
        assert!(said.contains("`sandbox.network` does not list it: `a.example`, `b.example:8080`"), "{said}");
        let secret = MaskedName { name: ".env".into(), reason: MaskReason::Secret };
        let base = CommandOutcome { failed: false, masked: Some(&secret), ..outcome(ReadOnly, "") };
        let said = note(&base).concat();
        assert!(said.starts_with("[`.env` contains secrets") && said.contains("while planning"), "{said}");
        assert_eq!(note(&CommandOutcome { output: "found\n", ..base }), Vec::<String>::new());
    }

    #[test]
    fn a_masked_file_is_read_by_asking_unless_a_rule_denies_it() {
        use NoteAudience::{JudgedReadOnly, Other, Planner};
        let named = |reason| MaskedName { name: "key".into(), reason };
        let (secret, denied) = (named(MaskReason::Secret), named(MaskReason::Denied));
        for (sandbox, note_audience, masked, begins, ends) in [
            (
                ReadOnly,
                JudgedReadOnly,
                &secret,
                "[`key` contains secrets",
                "the Read tool, which asks the user]",
            ),
            (ReadOnly, JudgedReadOnly, &denied, "[A rule denies reading `key`", "contains]"),
            (ReadOnly, Planner, &denied, "[A rule denies reading `key`", "contains]"),
            (Confinement::Masked, Other, &denied, "[A rule denies reading `key`", "contains]"),
        ] {
            let base = outcome(sandbox, "cat: key: Permission denied");
            let said = note(&CommandOutcome { note_audience, masked: Some(masked), ..base });
            assert!(said[0].starts_with(begins) && said[0].ends_with(ends), "{sandbox:?}: {said:?}");
            assert_eq!(said.len(), if sandbox == ReadOnly { 2 } else { 1 }, "{said:?}");
        }
    }

    #[test]
    fn a_command_that_was_judged_to_read_is_told_how_to_do_more() {
        let note_audience = NoteAudience::JudgedReadOnly;
        for (output, begins) in [
            ("touch: cannot touch 'a': Read-only file system", "[This command ran read-only: its text"),
            ("bash: a: Permission denied", "[If it tried to change something: this command ran read-only"),
            ("Could not resolve host: x", "[No network: the text of this command was judged"),
        ] {
            let said = note(&CommandOutcome { note_audience, ..outcome(ReadOnly, output) }).concat();
            assert!(said.starts_with(begins) && said.ends_with("the user is then asked]"), "{said}");
            assert!(!said.contains("planning") && !said.contains("this agent"), "{said}");
        }
    }
}
