//! The fences of a session: what the kernel confines the programs of tools to. A fence is created when it is first needed,
//! and lasts until the session ends or its inputs change.
//!
//! The [`Fence`] itself is in the sandbox crate. This crate knows which fence a call needs ([`Fences::get`]), what it hides
//! and confines ([`FenceInputs`]), what programs find inside ([`Launch`]), what the model reads when a fence blocked
//! something, and the rehearsal of a planning session: its overlay, shown, applied or discarded.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests lay out their files by hand"))]

mod active;
mod compile;
mod environment;
mod folder_cache;
mod gate;
mod git_overview;
mod inputs;
mod launch;
mod masked_paths;
mod masks;
mod notes;
mod protected_files;
mod rehearsal;
mod report;
mod set_aside;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod watch;
mod working_folders;
mod written_folders;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use forelook_facts::KernelProbe;
use forelook_network::NetworkConfig;
use forelook_protocol::{AbsPath, Confinement, FenceReport, SandboxSupport};
use forelook_sandbox::{AvailableLayers, ChildEnv, Fence, KernelLayers, can_overlay};

use active::{ActiveFence, FenceKey};
use environment::EgressRoute;
pub use forelook_sandbox::Caller;
use gate::GateListener;
pub use git_overview::GitOverview;
pub use inputs::{FenceInputs, GuardSearch, PathGuard, PathGuards};
pub use launch::{FencedCommand, Launch, LaunchError, LaunchOptions};
use masked_paths::MaskedName;
pub use notes::NoteAudience;
use protected_files::ProtectedFiles;
pub use rehearsal::{VERSION_CONTROL, changes_since, is_foreign_owner_error};
pub use set_aside::{list_set_aside, restore_set_aside};
pub use sweep::sweep;
pub use watch::FenceLook;
use watch::WatchedFence;
use working_folders::FolderBindings;
pub use written_folders::{KnownWritten, WrittenFolders};

/// What fences are made of, as the settings and the machine say.
#[derive(Debug, Clone)]
pub struct FenceSetup {
    /// Layers that may be used. All, but for tests of machines that grant less.
    pub layers: KernelLayers,
    /// A private folder of the session, for what fences keep on the disk.
    pub folder: AbsPath,
    /// A private folder of the session, for what is moved out of the project. It outlives the session.
    pub set_aside: AbsPath,
    /// The workspace policy, where the person enabled it.
    pub workspace: Option<WorkspaceSetup>,
    /// How we reach the network ourselves: what the workspace policy lets out goes the same way.
    pub network: NetworkConfig,
}

impl FenceSetup {
    /// All that the machine grants, and no workspace policy.
    pub fn plain(folder: &AbsPath) -> Self {
        Self {
            layers: KernelLayers::ALL,
            folder: folder.clone(),
            set_aside: folder.join("set-aside"),
            workspace: None,
            network: NetworkConfig::default(),
        }
    }
}

/// How far a program in the workspace fence may reach beside the working folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceSetup {
    /// Folders that may be written to.
    pub writable: Vec<AbsPath>,
    /// Domains that may be reached; none: no network.
    pub domains: Vec<String>,
    /// Where it is recorded which folders commands could write to.
    pub record: Option<WrittenFolders>,
}

/// Where the workspace fence holds, for a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceScope {
    /// The modes, as a report calls them.
    pub modes: &'static str,
    /// A working folder is the home folder, so the fence does not hold.
    pub at_home: bool,
}

/// Hears what the user should know about fences.
struct NoticeListener(Box<dyn Fn(&str) + Send + Sync>);

impl std::fmt::Debug for NoticeListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NoticeListener")
    }
}

/// The fences of a session.
#[derive(Debug)]
pub struct Fences {
    setup: FenceSetup,
    available: OnceLock<AvailableLayers>,
    overlay_support: OnceLock<Result<(), String>>,
    active: Mutex<Vec<ActiveFence>>,
    /// Held while a fence is raised, which takes milliseconds: so nobody else waits for `active`, and no two are raised on
    /// one layer.
    raising: Mutex<()>,
    /// Counts when files may have come that fences hide or protect.
    generation: AtomicU64,
    /// What was found in which folder. Held while it is searched, which many would not do faster.
    folder_cache: Mutex<folder_cache::FolderCache>,
    rehearsing: AtomicBool,
    /// Whether there may be a layer: also one of a session from before, which nobody has looked for yet.
    may_have_overlay: AtomicBool,
    /// All fences in which something may run.
    watched: Mutex<Vec<WatchedFence>>,
    /// Where the working folders are.
    folder_bindings: Mutex<FolderBindings>,
    /// What belongs in the working folders. Held while something is moved out of the project.
    protected_files: Mutex<ProtectedFiles>,
    /// Whether a command ran in a workspace fence that fell since the last look.
    workspace_ran: AtomicBool,
    /// Whether somebody looks from time to time at what nobody waits for.
    watching_orphans: AtomicBool,
    /// What the model has not heard of yet.
    notes: Mutex<Vec<String>>,
    listener: OnceLock<NoticeListener>,
    gates: Mutex<Vec<GateListener>>,
    /// The folder for scratch, once one was made: only where the kernel gives none.
    scratch: OnceLock<AbsPath>,
    rehearsal_state: rehearsal::RehearsalState,
}

impl Fences {
    /// None stands yet, and nothing has been tried.
    pub fn new(setup: FenceSetup) -> Self {
        let writable = setup.workspace.as_ref().map_or(&[][..], |workspace| &workspace.writable);
        let folder_bindings = Mutex::new(FolderBindings::of(writable));
        Self {
            setup,
            available: OnceLock::new(),
            overlay_support: OnceLock::new(),
            active: Mutex::default(),
            raising: Mutex::default(),
            generation: AtomicU64::new(0),
            folder_cache: Mutex::default(),
            rehearsing: AtomicBool::new(true),
            may_have_overlay: AtomicBool::new(true),
            watched: Mutex::default(),
            folder_bindings,
            protected_files: Mutex::default(),
            workspace_ran: AtomicBool::new(false),
            watching_orphans: AtomicBool::new(false),
            notes: Mutex::default(),
            listener: OnceLock::new(),
            gates: Mutex::default(),
            scratch: OnceLock::new(),
            rehearsal_state: rehearsal::RehearsalState::default(),
        }
    }

    /// What the machine grants, found out when it is first asked for: a few milliseconds.
    pub fn available(&self) -> &AvailableLayers {
        self.available.get_or_init(|| KernelLayers::available().limited_to(self.setup.layers))
    }

    /// Whether the session's folder takes a layer: not every file system does, and namespaces alone do not tell. Tried once.
    fn can_rehearse(&self) -> &Result<(), String> {
        self.overlay_support.get_or_init(|| {
            forelook_disk::make_private(&self.setup.folder).map_err(|error| error.to_string())?;
            can_overlay(self.setup.folder.as_path()).map_err(|error| error.to_string())
        })
    }

    /// What can be held here.
    pub fn capabilities(&self) -> SandboxSupport {
        self.support(true)
    }

    /// For people.
    pub fn report(&self, scope: WorkspaceScope) -> FenceReport {
        let holds = self.capabilities();
        let mut policies = report::policies(holds, self.setup.workspace.as_ref(), scope);
        if let Some(Err(why)) = self.overlay_support.get() {
            policies.push(format!("No rehearsals: {why}"));
        }
        FenceReport { enforced: holds.read_only, layers: self.available().describe().to_vec(), policies }
    }

    /// The fence for this, raised if none stands; nothing where nothing is to be held. Raising one takes milliseconds, and
    /// looking for secrets in a large project some more: not for the threads of the runtime, but in it (a gate needs one).
    pub fn get(&self, sandbox: Confinement, inputs: &FenceInputs) -> io::Result<Option<Arc<Fence>>> {
        if sandbox.is_off() {
            return Ok(None);
        }
        self.remember(inputs);
        let layers = self.layers(sandbox)?;
        let key = FenceKey::of(inputs);
        if let Some(fence) = self.find(sandbox, &key, inputs) {
            return Ok(Some(fence));
        }
        let _raising = self.raising.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have raised it meanwhile.
        if let Some(fence) = self.find(sandbox, &key, inputs) {
            return Ok(Some(fence));
        }
        if sandbox == Confinement::Rehearsal {
            // Said before it is asked whether there may be one: who throws layers away asks the other way round.
            self.may_have_overlay.store(true, Ordering::SeqCst);
            if !self.rehearsing.load(Ordering::SeqCst) {
                return Err(io::Error::other(
                    "rehearsals work only while planning, and the session is no longer planning",
                ));
            }
        }
        if sandbox == Confinement::Workspace {
            self.note_workspace_activity();
        }
        self.clear(sandbox)?;
        if sandbox == Confinement::Workspace {
            // Before the next command: what is there now is not its work.
            self.look_at_workspace(inputs);
        }
        let active = self.raise(sandbox, inputs, key, layers)?;
        let fence = Arc::clone(&active.fence);
        self.active().push(active);
        Ok(Some(fence))
    }

    /// What such a fence is made of.
    fn layers(&self, sandbox: Confinement) -> io::Result<KernelLayers> {
        let available = self.available();
        let refused = |words: String| io::Error::new(io::ErrorKind::Unsupported, words);
        match (sandbox, &available.namespaces) {
            (Confinement::Masked, Ok(())) => {
                Ok(KernelLayers { namespaces: true, landlock: false, seccomp: false })
            }
            (Confinement::Masked, Err(why)) => Err(refused(format!("Hiding files needs namespaces: {why}"))),
            _ => available.layers().ok_or_else(|| refused("The kernel enforces no sandbox here".to_owned())),
        }
    }

    /// What a program should find in its environment inside this fence, so that it looks for nothing that it cannot have
    /// there. It need not stand for others any more.
    fn prepare(&self, sandbox: Confinement, fence: &Arc<Fence>, inputs: &FenceInputs, env: &mut ChildEnv) {
        let route = match self.port(fence) {
            Some(port) => EgressRoute::Gate(port),
            None if sandbox == Confinement::ReadOnlyOnline => EgressRoute::Host,
            None => EgressRoute::Offline,
        };
        let Some(scratch) = fence.scratch() else { return };
        environment::adapt(env, sandbox, scratch, inputs.home.as_ref(), route);
    }

    /// Something that a command names which ran in this fence and folder, and that shows nothing there.
    fn masked(&self, fence: &Arc<Fence>, command: &str, folder: &Path) -> Option<MaskedName> {
        let active = self.active();
        let found = active.iter().find(|it| Arc::ptr_eq(&it.fence, fence))?;
        found.masked.named_in(command, folder)
    }

    fn active(&self) -> MutexGuard<'_, Vec<ActiveFence>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KernelProbe for Fences {
    fn fence(&self) -> Option<Arc<Fence>> {
        let active = self.active();
        let offline = |it: &&ActiveFence| matches!(it.sandbox, Confinement::ReadOnly | Confinement::Inspect);
        let found = active.iter().find(offline)?;
        found.fence.is_active().then(|| Arc::clone(&found.fence))
    }

    fn known_support(&self, overlay: bool) -> Option<SandboxSupport> {
        let known = self.available.get().is_some() && (!overlay || self.overlay_support.get().is_some());
        known.then(|| self.support(overlay))
    }

    fn support(&self, overlay: bool) -> SandboxSupport {
        let namespaces = self.available().layers().map(|layers| layers.namespaces);
        SandboxSupport {
            read_only: namespaces.is_some(),
            rehearsal: overlay && namespaces == Some(true) && self.can_rehearse().is_ok(),
            workspace: namespaces == Some(true),
            masked: self.available().namespaces.is_ok(),
        }
    }
}
