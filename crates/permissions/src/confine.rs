//! What the kernel confines an action to. It depends on the mode, on the agent, and on what is known about the command.
//!
//! | mode or agent | command | confined to |
//! |---|---|---|
//! | planning, or a read-only agent | a rehearsal | the overlay |
//! | | every part is read-only or declared a read that needs the network, and at least one was declared | read-only, with the network |
//! | | any other that names a secret, so it needs approval | read-only, with secrets |
//! | | any other | read-only |
//! | `bypassPermissions` | any | nothing |
//! | any other mode | it is read-only and names a secret, so it needs approval | read-only, with secrets |
//! | | it names a secret, or writes a file that a wall stands before, so it needs approval | nothing, or the masks alone |
//! | | it is read-only | read-only, with the machine's temporary folders |
//! | `acceptEdits`, or any other mode if the settings turn the workspace fence on | one that may run outside (`sandbox.outside`), or is known to write elsewhere or to the `.git` folder, to change something on another machine, to show what fences hide, or to need a network that is off; and every other part is read-only | nothing, or the masks alone, so it needs approval |
//! | | any other | the working directories |
//! | any other mode | any other | nothing, or the masks alone |
//!
//! "The masks alone" hide files that a rule denies reading. Where the kernel cannot enforce something, the answer is
//! "nothing", and the steps of the decision take that into account. The user's approval changes none of it: approval lets
//! something run, but not somewhere else.

use forelook_protocol::{AbsPath, Action, Confinement, Fact, Facts, Mode, SandboxSupport};
use forelook_shell::{LinePart, ShellEffect, Verdict};

use crate::decision_input::DecisionInput;
use crate::line::{ResolvedLine, ResolvedPart, ResolvedTarget};
use crate::plan_gate;
use crate::policy::{PermissionPolicy, WorkspacePolicy};
use crate::walls;

/// What the kernel enforces for the programs of an action, as far as it is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KernelEnforcement<'a> {
    /// It can prevent all changes.
    pub(crate) read_only: bool,
    /// It supports overlays for rehearsals.
    pub(crate) rehearsal: bool,
    /// It can hide files from commands that run unconfined otherwise.
    pub(crate) masked: bool,
    /// It confines commands to the working directories.
    pub(crate) workspace: Option<&'a WorkspacePolicy>,
}

impl<'a> KernelEnforcement<'a> {
    /// What holds for this action. `Err` names the missing fact: finding it out takes a moment, so it is asked for only
    /// where programs are started.
    pub(crate) fn new(policy: &'a PermissionPolicy, action: &Action, facts: &Facts) -> Result<Self, Fact> {
        let read_only = plan_gate::enforces_read_only(policy);
        let overlay = match action {
            Action::Rehearse { .. } if read_only => true,
            Action::Shell { .. } if read_only || policy.mode_state.mode() != Mode::BypassPermissions => false,
            _ => return Ok(Self::default()),
        };
        let SandboxSupport { read_only, rehearsal, workspace, masked } =
            facts.sandbox.ok_or(Fact::Sandbox { overlay })?;
        Ok(Self { read_only, rehearsal, masked, workspace: policy.wanted_workspace().filter(|_| workspace) })
    }
}

/// What the next command is probably confined to, if anything: a fence takes a moment, so it is prepared ahead.
pub fn next_confinement(policy: &PermissionPolicy) -> Option<Confinement> {
    match policy.mode_state.mode() {
        _ if plan_gate::enforces_read_only(policy) => Some(plan_gate::DEFAULT_CONFINEMENT),
        Mode::BypassPermissions => None,
        _ => Some(Confinement::Inspect),
    }
}

/// What the kernel confines this to.
pub(crate) fn confinement(input: &DecisionInput<'_>) -> Confinement {
    match input.action {
        Action::Rehearse { .. } => Confinement::Rehearsal,
        Action::Shell { .. } if plan_gate::enforces_read_only(input.policy) => planning_confinement(input),
        Action::Shell { .. } => shell_confinement(input),
        _ => Confinement::Off,
    }
}

fn planning_confinement(input: &DecisionInput<'_>) -> Confinement {
    match (input.kernel.read_only, &input.line) {
        (false, _) => Confinement::Off,
        (true, Some(line)) if needs_declared_network(input, line) => Confinement::ReadOnlyOnline,
        // Whoever approves it wants it read: an empty file would be no answer.
        (true, Some(_)) if walls::named_secret(input).is_some() => Confinement::InspectSecrets,
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

/// Whether a declared command needs the network. It sees what clients sign in with, so no other part may read files.
fn needs_declared_network(input: &DecisionInput<'_>, line: &ResolvedLine) -> bool {
    let is_declared = |part: &LinePart| input.policy.rules.reads_network(&part.allow_forms);
    only_declared_reads(input, line)
        && line.analysis.parts.iter().any(is_declared)
        && line.zip_parts().all(|(part, view)| is_declared(part) || view.reads.is_empty())
}

fn shell_confinement(input: &DecisionInput<'_>) -> Confinement {
    let KernelEnforcement { read_only, workspace, .. } = input.kernel;
    let reads = input.line.as_ref().is_some_and(ResolvedLine::is_read_only);
    match () {
        () if input.policy.mode_state.mode() == Mode::BypassPermissions => Confinement::Off,
        () if reads && read_only && walls::named_secret(input).is_some() => Confinement::InspectSecrets,
        // Every fence keeps it from these, and whoever approves the command wants them read or written.
        () if walls::names_guarded_file(input) => unfenced(input),
        () if outside_reason(input) == Some(OutsideReason::Configured) => unfenced(input),
        () if reads && read_only => Confinement::Inspect,
        () if workspace.is_some() && outside_reason(input).is_none() => Confinement::Workspace,
        () => unfenced(input),
    }
}

/// Programs that do not work where files are masked: those with which a command gains privileges or looks into other
/// processes, which a namespace of the user's own does not allow; ssh, which finds root's configuration owned by nobody
/// there; and git, which takes a masked file for a change.
const UNMASKABLE: [&str; 18] = [
    "sudo", "doas", "su", "pkexec", "run0", "ssh", "scp", "sftp", "rsync", "git", "docker", "podman",
    "mount", "umount", "gdb", "strace", "lsof", "nsenter",
];

/// Nothing but the masks of files that a rule denies reading, if there are any.
fn unfenced(input: &DecisionInput<'_>) -> Confinement {
    let is_listed = |name: &str| UNMASKABLE.contains(&name.rsplit('/').next().unwrap_or(name));
    let is_unmaskable = |part: &LinePart| {
        part.program().is_some_and(is_listed) || part.wrappers.iter().any(|it| is_listed(&it.name))
    };
    // One part that needs to see everything does not open it to the others.
    let mut changing = input.line.iter().flat_map(ResolvedLine::zip_parts);
    let masked = changing.any(|(part, view)| view.verdict != Verdict::ReadOnly && !is_unmaskable(part));
    match input.kernel.masked && masked && input.policy.has_read_denials() {
        true => Confinement::Masked,
        false => Confinement::Off,
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
    /// It shows processes, sockets or services of the machine, and there are none inside.
    ShowsMachine,
}

/// Why a command runs outside, if the workspace policy applies and every part that is not read-only needs to be outside.
/// If only some of them do, the whole command stays inside, and those parts fail there: otherwise the other parts would be
/// unconfined too. What analysis cannot judge stays inside, where it does no harm.
pub(crate) fn outside_reason(input: &DecisionInput<'_>) -> Option<OutsideReason> {
    let workspace = input.kernel.workspace?;
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
        () if part.effects.contains(&ShellEffect::Machine) => Some(OutsideReason::ShowsMachine),
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
