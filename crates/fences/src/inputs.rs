//! The inputs of fences: the working directories, and the special files in and beside them.

use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};

/// What a fence is raised from; it may change from call to call.
#[derive(Clone)]
pub struct FenceInputs {
    /// The working folders.
    pub folders: Vec<AbsPath>,
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// What is special about a path.
    pub guards: PathGuards,
    /// Where to look for what is special.
    pub search: GuardSearch,
}

/// Tells what is special about a path.
pub type PathGuards = Arc<dyn Fn(&AbsPath) -> PathGuard + Send + Sync>;

/// What is special about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathGuard {
    /// Nothing.
    Unguarded,
    /// It decides what runs later: it is not written even where its folder may be.
    Protected,
    /// It holds secrets: nobody confined sees what is in it.
    Masked,
    /// Both.
    Both,
    /// Both; but commands that the person declared reads see what is in it: a service's own client signs in with it.
    Credentials,
    /// A rule denies reading it, and with that changing it: nobody in any fence sees what is in it.
    Denied,
}

impl PathGuard {
    /// Whether nobody in this fence sees what is in it.
    pub(super) fn is_masked(self, sandbox: Confinement) -> bool {
        match self {
            PathGuard::Unguarded | PathGuard::Protected => false,
            PathGuard::Denied => !sandbox.is_off(),
            PathGuard::Masked | PathGuard::Both => hides_secrets(sandbox),
            PathGuard::Credentials => sandbox != Confinement::ReadOnlyOnline && hides_secrets(sandbox),
        }
    }

    /// The same where nothing decides what runs later.
    pub(super) fn without_protection(self) -> Self {
        match self {
            PathGuard::Protected => PathGuard::Unguarded,
            PathGuard::Both => PathGuard::Masked,
            guard => guard,
        }
    }

    /// Whether it is not written even where its folder may be.
    pub(super) fn is_protected(self) -> bool {
        match self {
            PathGuard::Unguarded | PathGuard::Masked => false,
            PathGuard::Protected | PathGuard::Both | PathGuard::Credentials | PathGuard::Denied => true,
        }
    }
}

/// Nobody said yes to what runs in a fence, or it can change nothing: so it sees no secrets. Whoever says yes to a command
/// that names one, or to one outside of fences, says yes to the secrets that it needs.
fn hides_secrets(sandbox: Confinement) -> bool {
    !sandbox.is_unconfined() && sandbox != Confinement::InspectSecrets
}

/// Where [`PathGuards`] are worth asking. There may be a hundred thousand files, and an answer takes its time.
#[derive(Clone)]
pub struct GuardSearch {
    /// Whether there may be anything special about a file or folder of this name, whatever folder it is in. It must be
    /// quick; yes is never wrong.
    pub names: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Whether a link of this name would lead somewhere that is special: it is the folder of something that is.
    pub link_names: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Places outside of the working folders that may be special, or have something special in them. They need not exist.
    /// Asked for when a fence is raised, and not for every call.
    pub places: Arc<dyn Fn() -> Vec<AbsPath> + Send + Sync>,
    /// Files in the working folders that may be special wherever they lie, also where nobody looks for others. They need not
    /// exist.
    pub files: Arc<Vec<AbsPath>>,
    /// Our own folders: nobody inside writes to them, whatever else the settings let commands write to.
    pub own: Arc<Vec<AbsPath>>,
    /// Tells one set of rules from another: what was found by one is not asked for again while it is the same.
    pub rules: u64,
}

impl Default for GuardSearch {
    /// At every name in the working folders, and nowhere else.
    fn default() -> Self {
        let (names, link_names) = (Arc::new(|_: &str| true), Arc::new(|_: &str| false));
        let (files, own) = (Arc::default(), Arc::default());
        Self { names, link_names, places: Arc::new(Vec::new), files, own, rules: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Confinement::{Inspect, InspectSecrets, Masked, Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};

    /// Who does not see what: by what is special about a file.
    #[test]
    fn every_guard_in_every_fence() {
        let confined: &[Confinement] = &[ReadOnly, ReadOnlyOnline, Inspect, Workspace, Rehearsal];
        let local: &[Confinement] = &[ReadOnly, Inspect, Workspace, Rehearsal];
        let fenced: &[Confinement] =
            &[Masked, ReadOnly, ReadOnlyOnline, Inspect, InspectSecrets, Workspace, Rehearsal];
        for (guard, hidden_from, protected) in [
            (PathGuard::Unguarded, &[][..], false),
            (PathGuard::Protected, &[], true),
            (PathGuard::Masked, confined, false),
            (PathGuard::Both, confined, true),
            (PathGuard::Credentials, local, true),
            (PathGuard::Denied, fenced, true),
        ] {
            let masked = Confinement::ALL.into_iter().filter(|it| guard.is_masked(*it));
            assert_eq!(masked.collect::<Vec<_>>(), hidden_from, "{guard:?}");
            assert_eq!(guard.is_protected(), protected, "{guard:?}");
            assert!(!guard.is_masked(Off), "without a fence nothing is masked");
        }
    }
}
