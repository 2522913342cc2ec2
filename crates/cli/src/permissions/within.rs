//! What the kernel holds a call to, in words.

use forelook_permissions::Policy;
use forelook_permissions::plan_gate::only_looks;
use forelook_protocol::{Action, Confinement, Decision};

/// How it runs, in words that follow "it"; nothing where the kernel has no part in it.
pub(super) fn runs(within: Confinement) -> Option<&'static str> {
    match within {
        Confinement::Off => None,
        Confinement::ReadOnly => Some("runs read-only, without a network"),
        Confinement::ReadOnlyOnline => Some("runs read-only, with the network"),
        Confinement::Workspace => Some("runs in the fence: it changes the working folders and no others"),
        Confinement::Rehearsal => Some("runs on a layer over the working folders that is thrown away"),
    }
}

/// One word for it.
pub(super) fn word(within: Confinement) -> Option<&'static str> {
    match within {
        Confinement::Off => None,
        Confinement::ReadOnly => Some("read-only"),
        Confinement::ReadOnlyOnline => Some("read-only, online"),
        Confinement::Workspace => Some("workspace"),
        Confinement::Rehearsal => Some("rehearsal"),
    }
}

/// What is held of a call that may run, for whoever reads a decision; nothing if it does not run, or is no command.
pub(super) fn sentence(policy: &Policy, action: &Action, decision: &Decision) -> Option<String> {
    let (lead, reason) = match decision {
        Decision::Allow(reason) => ("It", reason),
        Decision::Ask(reason) | Decision::Judge(reason) => ("After a yes it", reason),
        Decision::Deny(_) | Decision::Need(_) => return None,
    };
    let how = runs(reason.within).or_else(|| unheld(policy, action))?;
    Some(format!("{lead} {how}."))
}

/// What is said where a fence is wanted and does not hold this.
fn unheld(policy: &Policy, action: &Action) -> Option<&'static str> {
    let Action::Shell { .. } = action else { return None };
    if only_looks(policy) {
        return Some("is held by nothing: the kernel gives no fence here (`forelook doctor` says why)");
    }
    policy.kernel.workspace.is_some().then_some("runs outside of the fence")
}
