//! What the cell does to its view of the machine, prepared before it is forked: it cannot allocate.

use std::cell::Cell as Slot;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Layers, Policy, landlock, seccomp};

/// Everything that the cell needs, ready.
pub(super) struct Plan {
    pub(super) layers: Layers,
    /// What is mounted where, in order.
    pub(super) steps: Vec<Step>,
    /// Copies of mounts on their way from where they were to where they will be.
    pub(super) kept: Vec<Slot<i32>>,
    pub(super) landlock: Option<landlock::Rules>,
    pub(super) filters: Vec<seccomp::Filter>,
}

/// One step.
pub(super) enum Step {
    /// Takes a copy of what is mounted here, before something else hides it.
    Keep { from: CString, slot: usize },
    /// Something empty and writable, forgotten with the cell.
    Scratch { at: CString, options: CString },
    Folder { at: CString },
    File { at: CString },
    /// What was kept comes here.
    Put { slot: usize, at: CString },
    Link { to: CString, at: CString },
}

/// How large a scratch folder may become, and how many files it may have.
const SCRATCH: &str = "mode=1777,size=2g,nr_inodes=200k";
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: [(&str, &str); 4] =
    [("/proc/self/fd", "fd"), ("fd/0", "stdin"), ("fd/1", "stdout"), ("fd/2", "stderr")];
const HIDDEN: [&str; 2] = ["/tmp", "/var/tmp"];

impl Plan {
    /// For this policy, with these layers at most.
    pub(super) fn new(policy: &Policy, layers: Layers) -> io::Result<Self> {
        let mut steps = Steps::default();
        if layers.namespaces {
            steps.devices()?;
            for folder in HIDDEN {
                steps.hide(Path::new(folder), &policy.folders)?;
            }
        }
        let Steps { steps, kept } = steps;
        let landlock = layers.landlock.then(|| landlock::Rules::new(policy, layers)).transpose()?;
        let filters = if layers.seccomp { seccomp::filters(layers)? } else { Vec::new() };
        Ok(Self { layers, steps, kept: (0..kept).map(|_| Slot::new(-1)).collect(), landlock, filters })
    }
}

#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    kept: usize,
}

impl Steps {
    /// Only devices that hold nothing: a disk can be written to through its device, whatever is mounted read-only.
    fn devices(&mut self) -> io::Result<()> {
        let dev = Path::new("/dev");
        let slots: Vec<(usize, PathBuf)> = DEVICES
            .iter()
            .map(|name| dev.join(name))
            .filter(|path| path.exists())
            .map(|path| Ok((self.keep(&path)?, path)))
            .collect::<io::Result<_>>()?;
        self.steps.push(Step::Scratch { at: c(dev)?, options: text("mode=755,size=64k,nr_inodes=64")? });
        for (slot, path) in slots {
            self.steps.push(Step::File { at: c(&path)? });
            self.steps.push(Step::Put { slot, at: c(&path)? });
        }
        for (to, name) in LINKS {
            self.steps.push(Step::Link { to: text(to)?, at: c(&dev.join(name))? });
        }
        self.steps.push(Step::Folder { at: c(&dev.join("shm"))? });
        self.steps.push(Step::Scratch { at: c(&dev.join("shm"))?, options: text(SCRATCH)? });
        Ok(())
    }

    /// A scratch folder instead of this one, with the working folders that lie in it put back.
    fn hide(&mut self, folder: &Path, working: &[PathBuf]) -> io::Result<()> {
        if !folder.is_dir() || folder.is_symlink() {
            return Ok(());
        }
        let inside: Vec<&PathBuf> = working.iter().filter(|it| it.starts_with(folder) && *it != folder).collect();
        if working.iter().any(|it| it == folder) {
            return Ok(());
        }
        let slots: Vec<usize> = inside.iter().map(|it| self.keep(it)).collect::<io::Result<_>>()?;
        self.steps.push(Step::Scratch { at: c(folder)?, options: text(SCRATCH)? });
        for (slot, path) in slots.into_iter().zip(inside) {
            let mut below: Vec<&Path> = path.ancestors().take_while(|it| *it != folder).collect();
            below.reverse();
            for ancestor in below {
                self.steps.push(Step::Folder { at: c(ancestor)? });
            }
            self.steps.push(Step::Put { slot, at: c(path)? });
        }
        Ok(())
    }

    fn keep(&mut self, from: &Path) -> io::Result<usize> {
        let slot = self.kept;
        self.kept += 1;
        self.steps.push(Step::Keep { from: c(from)?, slot });
        Ok(slot)
    }
}

pub(super) fn c(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "there is a NUL in a path"))
}

fn text(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "there is a NUL in a text"))
}
