//! What the kernel holds an action to: from the mode, from who asks, and from what a line is known to do.
//!
//! | who and when | line | held to |
//! |---|---|---|
//! | planning, or an agent that only reads | a rehearsal | the layer |
//! | | every part reads, or was declared a read that needs the network, and one was | read-only, with the network |
//! | | any other | read-only |
//! | `bypassPermissions` | any | nothing |
//! | any other mode, where the person enabled it | one that may run outside (`sandbox.outside`), that is known to write elsewhere or to git's own folder, to change something on another machine, or to need a network that is off; and nothing else beside it | nothing: so it is asked for |
//! | | any other | the working folders |
//!
//! Where the kernel cannot hold it the answer is "nothing", and the steps of the decision know that. A person's yes changes
//! none of this: it lets something run, and not run elsewhere.

use forelook_protocol::{AbsPath, Action, Confinement, Mode};
use forelook_shell::{Effect, Part, Verdict};

use crate::case::Case;
use crate::line::{Line, PartView, Where};
use crate::plan_gate;
use crate::policy::{Policy, Workspace};

/// What the kernel holds this to.
pub(crate) fn confinement(case: &Case<'_>) -> Confinement {
    match case.action {
        Action::Rehearse { .. } => Confinement::Rehearsal,
        Action::Shell { .. } if plan_gate::only_looks(case.policy) => looking(case),
        Action::Shell { .. } => working(case),
        _ => Confinement::Off,
    }
}

fn looking(case: &Case<'_>) -> Confinement {
    match (case.policy.kernel.read_only, &case.line) {
        (false, _) => Confinement::Off,
        (true, Some(line)) if needs_declared_network(case, line) => Confinement::ReadOnlyOnline,
        (true, _) => plan_gate::HELD_TO,
    }
}

/// Whether every part only reads, or is a command that the person declared to be a read. What a redirection writes is
/// a change whatever the command is, and makes the verdict of the line another one.
pub(crate) fn only_declared_reads(case: &Case<'_>, line: &Line) -> bool {
    line.analysis.parsed
        && line.both().all(|(part, view)| {
            let declared = || case.policy.rules.reads_network(&part.allow_forms);
            view.redirected.is_empty() && (view.command_verdict == Verdict::ReadOnly || declared())
        })
}

fn needs_declared_network(case: &Case<'_>, line: &Line) -> bool {
    only_declared_reads(case, line)
        && line.analysis.parts.iter().any(|part| case.policy.rules.reads_network(&part.allow_forms))
}

fn working(case: &Case<'_>) -> Confinement {
    match &case.policy.kernel.workspace {
        None => Confinement::Off,
        Some(_) if case.policy.standing.mode() == Mode::BypassPermissions => Confinement::Off,
        Some(_) if leaving(case).is_some() => Confinement::Off,
        Some(_) => Confinement::Workspace,
    }
}

/// Why a line is known to want more than the working folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The person said that it runs outside.
    Named,
    /// It needs the network, and there is none inside.
    Offline,
    /// It changes something on another machine.
    Sends,
    /// It writes to git's own folder, which is not written inside: what lies there decides what git runs.
    Git,
    /// It writes elsewhere.
    Elsewhere,
}

/// Whether the workspace policy holds here and a line leaves it: all of it that does more than read. If only a part of it
/// does, the line stays inside, and that part fails there: else what stands beside it would be free too. What nobody can
/// tell stays inside, where it can do no harm.
pub(crate) fn leaving(case: &Case<'_>) -> Option<Leaving> {
    let workspace = case.policy.kernel.workspace.as_ref()?;
    let shell = matches!(case.action, Action::Shell { .. }) && !plan_gate::only_looks(case.policy);
    let line = case.line.as_ref().filter(|line| shell && line.analysis.parsed)?;
    let mut why = None;
    for (part, view) in line.both() {
        match part_leaves(case.policy, workspace, part, view) {
            Some(leaving) => why = why.or(Some(leaving)),
            None if view.verdict == Verdict::ReadOnly => {}
            None => return None,
        }
    }
    why
}

fn part_leaves(policy: &Policy, workspace: &Workspace, part: &Part, view: &PartView) -> Option<Leaving> {
    let named = workspace.outside.iter().any(|it| part.allow_forms.iter().any(|form| it.matches(form)));
    let offline = !workspace.online && part.effects.contains(&Effect::Network);
    let git = part.program() == Some("git") && view.command_verdict == Verdict::Changes;
    let mut written = view.writes.iter().chain(&view.redirected).filter_map(Where::file);
    let mut elsewhere = || written.any(|file| file.both().any(|path| !is_inside(policy, workspace, path)));
    match () {
        () if named => Some(Leaving::Named),
        () if part.effects.contains(&Effect::Send) => Some(Leaving::Sends),
        () if offline => Some(Leaving::Offline),
        () if git => Some(Leaving::Git),
        () if elsewhere() => Some(Leaving::Elsewhere),
        () => None,
    }
}

/// Folders that are scratch inside: what is written there is gone when the session is.
const SCRATCH: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/dev/null"];

fn is_inside(policy: &Policy, workspace: &Workspace, path: &AbsPath) -> bool {
    policy.is_working(path)
        || workspace.writable.iter().any(|folder| path.is_inside(folder))
        || SCRATCH.iter().any(|folder| path.as_path().starts_with(folder))
}
