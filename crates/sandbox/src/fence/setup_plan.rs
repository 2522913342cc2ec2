//! What the supervisor does to its view of the machine, prepared before it is forked: it cannot allocate.

use std::cell::Cell as Slot;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::capabilities::MountRight;
use super::limits::{self, Limits};
use super::paths::{self, HIDDEN, SHARED_MEMORY, c_path, c_text, escaped, is_hidden};
use super::place::{Place, stale};
use super::raw::{NO_DEVICES, READ_ONLY};
use super::{
    FencePolicy, FenceScope, KernelLayers, NetworkAccess, landlock, overlay, protected, seccomp, users,
};
use crate::guardian;
use crate::policy::FileId;

/// What the supervisor puts around programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enclosure {
    /// All layers.
    Confined,
    /// A view of the files with masks in it, and nothing else.
    MasksOnly(MountRight),
}

/// Everything that the supervisor needs, ready.
pub(super) struct SetupPlan {
    pub(super) enclosure: Enclosure,
    /// The user namespace to go into, if the supervisor cannot make its own ([`users`] has the reason).
    pub(super) users: Option<OwnedFd>,
    /// Where programs tell of their groups that nothing else ends with us.
    pub(super) guardian: Option<BorrowedFd<'static>>,
    pub(super) layers: KernelLayers,
    pub(super) network: NetworkAccess,
    /// Done while everything can still be written to.
    pub(super) before: Vec<MountStep>,
    /// Done when nothing can.
    pub(super) after: Vec<MountStep>,
    /// Copies of mounts on their way from where they were to where they will be.
    pub(super) saved: Vec<Slot<i32>>,
    pub(super) landlock: Option<landlock::LandlockRules>,
    pub(super) filters: Vec<seccomp::Filter>,
    pub(super) limits: Option<Limits>,
}

/// One step.
pub(super) enum MountStep {
    /// Takes a copy of what is mounted here, before something else hides it.
    SaveMount {
        from: Place,
        slot: usize,
    },
    /// Makes a folder that shows this one, and keeps what is written in another.
    MountOverlay {
        lower: CString,
        upper: CString,
        work: CString,
        slot: usize,
    },
    /// Something empty and writable, forgotten with the supervisor.
    Scratch {
        at: CString,
        options: CString,
    },
    Folder {
        at: CString,
    },
    File {
        at: CString,
    },
    /// What was kept comes here, with these attributes.
    RestoreMount {
        slot: usize,
        at: Place,
        attributes: u64,
    },
    /// A folder that nobody inside may look into is empty.
    MaskFolder {
        at: Place,
        mode: &'static CStr,
    },
    /// A file that nobody inside may read has nothing in it.
    MaskFile {
        at: Place,
        attributes: u64,
    },
    /// What is here is mounted on itself, with these attributes.
    Pin {
        at: Place,
        attributes: u64,
    },
    Link {
        to: CString,
        at: CString,
    },
}

const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: [(&str, &str); 4] =
    [("/proc/self/fd", "fd"), ("fd/0", "stdin"), ("fd/1", "stdout"), ("fd/2", "stderr")];

impl SetupPlan {
    /// For this policy, with these layers at most.
    pub(super) fn new(policy: &FencePolicy, layers: KernelLayers) -> io::Result<Self> {
        match policy.scope {
            FenceScope::Confined => Self::confined(policy, layers),
            FenceScope::MasksOnly => Self::masks_only(policy, layers),
        }
    }

    fn masks_only(policy: &FencePolicy, layers: KernelLayers) -> io::Result<Self> {
        if !layers.namespaces {
            let words = "Masking files without confining the command requires namespaces";
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        let mut steps = StepBuilder::default();
        steps.mask(masked_places(policy, |path| path.canonicalize().into_iter().collect())?, |_| true)?;
        let right = MountRight::current();
        Ok(Self {
            enclosure: Enclosure::MasksOnly(right),
            users: if right == MountRight::OwnUsers { users::prepared()? } else { None },
            guardian: guardian::socket(),
            layers,
            network: NetworkAccess::Host,
            before: Vec::new(),
            after: steps.after,
            saved: Vec::new(),
            landlock: None,
            filters: Vec::new(),
            limits: None,
        })
    }

    fn confined(policy: &FencePolicy, layers: KernelLayers) -> io::Result<Self> {
        if !layers.namespaces
            && let Some(words) = without_namespaces(policy)
        {
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        let mut steps = StepBuilder::default();
        if layers.namespaces {
            let folders = steps.folders(policy)?;
            steps.devices()?;
            for hidden in HIDDEN {
                steps.hide(Path::new(hidden), &folders)?;
            }
            steps.restore_mounts(&folders)?;
            for (path, pin) in protected::pins(policy)? {
                let at = Place::new(&path, Some(pin.id))?;
                steps.after.push(MountStep::Pin { at, attributes: pin.attributes });
            }
            let working = || folders.iter().map(|it| it.path.as_path());
            // What is hidden anyway cannot be masked: it is not there.
            let masked = masked_places(policy, |path| paths::visible_paths(path, working()))?;
            let is_writable = |path: &Path| policy.writable.iter().any(|folder| path.starts_with(folder));
            steps.mask(masked, is_writable)?;
        }
        let StepBuilder { before, after, saved } = steps;
        let landlock = layers.landlock.then(|| landlock::LandlockRules::new(policy, layers)).transpose()?;
        let filters = if layers.seccomp { seccomp::filters(layers, policy.network)? } else { Vec::new() };
        Ok(Self {
            enclosure: Enclosure::Confined,
            users: if layers.namespaces { users::prepared()? } else { None },
            guardian: None,
            layers,
            network: policy.network,
            before,
            after,
            saved: (0..saved).map(|_| Slot::new(-1)).collect(),
            landlock,
            filters,
            limits: Some(Limits::new(policy, layers)),
        })
    }
}

/// Where what is masked is seen inside, without links: what a link leads to is meant, not the link, else it could still be
/// read by its own name. With what lies there.
fn masked_places(
    policy: &FencePolicy,
    visible: impl Fn(&Path) -> Vec<PathBuf>,
) -> io::Result<BTreeMap<PathBuf, Option<FileId>>> {
    let mut places = BTreeMap::new();
    for path in &policy.masked {
        let id = policy.identities.get(path).copied();
        if id.is_some() && id != FileId::at(path) {
            return Err(stale());
        }
        places.extend(visible(path).into_iter().map(|seen| (seen, id)));
    }
    Ok(places)
}

/// Why this cannot be held without namespaces, if so. What Landlock alone could do instead would be less than was asked for.
fn without_namespaces(policy: &FencePolicy) -> Option<&'static str> {
    if policy.overlay.is_some() {
        return Some("Separating writes to the working directories requires namespaces");
    }
    if !policy.protected.is_empty() && !policy.writable.is_empty() {
        return Some("Protecting paths inside a writable folder requires namespaces");
    }
    match policy.network {
        NetworkAccess::None | NetworkAccess::Host => None,
        NetworkAccess::Loopback => Some("A separate loopback interface requires namespaces"),
        NetworkAccess::Gate => Some("Restricting the network to the gate requires namespaces"),
    }
}

/// A working folder, and the slot that it is put back from.
struct MountedFolder {
    path: PathBuf,
    id: Option<FileId>,
    slot: usize,
    /// Whether it must be put back even where nothing hides it.
    changed: bool,
}

#[derive(Default)]
struct StepBuilder {
    before: Vec<MountStep>,
    after: Vec<MountStep>,
    saved: usize,
}

impl StepBuilder {
    /// Where each working folder comes from: itself, read-only; itself, writable; or a layer over it.
    fn folders(&mut self, policy: &FencePolicy) -> io::Result<Vec<MountedFolder>> {
        let mut folders = Vec::new();
        let id = |path: &PathBuf| policy.identities.get(path).copied();
        for (number, path) in policy.folders.iter().enumerate() {
            let slot = match &policy.overlay {
                Some(overlay) => {
                    self.add_overlay(path, &overlay::upper(overlay, number), &overlay::work(overlay, number))?
                }
                None => {
                    let (slot, from) = (self.slot(), Place::new(path, id(path))?);
                    self.after.push(MountStep::SaveMount { from, slot });
                    slot
                }
            };
            let changed = policy.overlay.is_some();
            folders.push(MountedFolder { path: path.clone(), id: id(path), slot, changed });
        }
        for path in &policy.writable {
            let (slot, from) = (self.slot(), Place::new(path, id(path))?);
            self.before.push(MountStep::SaveMount { from, slot });
            folders.push(MountedFolder { path: path.clone(), id: id(path), slot, changed: true });
        }
        // Outer folders first: what is put back would hide what lies in it.
        folders.sort_by_key(|folder| folder.path.components().count());
        Ok(folders)
    }

    fn add_overlay(&mut self, path: &Path, upper: &Path, work: &Path) -> io::Result<usize> {
        let slot = self.slot();
        std::fs::create_dir_all(upper)?;
        std::fs::create_dir_all(work)?;
        let (lower, upper, work) = (escaped(path)?, escaped(upper)?, escaped(work)?);
        self.before.push(MountStep::MountOverlay { lower, upper, work, slot });
        Ok(slot)
    }

    /// Only devices that hold nothing: a disk can be written to through its device, whatever is mounted read-only.
    fn devices(&mut self) -> io::Result<()> {
        let dev = Path::new("/dev");
        let mut devices = Vec::new();
        for path in DEVICES.iter().map(|name| dev.join(name)).filter(|path| path.exists()) {
            let slot = self.slot();
            // Before: afterwards there are no devices.
            self.before.push(MountStep::SaveMount { from: Place::any(&path)?, slot });
            devices.push((slot, path));
        }
        self.after.push(MountStep::Scratch {
            at: c_path(dev)?,
            options: c_text("mode=755,size=64k,nr_inodes=64")?,
        });
        for (slot, path) in devices {
            self.after.push(MountStep::File { at: c_path(&path)? });
            let at = Place::any(&path)?;
            self.after.push(MountStep::RestoreMount { slot, at, attributes: READ_ONLY });
        }
        for (to, name) in LINKS {
            self.after.push(MountStep::Link { to: c_text(to)?, at: c_path(&dev.join(name))? });
        }
        self.after.push(MountStep::Folder { at: c_text(SHARED_MEMORY)? });
        Ok(())
    }

    /// A scratch folder instead of this one, with the ways to the working folders in it.
    fn hide(&mut self, hidden: &Path, working: &[MountedFolder]) -> io::Result<()> {
        if !paths::can_be_scratch(hidden) || working.iter().any(|it| it.path == hidden) {
            return Ok(());
        }
        self.after.push(MountStep::Scratch { at: c_path(hidden)?, options: c_text(&limits::scratch())? });
        for MountedFolder { path, .. } in working.iter().filter(|it| it.path.starts_with(hidden)) {
            let mut below: Vec<&Path> = path.ancestors().take_while(|it| *it != hidden).collect();
            below.reverse();
            for ancestor in below {
                self.after.push(MountStep::Folder { at: c_path(ancestor)? });
            }
        }
        Ok(())
    }

    fn restore_mounts(&mut self, working: &[MountedFolder]) -> io::Result<()> {
        for MountedFolder { path, id, slot, changed } in working {
            if *changed || is_hidden(path) {
                let lies_in_another = working.iter().any(|it| it.path != *path && path.starts_with(&it.path));
                // In scratch it is put back on a folder that was made for it.
                let id = id.filter(|_| !is_hidden(path) || lies_in_another);
                let at = Place::new(path, id)?;
                self.after.push(MountStep::RestoreMount { slot: *slot, at, attributes: NO_DEVICES });
            }
        }
        Ok(())
    }

    /// Files that nobody inside may read show nothing, and folders are empty. What could be written to is closed instead of
    /// empty: what is written to nothing is lost, and git would take what is not there for deleted.
    fn mask(
        &mut self,
        masked: BTreeMap<PathBuf, Option<FileId>>,
        is_writable: impl Fn(&Path) -> bool,
    ) -> io::Result<()> {
        let mut folder: Option<PathBuf> = None;
        // Outer ones first, and what lies in them at once: in a folder that is empty by then there is nothing left to mask.
        for (path, id) in masked {
            if folder.as_ref().is_some_and(|folder| path.starts_with(folder)) {
                continue;
            }
            let at = Place::new(&path, id)?;
            if path.is_dir() {
                let mode = if is_writable(&path) { c"000" } else { c"500" };
                self.after.push(MountStep::MaskFolder { at, mode });
                folder = Some(path);
            } else if path.exists() {
                let attributes = if is_writable(&path) { READ_ONLY | NO_DEVICES } else { READ_ONLY };
                self.after.push(MountStep::MaskFile { at, attributes });
            } else if id.is_some() {
                return Err(stale());
            }
        }
        Ok(())
    }

    fn slot(&mut self) -> usize {
        self.saved += 1;
        self.saved - 1
    }
}
