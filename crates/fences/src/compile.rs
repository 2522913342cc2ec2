//! Turns the confinement of a call into a policy for the kernel.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{FencePolicy, FenceScope, FileId, NetworkAccess};

use super::FenceSetup;
use super::folder_cache::FolderCache;
use super::inputs::FenceInputs;
use super::masks::{self, Guarded};
use super::working_folders::WorkingFolder;

/// Folders that are scratch inside.
const SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Where a fence keeps what is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FenceStorage {
    /// The layer of a rehearsal.
    pub(super) overlay: Option<PathBuf>,
    /// Scratch, where the kernel gives none.
    pub(super) scratch: Option<PathBuf>,
}

/// What a policy is made from.
pub(super) struct PolicySource<'a> {
    pub(super) folders: &'a [WorkingFolder],
    pub(super) inputs: &'a FenceInputs,
    /// Folders of the settings that may be written to.
    pub(super) writable: &'a [WorkingFolder],
    pub(super) setup: &'a FenceSetup,
}

/// The policy for this.
pub(super) fn policy(
    sandbox: Confinement,
    source: &PolicySource<'_>,
    storage: FenceStorage,
    cache: &mut FolderCache,
) -> io::Result<FencePolicy> {
    let PolicySource { folders, inputs, writable, setup } = *source;
    let real: Vec<PathBuf> = outer(folders).iter().map(|folder| folder.as_path().to_owned()).collect();
    let mut policy = FencePolicy {
        scope: scope(sandbox),
        folders: real.clone(),
        network: network(sandbox, setup),
        overlay: storage.overlay,
        scratch: storage.scratch,
        masked: masks::outside(&real, inputs, sandbox, cache)?,
        ..FencePolicy::default()
    };
    let guarded = masks::inside(&real, inputs, cache)?;
    match sandbox {
        Confinement::Workspace => {
            policy.writable = all_writable(&real, writable);
            policy.protected = guarded.protected()?;
            policy.protected.extend(own_folders(&inputs.search.own, &policy.writable));
            let beside: Vec<PathBuf> = policy
                .writable
                .iter()
                .filter(|it| !real.iter().any(|real| it.starts_with(real)))
                .cloned()
                .collect();
            // Secrets are hidden there too. What decides what runs later is not held: caches are full of it.
            policy.masked.extend(masks::inside(&beside, inputs, cache)?.masked(sandbox)?);
        }
        // What only reads looks at what others left there.
        Confinement::Inspect | Confinement::InspectSecrets => policy.folders.extend(temporary_folders()),
        _ => {}
    }
    policy.masked.extend(guarded.masked(sandbox)?);
    // Two looks at the same files have the same result, in whatever order the disk lists them.
    policy.masked.sort();
    if policy.overlay.is_none() {
        // In an overlay everything is another file.
        policy.identities = identities(&policy, folders.iter().chain(writable), &guarded);
        let named = named_in_scratch(folders, &real);
        if sandbox == Confinement::Workspace {
            policy.writable.extend(named.iter().cloned());
        }
        policy.folders.extend(named);
    }
    Ok(policy)
}

/// What lies where, of all that is mounted or mounted on.
fn identities<'a>(
    policy: &FencePolicy,
    folders: impl Iterator<Item = &'a WorkingFolder>,
    guarded: &Guarded,
) -> BTreeMap<PathBuf, FileId> {
    let names = |folder: &WorkingFolder| [folder.real.clone(), folder.name.clone()].map(|it| (it, folder.id));
    let folders = folders.flat_map(names).map(|(path, id)| (path.as_path().to_owned(), id));
    let mounted_on = policy.masked.iter().chain(&policy.protected);
    let found = mounted_on.filter_map(|path| Some((path.clone(), guarded.id(path)?)));
    folders.chain(found).collect()
}

/// The policy of a fence in which nothing can be changed, nothing is masked, and there is no network.
pub(super) fn bare_policy(folder: &AbsPath) -> FencePolicy {
    let folders: Vec<WorkingFolder> = WorkingFolder::of(folder).into_iter().collect();
    let mut all: Vec<PathBuf> = outer(&folders).iter().map(|it| it.as_path().to_owned()).collect();
    all.extend(named_in_scratch(&folders, &all));
    FencePolicy { folders: all, network: NetworkAccess::None, ..FencePolicy::default() }
}

fn scope(sandbox: Confinement) -> FenceScope {
    match sandbox {
        Confinement::Off | Confinement::Masked => FenceScope::MasksOnly,
        Confinement::ReadOnly
        | Confinement::ReadOnlyOnline
        | Confinement::Inspect
        | Confinement::InspectSecrets
        | Confinement::Workspace
        | Confinement::Rehearsal => FenceScope::Confined,
    }
}

fn network(sandbox: Confinement, setup: &FenceSetup) -> NetworkAccess {
    let has_domains = setup.workspace.as_ref().is_some_and(|workspace| !workspace.domains.is_empty());
    match sandbox {
        Confinement::ReadOnlyOnline | Confinement::Masked | Confinement::Off => NetworkAccess::Host,
        Confinement::Workspace if has_domains => NetworkAccess::Gate,
        Confinement::Workspace | Confinement::Rehearsal => NetworkAccess::Loopback,
        Confinement::ReadOnly | Confinement::Inspect | Confinement::InspectSecrets => NetworkAccess::None,
    }
}

/// The temporary folders of the machine. Shared memory is left out: something must be scratch.
fn temporary_folders() -> impl Iterator<Item = PathBuf> {
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    ["/tmp", "/var/tmp"].into_iter().map(PathBuf::from).filter(is_folder)
}

/// Where the working folders really are, without those that lie in another one. One that is another disk is kept: a layer
/// over the outer folder would not show what is mounted there.
pub(super) fn outer(folders: &[WorkingFolder]) -> Vec<AbsPath> {
    let mut real: Vec<&WorkingFolder> = Vec::new();
    for folder in folders {
        real.extend((!real.iter().any(|it| it.real == folder.real)).then_some(folder));
    }
    let is_in = |folder: &WorkingFolder, outer: &WorkingFolder| {
        folder.real != outer.real && folder.real.is_inside(&outer.real) && folder.id.device == outer.id.device
    };
    let is_in_another = |folder: &WorkingFolder| real.iter().any(|outer| is_in(folder, outer));
    real.iter().filter(|folder| !is_in_another(folder)).map(|folder| folder.real.clone()).collect()
}

/// Names of working folders that would vanish, since they are links in a folder that scratch takes the place of.
fn named_in_scratch(folders: &[WorkingFolder], real: &[PathBuf]) -> Vec<PathBuf> {
    let in_scratch = |path: &Path| SCRATCH.iter().any(|it| path.starts_with(it) && path != Path::new(it));
    let names = folders.iter().map(|folder| folder.name.as_path());
    let names = names.filter(|path| in_scratch(path));
    names.filter(|path| !real.iter().any(|real| path.starts_with(real))).map(Path::to_owned).collect()
}

/// What of our own folders could be written to: one in a writable folder, or a writable folder in one.
fn own_folders(own: &[AbsPath], writable: &[PathBuf]) -> Vec<PathBuf> {
    let inner = |own: &AbsPath, folder: &PathBuf| {
        let (own, folder) = (own.as_path(), folder.as_path());
        let inner = if own.starts_with(folder) { own } else { folder };
        (own.starts_with(folder) || folder.starts_with(own)).then(|| inner.to_owned())
    };
    own.iter().flat_map(|own| writable.iter().filter_map(move |folder| inner(own, folder))).collect()
}

/// The working folders, and those of the settings.
fn all_writable(real: &[PathBuf], more: &[WorkingFolder]) -> Vec<PathBuf> {
    let mut writable: Vec<PathBuf> = real.to_vec();
    for folder in more.iter().map(|folder| folder.real.as_path()) {
        if !writable.iter().any(|known| known == folder) {
            writable.push(folder.to_owned());
        }
    }
    writable
}
