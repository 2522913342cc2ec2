//! The fences of a session: what the kernel holds the programs to that tools start. Each is raised when it is first needed
//! and stands until the session ends or the ground under it changes.
//!
//! A [`Fence`] itself is the sandbox's. Here is known which one a call is held to ([`Fences::get`]), what it hides and holds
//! ([`Ground`]), what programs find inside ([`Launch`]), what the model reads when a fence came in the way, and the
//! rehearsal of a planning session: its layer, shown, applied or thrown away.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests lay out their files by hand"))]

mod caches;
mod compile;
mod gate;
mod ground;
mod launch;
mod masks;
mod named;
mod notes;
mod rehearsal;
mod report;
mod standing;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use forelook_facts::FenceLookup;
use forelook_network::Network;
use forelook_protocol::{AbsPath, Confinement, FenceReport, Holds};
use forelook_sandbox::{Available, ChildEnv, Fence, Layers, can_layer};

use caches::Reach;
use gate::Door;
pub use ground::{Ground, Guarded, Guards, Looking};
pub use launch::{Launch, LaunchError, LaunchOptions, RanInside};
pub use notes::NoteFor;
pub use rehearsal::{VERSION_CONTROL, belongs_to_another};
use standing::{Footing, Standing};
pub use sweep::sweep;

/// What fences are made of, as the settings and the machine say.
#[derive(Debug, Clone)]
pub struct FenceSetup {
    /// Layers that may be used. All, but for tests of machines that grant less.
    pub layers: Layers,
    /// A private folder of the session, for what fences keep on the disk.
    pub folder: AbsPath,
    /// The workspace policy, where the person enabled it.
    pub workspace: Option<WorkspaceSetup>,
    /// How we reach the network ourselves: what the workspace policy lets out goes the same way.
    pub network: Network,
}

impl FenceSetup {
    /// All that the machine grants, and no workspace policy.
    pub fn plain(folder: &AbsPath) -> Self {
        Self { layers: Layers::ALL, folder: folder.clone(), workspace: None, network: Network::default() }
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

/// The fences of a session.
#[derive(Debug)]
pub struct Fences {
    setup: FenceSetup,
    available: OnceLock<Available>,
    rehearses: OnceLock<Result<(), String>>,
    standing: Mutex<Vec<Standing>>,
    /// Held while a fence is raised, which takes milliseconds: so nobody else waits for `standing`, and no two are raised on
    /// one layer.
    raising: Mutex<()>,
    rehearsing: AtomicBool,
    /// Whether there may be a layer: also one of a session from before, which nobody has looked for yet.
    layered: AtomicBool,
    doors: Mutex<Vec<Door>>,
    /// The folder for scratch, once one was made: only where the kernel gives none.
    scratch: OnceLock<AbsPath>,
    remembered: rehearsal::Remembered,
}

impl Fences {
    /// None stands yet, and nothing has been tried.
    pub fn new(setup: FenceSetup) -> Self {
        Self {
            setup,
            available: OnceLock::new(),
            rehearses: OnceLock::new(),
            standing: Mutex::default(),
            raising: Mutex::default(),
            rehearsing: AtomicBool::new(true),
            layered: AtomicBool::new(true),
            doors: Mutex::default(),
            scratch: OnceLock::new(),
            remembered: rehearsal::Remembered::default(),
        }
    }

    /// What the machine grants, found out when it is first asked for: a few milliseconds.
    pub fn available(&self) -> &Available {
        self.available.get_or_init(|| Layers::available().limited(self.setup.layers))
    }

    /// Whether the session's folder takes a layer: not every file system does, and namespaces alone do not tell. Tried once.
    fn can_rehearse(&self) -> &Result<(), String> {
        self.rehearses.get_or_init(|| {
            forelook_disk::make_private(&self.setup.folder).map_err(|error| error.to_string())?;
            can_layer(self.setup.folder.as_path()).map_err(|error| error.to_string())
        })
    }

    /// What can be held here.
    pub fn holds(&self) -> Holds {
        let namespaces = self.available().layers().map(|layers| layers.namespaces);
        Holds {
            read_only: namespaces.is_some(),
            rehearsal: namespaces == Some(true) && self.can_rehearse().is_ok(),
            workspace: namespaces == Some(true),
        }
    }

    /// For people. `at_home`: the home folder is worked in, so the workspace policy does not hold.
    pub fn report(&self, at_home: bool) -> FenceReport {
        let holds = self.holds();
        let mut policies = report::policies(holds, self.setup.workspace.as_ref(), at_home);
        if let Some(Err(why)) = self.rehearses.get() {
            policies.push(format!("No rehearsals: {why}"));
        }
        FenceReport { holds: holds.read_only, layers: self.available().words().to_vec(), policies }
    }

    /// Planning begins anew: fences for it are raised anew too, since there may be other secrets to mask by now. What runs
    /// in the old ones goes on in them.
    pub fn renew(&self) {
        let old: Vec<Standing> = self.standing().extract_if(.., |it| it.within.is_read_only()).collect();
        if !old.is_empty() {
            // The end of what runs inside may have to be waited for, and we may be in a runtime.
            let _ = std::thread::Builder::new().name("fences".into()).spawn(move || drop(old));
        }
    }

    /// Ends a fence with all that runs in it.
    pub fn end(&self, within: Confinement) {
        let old: Vec<Standing> = self.standing().extract_if(.., |it| it.within == within).collect();
        // Not under the lock: the end of what runs inside has to be waited for.
        old.iter().for_each(|standing| standing.fence.end());
    }

    /// The fence for this, raised if none stands; nothing where nothing is to be held. Raising one takes milliseconds, and
    /// looking for secrets in a large project some more: not for the threads of the runtime, but in it (a gate needs one).
    pub fn get(&self, within: Confinement, ground: &Ground) -> io::Result<Option<Arc<Fence>>> {
        if within.is_off() {
            return Ok(None);
        }
        self.remember(ground);
        let Some(layers) = self.available().layers() else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "The kernel holds nothing here"));
        };
        let footing = Footing::of(ground);
        if let Some(fence) = self.find(within, &footing) {
            return Ok(Some(fence));
        }
        let _raising = self.raising.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have raised it meanwhile.
        if let Some(fence) = self.find(within, &footing) {
            return Ok(Some(fence));
        }
        if within == Confinement::Rehearsal {
            // Said before it is asked whether there may be one: who throws layers away asks the other way round.
            self.layered.store(true, Ordering::SeqCst);
            if !self.rehearsing.load(Ordering::SeqCst) {
                return Err(io::Error::other(
                    "nothing is rehearsed but while the session plans, and it does not any more",
                ));
            }
        }
        self.clear(within)?;
        let standing = self.raise(within, ground, footing, layers)?;
        let fence = Arc::clone(&standing.fence);
        self.standing().push(standing);
        Ok(Some(fence))
    }

    /// What a program should find in its environment inside this fence, so that it looks for nothing that it cannot have
    /// there. It need not stand for others any more.
    fn prepare(&self, within: Confinement, fence: &Arc<Fence>, ground: &Ground, env: &mut ChildEnv) {
        let reach = match self.port(fence) {
            Some(port) => Reach::Gate(port),
            None if within == Confinement::ReadOnlyOnline => Reach::AsOutside,
            None => Reach::Nowhere,
        };
        let Some(scratch) = fence.scratch() else { return };
        caches::settle(env, within, scratch, ground.home.as_ref(), reach);
    }

    /// A way to the fence for looking, for who finds out facts.
    pub fn lookup(self: &Arc<Self>) -> FenceLookup {
        let fences = Arc::clone(self);
        Arc::new(move || fences.looking())
    }

    /// The fence for looking, if one stands on any ground.
    pub fn looking(&self) -> Option<Arc<Fence>> {
        let standing = self.standing();
        let found = standing.iter().find(|it| it.within == Confinement::ReadOnly)?;
        found.fence.is_standing().then(|| Arc::clone(&found.fence))
    }

    /// Something that a command names which ran in this fence and folder, and that shows nothing there.
    fn masked(&self, fence: &Arc<Fence>, command: &str, folder: &Path) -> Option<String> {
        let standing = self.standing();
        let found = standing.iter().find(|it| Arc::ptr_eq(&it.fence, fence))?;
        found.masked.named(command, folder)
    }

    fn standing(&self) -> MutexGuard<'_, Vec<Standing>> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
