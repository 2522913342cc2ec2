//! What the model reads when something failed because of a fence: what holds it, and what to do instead.
//!
//! Only where the output shows it. What succeeded with what it normally writes has no note.

use forelook_protocol::Confinement;

/// Who reads a note: what to do instead depends on it, and nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteFor {
    /// The main agent, while planning.
    Planner,
    /// A subagent, while planning.
    PlanningAgent,
    /// An agent that only reads, whatever the mode; or the main agent in another mode.
    Other,
}

/// A command that ran in a fence, and what came of it.
#[derive(Debug)]
pub(crate) struct Outcome<'a> {
    pub(crate) within: Confinement,
    pub(crate) note_for: NoteFor,
    pub(crate) command: &'a str,
    pub(crate) output: &'a str,
    pub(crate) failed: bool,
    /// Whether changes can be rehearsed on this machine.
    pub(crate) can_rehearse: bool,
    /// Hosts that it was not let through to.
    pub(crate) refused: &'a [String],
    /// Something that the command names, and that shows nothing inside.
    pub(crate) masked: Option<&'a str>,
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
    Stranger,
}

/// What programs write, in lower case.
const WRITTEN: &[(&str, Obstacle)] = &[
    ("value too large for defined data type", Obstacle::Stranger),
    ("eoverflow", Obstacle::Stranger),
    ("os error 75", Obstacle::Stranger),
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

/// What is to be said of it.
pub(crate) fn note(outcome: &Outcome<'_>) -> Vec<String> {
    if outcome.within.is_off() {
        return Vec::new();
    }
    // What wrote something found what it looked for, or said so itself.
    let came_to_nothing = outcome.failed || outcome.output.trim().is_empty();
    let masked = outcome.masked.filter(|_| came_to_nothing).map(|path| masked(outcome, path));
    let obstacle = match outcome.refused {
        [] => obstacle(outcome).and_then(|obstacle| words(outcome, obstacle)),
        // An `Obstacle::Network` for certain, and more can be said.
        refused => Some(domains(refused)),
    };
    masked.into_iter().chain(obstacle).map(|text| format!("[{text}]")).collect()
}

fn obstacle(outcome: &Outcome<'_>) -> Option<Obstacle> {
    if !outcome.failed {
        let told = outcome.output.lines().any(|line| line.ends_with(REFUSED));
        // Whoever looks for the text finds it.
        return (told && !outcome.command.contains("ead-only")).then_some(Obstacle::Change);
    }
    let output = outcome.output.to_lowercase();
    WRITTEN.iter().find(|(text, _)| output.contains(text)).map(|(_, obstacle)| *obstacle)
}

fn words(outcome: &Outcome<'_>, obstacle: Obstacle) -> Option<String> {
    use Confinement::{Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};
    let maybe = if obstacle == Obstacle::MaybeChange { "If it wanted to change something: " } else { "" };
    let text = match (outcome.within, obstacle) {
        (Off, _) | (ReadOnlyOnline, Obstacle::Network) => return None,
        (ReadOnly | ReadOnlyOnline, Obstacle::Change | Obstacle::MaybeChange | Obstacle::Stranger) => {
            format!("{maybe}{}", read_only(outcome))
        }
        (ReadOnly, Obstacle::Network) => offline(outcome),
        (Rehearsal, Obstacle::Change | Obstacle::MaybeChange) => format!(
            "{maybe}a rehearsal changes the working folders alone, and those only on a layer over them; elsewhere only `$TMPDIR` \
             can be written to"
        ),
        (Rehearsal, Obstacle::Network) => {
            "A rehearsal has no network but a loopback of its own: use what is on this machine already, or put the step into the plan".to_owned()
        }
        (Rehearsal, Obstacle::Stranger) => "A file that belongs to another user cannot be changed in a rehearsal: the layer \
                                            cannot take it. Copy it under another name and move the copy over it"
            .to_owned(),
        (Workspace, Obstacle::Change | Obstacle::MaybeChange | Obstacle::Stranger) => format!(
            "{maybe}only the working folders can be written to here, and in them nothing that decides what runs later (such as \
             `.git`). `sandbox.writable` names more folders, `sandbox.outside` commands that run outside after a \
             question: the person can set them"
        ),
        (Workspace, Obstacle::Network) => {
            "There is no network here but to the domains in `sandbox.network`. `sandbox.outside` names commands that run \
             outside after a question: the person can set both"
                .to_owned()
        }
    };
    Some(forelook_protocol::capital(&text))
}

fn read_only(outcome: &Outcome<'_>) -> String {
    let instead = match (outcome.note_for, outcome.can_rehearse) {
        (NoteFor::Other, _) => {
            return "read-only: this agent only looks, and nothing that it runs can change anything. Say in your answer what \
                    should be done"
                .to_owned();
        }
        (NoteFor::Planner, true) => {
            "To see what it would do send it with `rehearse: true`; to have it done put it into the plan"
        }
        (NoteFor::Planner, false) => "To have it done put it into the plan",
        (NoteFor::PlanningAgent, true) => {
            "To see what it would do send it with `rehearse: true`; say in your answer what should be done"
        }
        (NoteFor::PlanningAgent, false) => "Say in your answer what should be done",
    };
    format!("read-only while planning: nothing that runs now can change anything. {instead}")
}

fn offline(outcome: &Outcome<'_>) -> String {
    match outcome.note_for {
        NoteFor::Planner => "No network while planning: read pages with WebFetch, or put the step into the plan. The person can \
                           name commands that only read from it in `plan.networkCommands`"
            .to_owned(),
        NoteFor::PlanningAgent => {
            "No network while planning: read pages with WebFetch, or say in your answer what is missing".to_owned()
        }
        NoteFor::Other => "No network: this agent only looks. Read pages with WebFetch, or say in your answer what is missing"
            .to_owned(),
    }
}

fn masked(outcome: &Outcome<'_>, path: &str) -> String {
    let while_ = match outcome.note_for {
        NoteFor::Other => "here",
        NoteFor::Planner | NoteFor::PlanningAgent => "while planning",
    };
    format!(
        "`{path}` holds secrets, or a rule forbids reading it: {while_} it shows nothing to commands, whatever is really in it"
    )
}

fn domains(refused: &[String]) -> String {
    let names: Vec<_> = refused.iter().map(|host| format!("`{host}`")).collect();
    format!(
        "Not reached, since `sandbox.network` does not name it: {}. The person can add it",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use Confinement::{Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};

    fn outcome<'a>(within: Confinement, output: &'a str) -> Outcome<'a> {
        Outcome {
            within,
            note_for: NoteFor::Planner,
            command: "./run",
            output,
            failed: true,
            can_rehearse: true,
            refused: &[],
            masked: None,
        }
    }

    #[test]
    fn what_failed_at_a_fence_says_so() {
        let touch = "touch: cannot touch 'a': Read-only file system";
        for (within, output, begins) in [
            (ReadOnly, touch, Some("[Read-only while planning: nothing")),
            (ReadOnlyOnline, touch, Some("[Read-only while planning: nothing")),
            (ReadOnly, "OSError: [Errno 30] Read-only file system: 'a'", Some("[Read-only while planning")),
            (
                ReadOnly,
                "chmod: Operation not permitted",
                Some("[If it wanted to change something: read-only"),
            ),
            (ReadOnly, "bash: a: Permission denied", Some("[If it wanted to change something: read-only")),
            (ReadOnly, "curl: (6) Could not resolve host: x", Some("[No network while planning")),
            (ReadOnlyOnline, "curl: (6) Could not resolve host: x", None),
            (ReadOnly, "error: test failed", None),
            (Rehearsal, touch, Some("[A rehearsal changes the working folders alone")),
            (Rehearsal, "cp: Value too large for defined data type", Some("[A file that belongs to another")),
            (Rehearsal, "npm error code ENOTFOUND", Some("[A rehearsal has no network")),
            (Workspace, touch, Some("[Only the working folders can be written to")),
            (Workspace, "Network is unreachable", Some("[There is no network here but")),
            (Off, touch, None),
        ] {
            let said = note(&outcome(within, output));
            assert_eq!(said.len(), usize::from(begins.is_some()), "{within:?} {output}: {said:?}");
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
            let said = note(&Outcome { command, failed: false, ..outcome(ReadOnly, output) });
            assert_eq!(said.len(), expected, "{command}: {said:?}");
        }
    }

    #[test]
    fn who_reads_it_decides_what_to_do_instead() {
        for (note_for, can_rehearse, has, lacks) in [
            (NoteFor::Planner, true, "`rehearse: true`; to have it done put it into the plan", "your answer"),
            (NoteFor::Planner, false, "To have it done put it into the plan", "rehearse"),
            (NoteFor::PlanningAgent, true, "say in your answer", "into the plan"),
            (NoteFor::PlanningAgent, false, "Say in your answer", "rehearse"),
            (NoteFor::Other, true, "this agent only looks", "planning"),
        ] {
            let base = outcome(ReadOnly, "a: Read-only file system");
            let said = note(&Outcome { note_for, can_rehearse, ..base }).concat();
            assert!(said.contains(has) && !said.contains(lacks), "{said}");
        }
    }

    #[test]
    fn refused_hosts_and_masked_files_are_named() {
        let refused = ["a.example".to_owned(), "b.example:8080".to_owned()];
        let base = outcome(Workspace, "curl: (56) CONNECT tunnel failed, response 403");
        let said = note(&Outcome { refused: &refused, ..base }).concat();
        assert!(said.contains("`sandbox.network` does not name it: `a.example`, `b.example:8080`"), "{said}");
        let base = Outcome { failed: false, masked: Some(".env"), ..outcome(ReadOnly, "") };
        let said = note(&base).concat();
        assert!(said.starts_with("[`.env` holds secrets") && said.contains("while planning"), "{said}");
        assert_eq!(note(&Outcome { output: "found\n", ..base }), Vec::<String>::new());
    }
}
