//! What the kernel confines an action to. It depends on the mode, on the agent, and on what is known about the command.
//!
//! | mode or agent | command | confined to |
//! |---|---|---|
//! | planning, or a read-only agent | a rehearsal | the overlay |
//! | | every part is read-only or declared a read that needs the network, and at least one was declared | read-only, with the network |
//! | | any other | read-only |
//! | `bypassPermissions` | any | nothing |
//! | any other mode, if the fence is enabled | one that may run outside (`sandbox.outside`), or is known to write elsewhere or to the `.git` folder, to change something on another machine, or to need a network that is off; and every other part is read-only | nothing, so it needs approval |
//! | | any other | the working directories |
//!
//! Where the kernel cannot enforce this, the answer is "nothing", and the steps of the decision take that into account.
//! The user's approval changes none of it: approval lets something run, but not somewhere else.

use forelook_protocol::{AbsPath, Action, Confinement, Mode};
use forelook_shell::{LinePart, ShellEffect, Verdict};

use crate::decision_input::DecisionInput;
use crate::line::{ResolvedLine, ResolvedPart, ResolvedTarget};
use crate::plan_gate;
use crate::policy::{PermissionPolicy, WorkspacePolicy};

/// What the kernel confines this to.
pub(crate) fn confinement(input: &DecisionInput<'_>) -> Confinement {
    match input.action {
        Action::Rehearse { .. } => Confinement::Rehearsal,
        Action::Shell { .. } if plan_gate::enforces_read_only(input.policy) => read_only_confinement(input),
        Action::Shell { .. } => workspace_confinement(input),
        _ => Confinement::Off,
    }
}

fn read_only_confinement(input: &DecisionInput<'_>) -> Confinement {
    match (input.policy.kernel.read_only, &input.line) {
        (false, _) => Confinement::Off,
        (true, Some(line)) if needs_declared_network(input, line) => Confinement::ReadOnlyOnline,
        (true, _) => plan_gate::DEFAULT_CONFINEMENT,
    }
}

/// Whether every part is read-only, or a command that the user declared to be a read. A redirection into a file is always
/// a change, whatever the command is.
pub(crate) fn only_declared_reads(input: &DecisionInput<'_>, line: &ResolvedLine) -> bool {
    line.analysis.parsed
        && line.zip_parts().all(|(part, view)| {
            let declared = || input.policy.rules.reads_network(&part.allow_forms);
            view.redirected.is_empty() && (view.command_verdict == Verdict::ReadOnly || declared())
        })
}

fn needs_declared_network(input: &DecisionInput<'_>, line: &ResolvedLine) -> bool {
    only_declared_reads(input, line)
        && line.analysis.parts.iter().any(|part| input.policy.rules.reads_network(&part.allow_forms))
}

fn workspace_confinement(input: &DecisionInput<'_>) -> Confinement {
    match &input.policy.kernel.workspace {
        None => Confinement::Off,
        Some(_) if input.policy.mode_state.mode() == Mode::BypassPermissions => Confinement::Off,
        Some(_) if outside_reason(input).is_some() => Confinement::Off,
        Some(_) => Confinement::Workspace,
    }
}

/// Why a command is known to need more than the working directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutsideReason {
    /// The settings list it.
    Configured,
    /// It needs the network, and there is none inside.
    NeedsNetwork,
    /// It changes something on another machine.
    ChangesRemote,
    /// It writes to the `.git` folder, which is read-only inside: its files control what git runs.
    WritesGitFolder,
    /// It writes elsewhere.
    WritesElsewhere,
}

/// Why a command runs outside, if the workspace policy applies and every part that is not read-only needs to be outside.
/// If only some of them do, the whole command stays inside, and those parts fail there: otherwise the other parts would be
/// unconfined too. What analysis cannot judge stays inside, where it does no harm.
pub(crate) fn outside_reason(input: &DecisionInput<'_>) -> Option<OutsideReason> {
    let workspace = input.policy.kernel.workspace.as_ref()?;
    let shell = matches!(input.action, Action::Shell { .. }) && !plan_gate::enforces_read_only(input.policy);
    let line = input.line.as_ref().filter(|line| shell && line.analysis.parsed)?;
    let mut why = None;
    for (part, view) in line.zip_parts() {
        match part_outside_reason(input.policy, workspace, part, view) {
            Some(outside_reason) => why = why.or(Some(outside_reason)),
            None if view.verdict == Verdict::ReadOnly => {}
            None => return None,
        }
    }
    why
}

fn part_outside_reason(
    policy: &PermissionPolicy,
    workspace: &WorkspacePolicy,
    part: &LinePart,
    view: &ResolvedPart,
) -> Option<OutsideReason> {
    let named = workspace.outside.iter().any(|it| part.allow_forms.iter().any(|form| it.matches(form)));
    let offline = !workspace.online && part.effects.contains(&ShellEffect::Network);
    let git = part.program() == Some("git") && view.command_verdict == Verdict::Changes;
    let mut written = view.writes.iter().chain(&view.redirected).filter_map(ResolvedTarget::file);
    let mut elsewhere = || written.any(|file| file.paths().any(|path| !is_inside(policy, workspace, path)));
    match () {
        () if named => Some(OutsideReason::Configured),
        () if part.effects.contains(&ShellEffect::Send) => Some(OutsideReason::ChangesRemote),
        () if offline => Some(OutsideReason::NeedsNetwork),
        () if git => Some(OutsideReason::WritesGitFolder),
        () if elsewhere() => Some(OutsideReason::WritesElsewhere),
        () => None,
    }
}

/// Folders that are scratch space inside: what is written there is gone after the session.
const SCRATCH: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/dev/null"];

fn is_inside(policy: &PermissionPolicy, workspace: &WorkspacePolicy, path: &AbsPath) -> bool {
    policy.is_working(path)
        || workspace.writable.iter().any(|folder| path.is_inside(folder))
        || SCRATCH.iter().any(|folder| path.as_path().starts_with(folder))
}
