//! Landlock: what may be written, by folder; and no word to processes outside.
#![expect(unsafe_code, reason = "three system calls that no library makes without allocating")]

use std::io;
use std::path::{Path, PathBuf};

use super::identities::PathIdentity;
use super::paths;
use super::place::Place;
use super::raw::Errno;
use super::readable::Readable;
use super::{FencePolicy, KernelLayers, NetworkAccess};
use crate::policy::LANDLOCK_ALONE;

/// Which rights are held back, and where they are given.
pub(super) struct LandlockRules {
    attr: RulesetAttr,
    granted: Vec<(Place, u64)>,
    /// Folders whose entries were given one by one, so that what is new in them is not.
    pub(super) listed: Vec<PathIdentity>,
}

#[repr(C)]
struct RulesetAttr {
    fs: u64,
    net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: i32,
}

const PATH_BENEATH: i32 = 1;
const VERSION: u32 = 1;

// Rights of files, by the version of Landlock that brought them. Running is not held back, and reading only of devices.
const WRITE_FILE: u64 = 1 << 1;
/// Removing and making, of every kind.
const CHANGE_FOLDERS: u64 = 0b1_1111_1111 << 4;
const READ_FILE: u64 = 1 << 2;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
const TCP: u64 = 0b11;
const ABSTRACT_SOCKETS_AND_SIGNALS: u64 = 0b11;

/// The version that the kernel has; nothing if it has none.
pub(super) fn version() -> Option<i64> {
    // SAFETY: asked for its version, the call takes no structure.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) };
    (answer > 0).then_some(answer)
}

fn rights(version: i64) -> u64 {
    let mut rights = WRITE_FILE | CHANGE_FOLDERS;
    for (since, right) in [(2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)] {
        if version >= since {
            rights |= right;
        }
    }
    rights
}

impl LandlockRules {
    pub(super) fn new(policy: &FencePolicy, layers: KernelLayers) -> io::Result<Self> {
        let version = version().unwrap_or(0);
        if !layers.namespaces && version < i64::from(LANDLOCK_ALONE) {
            let words = format!(
                "Landlock version {version} is not enough without namespaces; it needs version {LANDLOCK_ALONE}"
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        let all = rights(version);
        // Where there is a network, namespaces or nobody say how far it reaches.
        let net = if version >= 4 && policy.network == NetworkAccess::None { TCP } else { 0 };
        let scoped = if version >= 6 { ABSTRACT_SOCKETS_AND_SIGNALS } else { 0 };
        let mut granted = Vec::new();
        let id = |path: &Path| policy.identities.get(path).copied();
        let covered = if policy.overlay.is_some() { policy.folders.as_slice() } else { &[] };
        let writable = covered.iter().chain(&policy.writable).map(|it| it.as_path());
        let scratch = match layers.namespaces {
            true => paths::scratch(policy),
            false => policy.scratch.iter().cloned().collect(),
        };
        for folder in scratch.iter().map(PathBuf::as_path).chain(writable) {
            granted.push((Place::new(folder, id(folder))?, all));
        }
        let device = all & (WRITE_FILE | TRUNCATE | IOCTL_DEV);
        if layers.namespaces {
            for name in ["null", "zero", "full", "tty"] {
                granted.push((Place::any(&Path::new("/dev").join(name))?, device));
            }
            let attr = RulesetAttr { fs: all, net, scoped };
            return Ok(Self { attr, granted, listed: Vec::new() });
        }
        // All devices are in sight: whoever reads a terminal takes what was typed there, and may own it.
        granted.iter_mut().for_each(|(_, rights)| *rights |= READ_FILE);
        for name in ["null", "zero", "full"] {
            granted.push((Place::any(&Path::new("/dev").join(name))?, device | READ_FILE));
        }
        let readable = Readable::without(&policy.masked)?;
        for path in &readable.granted {
            granted.push((Place::any(path)?, READ_FILE));
        }
        let attr = RulesetAttr { fs: all | READ_FILE, net, scoped };
        Ok(Self { attr, granted, listed: readable.listed })
    }

    /// Makes the rules; a descriptor to enforce them with. A place that is not there needs none.
    pub(super) fn make(&self) -> Result<i32, Errno> {
        // SAFETY: the structure lives longer than the call, and the size is its own.
        let made = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const self.attr,
                size_of::<RulesetAttr>(),
                0u32,
            )
        };
        if made < 0 {
            return Err(super::raw::errno());
        }
        let rules = made as i32;
        for (place, allowed) in &self.granted {
            let parent = match place.hold(0) {
                Ok(Some(parent)) => parent,
                Err(libc::ESTALE) => return Err(libc::ESTALE),
                Ok(None) | Err(_) => continue,
            };
            let rule = PathBeneath { allowed: *allowed, parent };
            // SAFETY: as above.
            let added = unsafe {
                libc::syscall(libc::SYS_landlock_add_rule, rules, PATH_BENEATH, &raw const rule, 0u32)
            };
            let error = super::raw::errno();
            super::raw::close(parent);
            if added < 0 {
                return Err(error);
            }
        }
        Ok(rules)
    }
}

/// From now on this process is held to the rules, and all that it starts. It must have given up new privileges.
pub(super) fn enforce(rules: i32) -> Result<(), Errno> {
    // SAFETY: no pointer is passed.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0u32) } {
        0 => Ok(()),
        _ => Err(super::raw::errno()),
    }
}
