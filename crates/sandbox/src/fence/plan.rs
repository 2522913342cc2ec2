//! What the cell does to its view of the machine, prepared before it is forked: it cannot allocate.

use std::cell::Cell as Slot;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

use super::limits::{self, Limits};
use super::paths::{self, HIDDEN, MEMORY, c, escaped, is_hidden, text};
use super::raw::{NO_DEVICES, READ_ONLY};
use super::{Layers, Network, Policy, held, landlock, layer, seccomp};

/// Everything that the cell needs, ready.
pub(super) struct Plan {
    pub(super) layers: Layers,
    pub(super) network: Network,
    /// Done while everything can still be written to.
    pub(super) before: Vec<Step>,
    /// Done when nothing can.
    pub(super) after: Vec<Step>,
    /// Copies of mounts on their way from where they were to where they will be.
    pub(super) kept: Vec<Slot<i32>>,
    pub(super) landlock: Option<landlock::Rules>,
    pub(super) filters: Vec<seccomp::Filter>,
    pub(super) limits: Limits,
}

/// One step.
pub(super) enum Step {
    /// Takes a copy of what is mounted here, before something else hides it.
    Keep {
        from: CString,
        slot: usize,
    },
    /// Makes a folder that shows this one, and keeps what is written in another.
    Cover {
        lower: CString,
        upper: CString,
        work: CString,
        slot: usize,
    },
    /// Something empty and writable, forgotten with the cell.
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
    Put {
        slot: usize,
        at: CString,
        attributes: u64,
    },
    /// A folder that nobody inside may look into is empty.
    MaskFolder {
        at: CString,
    },
    /// A file that nobody inside may read has nothing in it.
    MaskFile {
        at: CString,
    },
    /// What is here is mounted on itself, with these attributes.
    Pin {
        at: CString,
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

impl Plan {
    /// For this policy, with these layers at most.
    pub(super) fn new(policy: &Policy, layers: Layers) -> io::Result<Self> {
        if !layers.namespaces
            && let Some(words) = without_namespaces(policy)
        {
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        let mut steps = Steps::default();
        if layers.namespaces {
            let folders = steps.folders(policy)?;
            steps.devices()?;
            for hidden in HIDDEN {
                steps.hide(Path::new(hidden), &folders)?;
            }
            steps.put_back(&folders)?;
            for (path, attributes) in held::pins(&policy.held, &policy.writable) {
                steps.after.push(Step::Pin { at: c(&path)?, attributes });
            }
            steps.mask(&policy.masked, &folders)?;
        }
        let Steps { before, after, kept } = steps;
        let landlock = layers.landlock.then(|| landlock::Rules::new(policy, layers)).transpose()?;
        let filters = if layers.seccomp { seccomp::filters(layers, policy.network)? } else { Vec::new() };
        let (kept, limits) = ((0..kept).map(|_| Slot::new(-1)).collect(), Limits::new(policy, layers));
        Ok(Self { layers, network: policy.network, before, after, kept, landlock, filters, limits })
    }
}

/// Why this cannot be held without namespaces, if so. What Landlock alone could do instead would be less than was asked for.
fn without_namespaces(policy: &Policy) -> Option<&'static str> {
    if policy.layer.is_some() {
        return Some("Only namespaces can keep what is written to the working folders apart");
    }
    if !policy.held.is_empty() && !policy.writable.is_empty() {
        return Some("Only namespaces can hold something in a folder that may be written to");
    }
    match policy.network {
        Network::None | Network::Host => None,
        Network::Loopback => Some("Only namespaces can give those inside a loopback of their own"),
        Network::Gate => Some("Only namespaces can leave the network one way out and no other"),
    }
}

/// A working folder, and the slot that it is put back from.
struct Working {
    path: PathBuf,
    slot: usize,
    /// Whether it must be put back even where nothing hides it.
    changed: bool,
}

#[derive(Default)]
struct Steps {
    before: Vec<Step>,
    after: Vec<Step>,
    kept: usize,
}

impl Steps {
    /// Where each working folder comes from: itself, read-only; itself, writable; or a layer over it.
    fn folders(&mut self, policy: &Policy) -> io::Result<Vec<Working>> {
        let mut folders = Vec::new();
        for (number, path) in policy.folders.iter().enumerate() {
            let slot = match &policy.layer {
                Some(layer) => self.cover(path, &layer::upper(layer, number), &layer::work(layer, number))?,
                None => {
                    let (slot, from) = (self.slot(), c(path)?);
                    self.after.push(Step::Keep { from, slot });
                    slot
                }
            };
            folders.push(Working { path: path.clone(), slot, changed: policy.layer.is_some() });
        }
        for path in &policy.writable {
            let (slot, from) = (self.slot(), c(path)?);
            self.before.push(Step::Keep { from, slot });
            folders.push(Working { path: path.clone(), slot, changed: true });
        }
        // Outer folders first: what is put back would hide what lies in it.
        folders.sort_by_key(|folder| folder.path.components().count());
        Ok(folders)
    }

    fn cover(&mut self, path: &Path, upper: &Path, work: &Path) -> io::Result<usize> {
        let slot = self.slot();
        std::fs::create_dir_all(upper)?;
        std::fs::create_dir_all(work)?;
        let (lower, upper, work) = (escaped(path)?, escaped(upper)?, escaped(work)?);
        self.before.push(Step::Cover { lower, upper, work, slot });
        Ok(slot)
    }

    /// Only devices that hold nothing: a disk can be written to through its device, whatever is mounted read-only.
    fn devices(&mut self) -> io::Result<()> {
        let dev = Path::new("/dev");
        let mut devices = Vec::new();
        for path in DEVICES.iter().map(|name| dev.join(name)).filter(|path| path.exists()) {
            let slot = self.slot();
            // Before: afterwards there are no devices.
            self.before.push(Step::Keep { from: c(&path)?, slot });
            devices.push((slot, path));
        }
        self.after.push(Step::Scratch { at: c(dev)?, options: text("mode=755,size=64k,nr_inodes=64")? });
        for (slot, path) in devices {
            self.after.push(Step::File { at: c(&path)? });
            self.after.push(Step::Put { slot, at: c(&path)?, attributes: READ_ONLY });
        }
        for (to, name) in LINKS {
            self.after.push(Step::Link { to: text(to)?, at: c(&dev.join(name))? });
        }
        self.after.push(Step::Folder { at: text(MEMORY)? });
        Ok(())
    }

    /// A scratch folder instead of this one, with the ways to the working folders in it.
    fn hide(&mut self, hidden: &Path, working: &[Working]) -> io::Result<()> {
        if !paths::can_be_scratch(hidden) || working.iter().any(|it| it.path == hidden) {
            return Ok(());
        }
        self.after.push(Step::Scratch { at: c(hidden)?, options: text(&limits::scratch())? });
        for Working { path, .. } in working.iter().filter(|it| it.path.starts_with(hidden)) {
            let mut below: Vec<&Path> = path.ancestors().take_while(|it| *it != hidden).collect();
            below.reverse();
            for ancestor in below {
                self.after.push(Step::Folder { at: c(ancestor)? });
            }
        }
        Ok(())
    }

    fn put_back(&mut self, working: &[Working]) -> io::Result<()> {
        for Working { path, slot, changed } in working {
            if *changed || is_hidden(path) {
                self.after.push(Step::Put { slot: *slot, at: c(path)?, attributes: NO_DEVICES });
            }
        }
        Ok(())
    }

    /// Files that nobody inside may read show nothing, and folders are empty. What a link leads to is meant, not the
    /// link: else it could still be read by its own name. What is hidden anyway cannot be masked: it is not there.
    fn mask(&mut self, masked: &[PathBuf], working: &[Working]) -> io::Result<()> {
        let ways =
            masked.iter().flat_map(|path| paths::ways(path, working.iter().map(|it| it.path.as_path())));
        // Outer ones first: in a folder that is empty by then there is nothing left to mask.
        let ways: BTreeSet<PathBuf> = ways.collect();
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in ways {
            if folders.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            if path.is_dir() {
                self.after.push(Step::MaskFolder { at: c(&path)? });
                folders.push(path);
            } else if path.exists() {
                self.after.push(Step::MaskFile { at: c(&path)? });
            }
        }
        Ok(())
    }

    fn slot(&mut self) -> usize {
        self.kept += 1;
        self.kept - 1
    }
}
