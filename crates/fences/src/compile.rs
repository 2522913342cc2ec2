//! Turns the confinement of a call into a policy for the kernel.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{FencePolicy, FenceScope, NetworkAccess};

use super::FenceSetup;
use super::folder_cache::FolderCache;
use super::inputs::FenceInputs;
use super::masks;

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

/// The policy for this.
pub(super) fn policy(
    sandbox: Confinement,
    inputs: &FenceInputs,
    setup: &FenceSetup,
    storage: FenceStorage,
    cache: &mut FolderCache,
) -> io::Result<FencePolicy> {
    let real: Vec<PathBuf> =
        real_folders(&inputs.folders).iter().map(|folder| folder.as_path().to_owned()).collect();
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
            policy.writable = writable(&real, setup);
            policy.protected = guarded.protected()?;
        }
        // What only reads looks at what others left there.
        Confinement::Inspect | Confinement::InspectSecrets => policy.folders.extend(temporary_folders()),
        _ => {}
    }
    policy.masked.extend(guarded.masked(sandbox)?);
    // Two looks at the same files have the same result, in whatever order the disk lists them.
    policy.masked.sort();
    if policy.overlay.is_none() {
        let named = named_in_scratch(&inputs.folders, &real);
        if sandbox == Confinement::Workspace {
            policy.writable.extend(named.iter().cloned());
        }
        policy.folders.extend(named);
    }
    Ok(policy)
}

/// The policy of a fence in which nothing can be changed, nothing is masked, and there is no network.
pub(super) fn bare_policy(folder: &AbsPath) -> FencePolicy {
    let folders = std::slice::from_ref(folder);
    let mut all: Vec<PathBuf> = real_folders(folders).iter().map(|it| it.as_path().to_owned()).collect();
    all.extend(named_in_scratch(folders, &all));
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

/// Where the working folders really are: without those that are gone, and without those that lie in another one. One that
/// is another disk is kept: a layer over the outer folder would not show what is mounted there.
pub(super) fn real_folders(folders: &[AbsPath]) -> Vec<AbsPath> {
    let mut real: Vec<AbsPath> = Vec::new();
    for folder in folders {
        let path = folder.as_path().canonicalize().ok().and_then(|path| AbsPath::new(path).ok());
        real.extend(path.filter(|path| path.as_path().is_dir() && !real.contains(path)));
    }
    let is_in_another = |path: &AbsPath| {
        real.iter().any(|it| it != path && path.is_inside(it) && disk(it.as_path()) == disk(path.as_path()))
    };
    real.iter().filter(|path| !is_in_another(path)).cloned().collect()
}

fn disk(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|about| about.dev())
}

/// Names of working folders that would vanish, since they are links in a folder that scratch takes the place of.
fn named_in_scratch(folders: &[AbsPath], real: &[PathBuf]) -> Vec<PathBuf> {
    let in_scratch = |path: &Path| SCRATCH.iter().any(|it| path.starts_with(it) && path != Path::new(it));
    let names = folders.iter().map(|folder| folder.as_path());
    let names = names.filter(|path| path.is_dir() && in_scratch(path));
    names.filter(|path| !real.iter().any(|real| path.starts_with(real))).map(Path::to_owned).collect()
}

/// The working folders, and those of the settings.
fn writable(real: &[PathBuf], setup: &FenceSetup) -> Vec<PathBuf> {
    let more = setup.workspace.iter().flat_map(|workspace| &workspace.writable);
    let more = more.filter_map(|folder| folder.as_path().canonicalize().ok()).filter(|it| it.is_dir());
    let mut writable: Vec<PathBuf> = real.to_vec();
    for folder in more {
        if !writable.contains(&folder) {
            writable.push(folder);
        }
    }
    writable
}
