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
    /// It holds secrets, or a rule forbids reading it: nobody inside sees what is in it.
    Masked,
    /// Both.
    Both,
    /// Both; but commands that the person declared reads see what is in it: a service's own client signs in with it.
    Credentials,
}

impl PathGuard {
    /// Whether nobody in this fence sees what is in it.
    pub(super) fn is_masked(self, sandbox: Confinement) -> bool {
        match self {
            PathGuard::Unguarded | PathGuard::Protected => false,
            PathGuard::Masked | PathGuard::Both => true,
            PathGuard::Credentials => sandbox != Confinement::ReadOnlyOnline,
        }
    }

    /// Whether it is not written even where its folder may be.
    pub(super) fn is_protected(self) -> bool {
        matches!(self, PathGuard::Protected | PathGuard::Both | PathGuard::Credentials)
    }
}

/// Where [`PathGuards`] are worth asking. There may be a hundred thousand files, and an answer takes its time.
#[derive(Clone)]
pub struct GuardSearch {
    /// Whether there may be anything special about a file or folder of this name, whatever folder it is in. It must be
    /// quick; yes is never wrong.
    pub names: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Places outside of the working folders that may be special, or have something special in them. They need not exist.
    /// Asked for when a fence is raised, and not for every call.
    pub places: Arc<dyn Fn() -> Vec<AbsPath> + Send + Sync>,
}

impl Default for GuardSearch {
    /// At every name in the working folders, and nowhere else.
    fn default() -> Self {
        Self { names: Arc::new(|_: &str| true), places: Arc::new(Vec::new) }
    }
}
