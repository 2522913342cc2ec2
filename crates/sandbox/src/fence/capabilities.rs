//! Capabilities: which we have, and which programs inside do not get.
#![expect(unsafe_code, reason = "system calls, some of them of a process that may not allocate")]

use super::raw::{self, Errno};

const SYS_RAWIO: libc::c_ulong = 17;
const SYS_PTRACE: libc::c_ulong = 19;
const SYS_ADMIN: libc::c_ulong = 21;
const SYS_RESOURCE: libc::c_ulong = 24;

/// By which right masks are mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MountRight {
    /// The right that we have anyway.
    Real,
    /// The right of whoever makes a user namespace.
    OwnUsers,
}

impl MountRight {
    /// Ours. It need not be root's: in containers root may have no right to mount.
    pub(super) fn current() -> Self {
        match effective() & (1 << SYS_ADMIN) {
            0 => MountRight::OwnUsers,
            _ => MountRight::Real,
        }
    }
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

/// A head of the third version goes with two sets of three words: effective, permitted, inheritable.
const HEADER: CapabilityHeader = CapabilityHeader { version: 0x2008_0522, pid: 0 };

fn effective() -> u64 {
    let (head, mut sets) = (HEADER, [0u32; 6]);
    // SAFETY: the head and the room for both sets live longer than the call. If it fails there is nothing in them.
    unsafe { libc::syscall(libc::SYS_capget, &raw const head, sets.as_mut_ptr()) };
    let [low, _, _, high, ..] = sets;
    u64::from(low) | u64::from(high) << 32
}

/// Inside of its own user namespace the supervisor is mighty; what it starts is not, not even as root.
pub(super) fn drop_all() -> Result<(), Errno> {
    const NOROOT_AND_LOCKED: libc::c_ulong = 0b11;
    let _ = raw::prctl(libc::PR_SET_SECUREBITS, NOROOT_AND_LOCKED);
    for capability in 0..64 {
        // Past the last one that the kernel knows, and for whoever has none to drop, this is an error.
        if raw::prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
    let (head, none) = (HEADER, [0u32; 6]);
    // SAFETY: the head and both sets live longer than the call.
    match unsafe { libc::syscall(libc::SYS_capset, &raw const head, none.as_ptr()) } {
        0 => Ok(()),
        _ => Err(raw::errno()),
    }
}

/// For a program in a user namespace that only exists for its masks: no program gets the right to unmount them, neither as
/// root nor from its file, and none the right to trace the supervisor, who has it. All other rights stay: in a container
/// without the right to mount they are what root has.
pub(super) fn keep_masks() -> Result<(), Errno> {
    [SYS_ADMIN, SYS_PTRACE].into_iter().try_for_each(|right| raw::prctl(libc::PR_CAPBSET_DROP, right))
}

/// For a program of a model that is not confined: it may not look into other processes, neither by tracing them nor in the
/// machine's memory, nor raise its limits, by which it is known (`model_mark.rs`). All other rights stay.
pub(crate) fn drop_sight() -> Result<(), Errno> {
    const DROPPED: [libc::c_ulong; 3] = [SYS_PTRACE, SYS_RAWIO, SYS_RESOURCE];
    for right in DROPPED {
        // Whoever is not root may not do this, and need not: without the right itself nobody gets it from the set.
        let _ = raw::prctl(libc::PR_CAPBSET_DROP, right);
    }
    // Root gets all rights of the set back with the next program. In a container root may not be allowed to make the set
    // smaller; then no program may get any rights that its caller does not have.
    // SAFETY: neither takes a pointer.
    let comes_back = |right: &libc::c_ulong| unsafe { libc::prctl(libc::PR_CAPBSET_READ, *right) } == 1;
    if unsafe { libc::geteuid() } == 0 && DROPPED.iter().any(comes_back) {
        raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    }
    let (head, mut sets) = (HEADER, [0u32; 6]);
    // SAFETY: the head and the room for both sets live longer than the call.
    if unsafe { libc::syscall(libc::SYS_capget, &raw const head, sets.as_mut_ptr()) } != 0 {
        return Err(raw::errno());
    }
    // All of them are in the first of the two words of each kind.
    let mask = DROPPED.iter().fold(0u32, |mask, right| mask | 1 << right);
    let [effective, permitted, inheritable, ..] = &mut sets;
    for set in [effective, permitted, inheritable] {
        *set &= !mask;
    }
    // SAFETY: as above.
    match unsafe { libc::syscall(libc::SYS_capset, &raw const head, sets.as_ptr()) } {
        0 => Ok(()),
        _ => Err(raw::errno()),
    }
}
