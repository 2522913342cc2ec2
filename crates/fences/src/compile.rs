//! From what a call is held to, to what the kernel is asked to hold.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Network, Policy};

use super::FenceSetup;
use super::ground::Ground;
use super::masks;

/// Folders that are scratch inside.
const SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Where a fence keeps what is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// The layer of a rehearsal.
    pub(super) layer: Option<PathBuf>,
    /// Scratch, where the kernel gives none.
    pub(super) scratch: Option<PathBuf>,
}

/// The policy for this.
pub(super) fn policy(within: Confinement, ground: &Ground, setup: &FenceSetup, kept: Kept) -> Policy {
    let real: Vec<PathBuf> =
        real_folders(&ground.folders).iter().map(|folder| folder.as_path().to_owned()).collect();
    let mut policy = Policy {
        folders: real.clone(),
        network: network(within, setup),
        layer: kept.layer,
        scratch: kept.scratch,
        masked: masks::outside(&real, ground, within),
        ..Policy::default()
    };
    match within {
        Confinement::Workspace => {
            policy.writable = writable(&real, setup);
            policy.held = masks::held(&real, ground);
        }
        _ => policy.masked.extend(masks::inside(&real, ground, within)),
    }
    if policy.layer.is_none() {
        let named = named_in_scratch(&ground.folders, &real);
        if within == Confinement::Workspace {
            policy.writable.extend(named.iter().cloned());
        }
        policy.folders.extend(named);
    }
    policy
}

fn network(within: Confinement, setup: &FenceSetup) -> Network {
    let has_domains = setup.workspace.as_ref().is_some_and(|workspace| !workspace.domains.is_empty());
    match within {
        Confinement::ReadOnlyOnline | Confinement::Off => Network::Host,
        Confinement::Workspace if has_domains => Network::Gate,
        Confinement::Workspace | Confinement::Rehearsal => Network::Loopback,
        Confinement::ReadOnly => Network::None,
    }
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
