//! The ground that fences stand on: the working folders, and what in and beside them is special.

use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};

/// The ground that a fence stands on; it may change from call to call.
#[derive(Clone)]
pub struct Ground {
    /// The working folders.
    pub folders: Vec<AbsPath>,
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// What is special about a path.
    pub guards: Guards,
    /// Where to look for what is special.
    pub looking: Looking,
}

/// Tells what is special about a path.
pub type Guards = Arc<dyn Fn(&AbsPath) -> Guarded + Send + Sync>;

/// What is special about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarded {
    /// Nothing.
    No,
    /// It decides what runs later: it is not written even where its folder may be.
    Held,
    /// It holds secrets, or a rule forbids reading it: nobody inside sees what is in it.
    Masked,
    /// Both.
    Both,
    /// Both; but commands that the person declared reads see what is in it: a service's own client signs in with it.
    Credentials,
}

impl Guarded {
    /// Whether nobody in this fence sees what is in it.
    pub(super) fn is_masked(self, within: Confinement) -> bool {
        match self {
            Guarded::No | Guarded::Held => false,
            Guarded::Masked | Guarded::Both => true,
            Guarded::Credentials => within != Confinement::ReadOnlyOnline,
        }
    }

    /// Whether it is not written even where its folder may be.
    pub(super) fn is_held(self) -> bool {
        matches!(self, Guarded::Held | Guarded::Both | Guarded::Credentials)
    }
}

/// Where [`Guards`] are worth asking. There may be a hundred thousand files, and an answer takes its time.
#[derive(Clone)]
pub struct Looking {
    /// Whether there may be anything special about a file or folder of this name, whatever folder it is in. It must be
    /// quick; yes is never wrong.
    pub names: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Places outside of the working folders that may be special, or have something special in them. They need not exist.
    /// Asked for when a fence is raised, and not for every call.
    pub places: Arc<dyn Fn() -> Vec<AbsPath> + Send + Sync>,
}

impl Default for Looking {
    /// At every name in the working folders, and nowhere else.
    fn default() -> Self {
        Self { names: Arc::new(|_: &str| true), places: Arc::new(Vec::new) }
    }
}
