//! The fences of a session: what the kernel holds the programs to that tools start. Each is raised when it is first needed
//! and stands until the session ends or the ground under it changes.

mod rehearsal;

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use forelook_protocol::{AbsPath, Confinement, FenceReport};
use forelook_sandbox::{Available, Fence, Layers, Policy};

pub(crate) use rehearsal::belongs_to_another;

/// What fences are made of, as the settings and the machine say.
#[derive(Debug, Clone)]
pub struct FenceSetup {
    /// Layers that may be used. All, but for tests of machines that grant less.
    pub layers: Layers,
    /// A private folder of the session, for what fences keep on the disk.
    pub folder: AbsPath,
    /// The workspace policy, where the person enabled it.
    pub workspace: Option<WorkspaceSetup>,
}

impl FenceSetup {
    /// All that the machine grants, and no workspace policy.
    pub fn plain(folder: &AbsPath) -> Self {
        Self { layers: Layers::ALL, folder: folder.clone(), workspace: None }
    }
}

/// How far a program in the workspace fence may reach beside the working folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceSetup {
    /// Folders that may be written to.
    pub writable: Vec<AbsPath>,
    /// Domains that may be reached; none: no network.
    pub domains: Vec<String>,
}

/// The ground that a fence stands on; it may change from call to call.
#[derive(Clone)]
pub struct Ground {
    /// The working folders.
    pub folders: Vec<AbsPath>,
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// What is special about a path.
    pub guards: Guards,
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
}

/// What this machine can hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// [`Confinement::ReadOnly`] and [`Confinement::ReadOnlyOnline`].
    pub read_only: bool,
    /// [`Confinement::Rehearsal`].
    pub rehearsal: bool,
    /// [`Confinement::Workspace`], whether or not it is wanted.
    pub workspace: bool,
}

/// The fences of a session.
#[derive(Debug)]
pub struct Fences {
    setup: FenceSetup,
    available: OnceLock<Available>,
    standing: Mutex<Vec<(Confinement, Policy, Arc<Fence>)>>,
    remembered: rehearsal::Remembered,
}

impl Fences {
    /// None stands yet, and nothing has been tried.
    pub fn new(setup: FenceSetup) -> Self {
        let remembered = rehearsal::Remembered::default();
        Self { setup, available: OnceLock::new(), standing: Mutex::default(), remembered }
    }

    /// What the machine grants, found out when it is first asked for: a few milliseconds.
    pub fn available(&self) -> &Available {
        self.available.get_or_init(|| Layers::available().limited(self.setup.layers))
    }

    /// What can be held here.
    pub fn holds(&self) -> Holds {
        let namespaces = self.available().layers().map(|layers| layers.namespaces);
        Holds {
            read_only: namespaces.is_some(),
            rehearsal: namespaces == Some(true),
            workspace: namespaces == Some(true),
        }
    }

    /// For people.
    pub fn report(&self) -> FenceReport {
        let holds = self.holds();
        FenceReport {
            holds: holds.read_only,
            layers: self.available().words().to_vec(),
            policies: Vec::new(),
        }
    }

    /// Planning begins anew: fences for it are raised anew too, since there may be other secrets to mask by now. What runs
    /// in the old ones goes on in them.
    pub fn renew(&self) {
        self.standing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|(kind, ..)| !matches!(kind, Confinement::ReadOnly | Confinement::ReadOnlyOnline));
    }

    /// Ends a fence with all that runs in it.
    fn end(&self, within: Confinement) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, _, fence) in standing.extract_if(.., |(kind, ..)| *kind == within) {
            fence.end();
        }
    }

    /// The fence for this, raised if none stands; nothing where nothing is to be held.
    pub fn get(&self, within: Confinement, ground: &Ground) -> io::Result<Option<Arc<Fence>>> {
        if within.is_off() {
            return Ok(None);
        }
        let Some(layers) = self.available().layers() else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "The kernel holds nothing here"));
        };
        let layer = match within {
            Confinement::Rehearsal => Some(self.layer().prepare(&ground.folders)?),
            _ => None,
        };
        let policy = Policy {
            layer,
            folders: ground.folders.iter().map(|folder| folder.as_path().to_owned()).collect(),
            ..Policy::default()
        };
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, fence)) =
            standing.iter().find(|(kind, held, _)| *kind == within && *held == policy)
        {
            return Ok(Some(Arc::clone(fence)));
        }
        // First: on one layer only one fence can stand.
        standing.retain(|(kind, ..)| *kind != within);
        let fence = Arc::new(Fence::raise(&policy, layers)?);
        standing.push((within, policy, Arc::clone(&fence)));
        Ok(Some(fence))
    }
}
