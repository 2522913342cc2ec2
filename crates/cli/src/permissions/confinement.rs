//! What the kernel holds a call to, in words.

use forelook_permissions::PermissionPolicy;
use forelook_permissions::plan_gate::enforces_read_only;
use forelook_protocol::{Action, Confinement, Decision};

/// How it runs, in words that follow "it"; nothing where the kernel has no part in it.
pub(super) fn describe(confinement: Confinement) -> Option<&'static str> {
    match confinement {
        Confinement::Off => None,
        Confinement::Masked => Some("runs without a fence, but cannot see files that rules deny reading"),
        Confinement::ReadOnly => Some("runs read-only, without network access"),
        Confinement::ReadOnlyOnline => Some("runs read-only, with network access"),
        Confinement::Inspect => Some("runs read-only, without network access"),
        Confinement::InspectSecrets => Some("runs read-only, without network access, and sees secrets"),
        Confinement::Workspace => Some("runs in the fence: it can change only the working directories"),
        Confinement::Rehearsal => {
            Some("runs in an overlay on the working directories, which is then discarded")
        }
    }
}

/// One word for it.
pub(super) fn word(confinement: Confinement) -> Option<&'static str> {
    match confinement {
        Confinement::Off => None,
        Confinement::Masked => Some("masked"),
        Confinement::ReadOnly => Some("read-only"),
        Confinement::ReadOnlyOnline => Some("read-only, online"),
        Confinement::Inspect | Confinement::InspectSecrets => Some("read-only"),
        Confinement::Workspace => Some("workspace"),
        Confinement::Rehearsal => Some("rehearsal"),
    }
}

/// What is held of a call that may run, for whoever reads a decision; nothing if it does not run, or is no command.
pub(super) fn sentence(policy: &PermissionPolicy, action: &Action, decision: &Decision) -> Option<String> {
    let (lead, reason) = match decision {
        Decision::Allow(reason) => ("It", reason),
        Decision::Ask(reason) | Decision::Classify(reason) => ("If approved, it", reason),
        Decision::Deny(_) | Decision::NeedFacts(_) => return None,
    };
    let how = describe(reason.sandbox).or_else(|| unconfined_reason(policy, action))?;
    Some(format!("{lead} {how}."))
}

/// What is said where a fence is wanted and does not hold this.
fn unconfined_reason(policy: &PermissionPolicy, action: &Action) -> Option<&'static str> {
    let Action::Shell { .. } = action else { return None };
    if enforces_read_only(policy) {
        return Some("runs without a fence: the kernel does not provide one here (see `forelook doctor`)");
    }
    let modes = policy.workspace.as_ref()?.modes;
    modes.includes(policy.mode_state.mode()).then_some("runs outside the fence")
}
