//! What to enforce, and which kernel layers are available to enforce it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How much a fence holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FenceScope {
    /// Everything that the policy says.
    #[default]
    Confined,
    /// Only [`FencePolicy::masked`]: the rest of the policy counts for nothing, and programs inside can do what they could
    /// without a fence, also outlive it. Only namespaces hold this. It is no wall against root, who can unmount what is
    /// mounted; for others see `docs/sandbox.md`.
    MasksOnly,
}

/// What is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FencePolicy {
    /// How much of it.
    pub scope: FenceScope,
    /// The working folders, which stay where they are.
    pub folders: Vec<PathBuf>,
    /// Folders that may be written to.
    pub writable: Vec<PathBuf>,
    /// Files and folders that may not be written to although they lie in one that may; links are held themselves, and so is
    /// what they lead to. Only namespaces hold this, and only what is there: what is made later is not held until the fence is
    /// raised anew ([`Fence::is_active`](crate::Fence::is_active) tells when). Nothing can be renamed into or out of the
    /// folders between.
    pub protected: Vec<PathBuf>,
    /// A folder for scratch, which may be written to if there are no namespaces: they give scratch folders of their own. Modes,
    /// owners, times and attributes cannot be changed there either, nor second names made.
    pub scratch: Option<PathBuf>,
    /// How far the network reaches.
    pub network: NetworkAccess,
    /// Files that show nothing, and folders that are empty. Where files can be written they cannot even be opened (but root
    /// opens a folder), so that nothing is lost that a program believes written; where Landlock holds alone their names are seen, and nothing
    /// can be read.
    pub masked: Vec<PathBuf>,
    /// Which file or folder lies at some of these paths, links followed. If another one lies there when it is mounted, no
    /// fence is raised ([`is_stale`]): whoever swaps two folders meanwhile must not have the mask of one on the other.
    pub identities: BTreeMap<PathBuf, FileId>,
    /// Where what is written to the working folders is kept instead: they seem to change and do not. It must be a folder
    /// of its own, on a file system that keeps attributes. Without namespaces no fence is raised.
    pub overlay: Option<PathBuf>,
}

/// Which file or folder it is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The disk that it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

impl FileId {
    /// What lies at a path, links followed.
    pub fn at(path: impl AsRef<Path>) -> Option<Self> {
        path.as_ref().metadata().ok().map(|about| Self::from(&about))
    }
}

impl From<&Metadata> for FileId {
    fn from(about: &Metadata) -> Self {
        Self { device: about.dev(), inode: about.ino() }
    }
}

/// Whether no fence was raised because something was replaced meanwhile: it can be looked at anew, and tried again.
pub fn is_stale(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::StaleNetworkFileHandle
}

/// How far the network reaches inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    /// Nowhere.
    #[default]
    None,
    /// As outside, but for sockets of the machine itself (those with a path, and abstract ones).
    Host,
    /// Among those inside: a loopback of their own, so that what tests a server can start one. Only namespaces hold this.
    Loopback,
    /// The same, and to us: [`Fence::gate`] is what is listened at. Only namespaces hold this.
    Gate,
}

/// What holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLayers {
    /// Namespaces: of users, mounts, processes, network and messages. Without Landlock a pipe with a name (`mkfifo`) can be
    /// written to if somebody outside reads it: no mount closes those.
    pub namespaces: bool,
    /// Landlock. Alone it lets the time change when a file was last read, and root may start any number of processes.
    pub landlock: bool,
    /// Seccomp.
    pub seccomp: bool,
}

impl KernelLayers {
    /// All that there are.
    pub const ALL: Self = Self { namespaces: true, landlock: true, seccomp: true };

    /// Whether nothing at all gets through.
    pub fn are_sufficient(self) -> bool {
        self.seccomp && (self.namespaces || self.landlock)
    }
}

/// Since this version Landlock can hold alone: it knows shortening, devices, signals, and sockets without a path.
pub(crate) const LANDLOCK_ALONE: u32 = 6;

/// What there is to make a fence of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailableLayers {
    /// Namespaces, or why there are none: settings, containers and security modules may refuse them.
    pub namespaces: Result<(), String>,
    /// The version of Landlock, if there is any.
    pub landlock: Option<u32>,
    /// Whether there is seccomp.
    pub seccomp: bool,
}

impl AvailableLayers {
    /// What is left of it if only these layers are used.
    #[must_use]
    pub fn limited_to(self, to: KernelLayers) -> Self {
        let off = || "turned off".to_owned();
        Self {
            namespaces: if to.namespaces {
                self.namespaces
            } else {
                self.namespaces.and_then(|()| Err(off()))
            },
            landlock: self.landlock.filter(|_| to.landlock),
            seccomp: self.seccomp && to.seccomp,
        }
    }

    /// The strongest layers that hold here; nothing if none do.
    pub fn layers(&self) -> Option<KernelLayers> {
        let layers = KernelLayers {
            namespaces: self.namespaces.is_ok(),
            landlock: self.landlock.is_some_and(|version| self.namespaces.is_ok() || can_hold_alone(version)),
            seccomp: self.seccomp,
        };
        layers.are_sufficient().then_some(layers)
    }

    /// What holds and what does not, a line for each layer, for a person.
    pub fn describe(&self) -> [String; 3] {
        let namespaces = match &self.namespaces {
            Ok(()) => "Namespaces: yes".to_owned(),
            Err(why) => format!("Namespaces: no ({why})"),
        };
        let landlock = match self.landlock {
            None => "Landlock: no (missing from the kernel, or off: see boot parameter `lsm=`)".to_owned(),
            Some(version) if can_hold_alone(version) => format!("Landlock: yes, version {version}"),
            Some(version) => {
                format!(
                    "Landlock: version {version}, only together with namespaces (alone, it needs {})",
                    LANDLOCK_ALONE
                )
            }
        };
        let seccomp = match self.seccomp {
            true => "Seccomp: yes".to_owned(),
            false => "Seccomp: no (the kernel does not support filters, and the fence needs them)".to_owned(),
        };
        [namespaces, landlock, seccomp]
    }
}

fn can_hold_alone(version: u32) -> bool {
    version >= LANDLOCK_ALONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_landlock_holds_nothing_alone() {
        let old = AvailableLayers { namespaces: Err("Refused".into()), landlock: Some(3), seccomp: true };
        assert_eq!(old.layers(), None);
        assert_eq!(old.describe()[0], "Namespaces: no (Refused)");
        let new = AvailableLayers { landlock: Some(6), ..old };
        assert_eq!(new.layers(), Some(KernelLayers { namespaces: false, ..KernelLayers::ALL }));
        assert_eq!(AvailableLayers { seccomp: false, ..new }.layers(), None);
    }
}
