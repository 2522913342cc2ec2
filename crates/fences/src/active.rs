//! The active fences: how one is created, when it can still be used, and what belongs to it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Fence, FencePolicy, KernelLayers, is_stale};

use super::Fences;
use super::compile::{self, FenceStorage, PolicySource};
use super::inputs::{FenceInputs, PathGuard};
use super::masked_paths::MaskedPaths;
use super::sweep::scratch_name;
use super::watch::WatchedFence;

/// How often a fence is tried to be raised while something moves what it should hide.
const MAX_TRIES: usize = 20;

/// A fence that stands.
#[derive(Debug)]
pub(super) struct ActiveFence {
    pub(super) sandbox: Confinement,
    pub(super) fence: Arc<Fence>,
    key: FenceKey,
    pub(super) masked: MaskedPaths,
    /// What it was raised with.
    policy: FencePolicy,
    /// The generation of the files in which it was raised or found to be still right.
    generation: u64,
}

/// What a fence stands on, as far as it can change by itself: the working folders, and which folder each of them is. One
/// that was made anew is another one, and the fence would still show the old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FenceKey {
    folders: Vec<(AbsPath, Option<(u64, u64)>)>,
    home: Option<AbsPath>,
}

impl FenceKey {
    pub(super) fn of(inputs: &FenceInputs) -> Self {
        let which = |folder: &AbsPath| fs::metadata(folder).ok().map(|about| (about.dev(), about.ino()));
        let folders = inputs.folders.iter().map(|folder| (folder.clone(), which(folder))).collect();
        Self { folders, home: inputs.home.clone() }
    }
}

impl Fences {
    /// The fence that stands, if it is the right one.
    pub(super) fn find(
        &self,
        sandbox: Confinement,
        key: &FenceKey,
        inputs: &FenceInputs,
    ) -> Option<Arc<Fence>> {
        let generation = self.generation.load(Ordering::SeqCst);
        let (fence, policy) = {
            let active = self.active();
            let found = active.iter().find(|it| it.sandbox == sandbox && it.key == *key)?;
            if !found.fence.is_active() {
                return None;
            }
            // An overlay stays what it is: what was rehearsed is in it.
            if found.generation == generation || sandbox == Confinement::Rehearsal {
                return Some(Arc::clone(&found.fence));
            }
            (Arc::clone(&found.fence), found.policy.clone())
        };
        // Not under the lock: it looks through the working folders.
        let storage = FenceStorage { overlay: policy.overlay.clone(), scratch: policy.scratch.clone() };
        // What cannot be found out is said when it is raised anew.
        if self.compile(sandbox, inputs, storage).ok()? != policy {
            return None;
        }
        let mut active = self.active();
        if let Some(found) = active.iter_mut().find(|it| Arc::ptr_eq(&it.fence, &fence)) {
            found.generation = generation;
        }
        Some(fence)
    }

    /// Files may have come that are to be hidden or protected: every fence looks for them before it is used again, and is
    /// raised anew if there are some.
    pub fn mark_stale(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes away what stood for this. What runs inside goes on there; but two cannot stand on one layer.
    pub(super) fn clear(&self, sandbox: Confinement) -> io::Result<()> {
        let mut active = self.active();
        let old: Vec<ActiveFence> = active.extract_if(.., |it| it.sandbox == sandbox).collect();
        if sandbox == Confinement::Rehearsal && old.iter().any(|it| Arc::strong_count(&it.fence) > 1) {
            active.extend(old);
            return Err(io::Error::other(
                "the overlay must be recreated because the working directories or hidden files changed, but a \
                 command still runs on the old one: stop it with KillShell first",
            ));
        }
        drop(active);
        // Not under the lock: the end of what runs inside may have to be waited for.
        drop(old);
        Ok(())
    }

    pub(super) fn raise(
        &self,
        sandbox: Confinement,
        inputs: &FenceInputs,
        key: FenceKey,
        layers: KernelLayers,
    ) -> io::Result<ActiveFence> {
        let generation = self.generation.load(Ordering::SeqCst);
        let storage = self.storage(sandbox, inputs, layers)?;
        let (policy, fence) = self.raise_settled(sandbox, inputs, &storage, layers)?;
        self.open_gate(&fence)?;
        let is_denied = |path: &&PathBuf| {
            AbsPath::new(path.as_path()).is_ok_and(|path| (inputs.guards)(&path) == PathGuard::Denied)
        };
        self.watched().push(WatchedFence {
            fence: Arc::downgrade(&fence),
            sandbox,
            masked: policy.masked.iter().cloned().collect(),
            shows_replaced: layers.namespaces,
        });
        let denied = policy.masked.iter().filter(is_denied).cloned().collect();
        let (paths, folders) = (policy.masked.clone(), policy.folders.clone());
        let masked = MaskedPaths { paths, denied, folders, home: inputs.home.clone() };
        Ok(ActiveFence { sandbox, fence, key, masked, policy, generation })
    }

    /// Whoever runs in the background may move what is to be hidden while the fence is raised: then we look for it anew.
    fn raise_settled(
        &self,
        sandbox: Confinement,
        inputs: &FenceInputs,
        storage: &FenceStorage,
        layers: KernelLayers,
    ) -> io::Result<(FencePolicy, Arc<Fence>)> {
        for _ in 0..MAX_TRIES {
            let policy = self.compile(sandbox, inputs, storage.clone())?;
            if let Some(record) =
                self.setup.workspace.as_ref().and_then(|workspace| workspace.record.as_ref())
            {
                record.add(policy.writable.iter().map(PathBuf::as_path));
            }
            match Fence::raise(&policy, layers) {
                Ok(fence) => return Ok((policy, Arc::new(fence))),
                Err(error) if is_stale(&error) => self.forget_folders(),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(
            "a program in the background keeps moving secrets or protected files in the working directories; stop it \
             first",
        ))
    }

    fn forget_folders(&self) {
        self.folder_cache.lock().unwrap_or_else(PoisonError::into_inner).forget_folders();
    }

    pub(super) fn compile(
        &self,
        sandbox: Confinement,
        inputs: &FenceInputs,
        storage: FenceStorage,
    ) -> io::Result<FencePolicy> {
        let (folders, writable) = (self.working_folders(inputs), self.writable_folders());
        let mut cache = self.folder_cache.lock().unwrap_or_else(PoisonError::into_inner);
        let source = PolicySource { folders: &folders, inputs, writable: &writable, setup: &self.setup };
        compile::policy(sandbox, &source, storage, &mut cache)
    }

    fn storage(
        &self,
        sandbox: Confinement,
        inputs: &FenceInputs,
        layers: KernelLayers,
    ) -> io::Result<FenceStorage> {
        let mut storage = FenceStorage::default();
        if sandbox == Confinement::Rehearsal {
            storage.overlay = Some(self.overlay().prepare(&compile::outer(&self.working_folders(inputs)))?);
        }
        storage.scratch = self.scratch_folder(layers)?;
        Ok(storage)
    }

    /// A folder for scratch, where the kernel gives none.
    pub(super) fn scratch_folder(&self, layers: KernelLayers) -> io::Result<Option<PathBuf>> {
        if layers.namespaces {
            return Ok(None);
        }
        let scratch = self.scratch.get_or_init(|| self.setup.folder.join(scratch_name()));
        forelook_disk::make_private(scratch).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Some(scratch.as_path().to_owned()))
    }
}
