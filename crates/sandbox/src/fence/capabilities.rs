//! Capabilities: which we have, and which programs inside do not get.
#![expect(unsafe_code, reason = "system calls, some of them of a process that may not allocate")]

use super::raw::{self, Errno};

const SYS_PTRACE: libc::c_ulong = 19;
const SYS_ADMIN: libc::c_ulong = 21;

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
