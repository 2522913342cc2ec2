//! How a program begins inside: a child of ours, started by the supervisor as `vfork` does, that holds itself before it is one.
#![expect(unsafe_code, reason = "between two programs there are only system calls")]

use std::os::fd::AsRawFd;

use super::capabilities::MountRight;
use super::raw::{self, Errno};
use super::request::RequestHeader;
use super::setup_plan::{Enclosure, SetupPlan};
use super::{capabilities, landlock, seccomp, wire};
use crate::{guardian, model_mark};

/// What a child needs between its beginning and its program.
struct ChildSetup<'a> {
    head: *const RequestHeader,
    base: *mut u8,
    stdin: i32,
    stdout: i32,
    stderr: i32,
    side: i32,
    rules: Option<i32>,
    plan: &'a SetupPlan,
    /// Why there is no program, for the supervisor to read: until then they share their memory.
    failed: Errno,
}

/// Why there is no program; and the number of the child that did not become one, or 0. It is dead, and a child of whoever
/// asked: nobody else can wait for it.
pub(super) type SpawnError = (Errno, i32);

/// Starts a program; its number, which is the same for us and for whoever asked.
pub(super) fn spawn_child(
    plan: &SetupPlan,
    request: &wire::SpawnRequest,
    rules: Option<i32>,
) -> Result<i32, SpawnError> {
    let [blob, stdin, stdout, stderr, side] = request.fds;
    let mapped = MappedRequest::new(blob).map_err(|errno| (errno, 0))?;
    let base = mapped.0;
    let head = base.cast::<RequestHeader>();
    // SAFETY: the mapping begins with a head, written by ourselves on the other side of the socket.
    unsafe {
        to_pointers(base, (*head).words);
        to_pointers(base, (*head).variables);
    }
    let mut child_setup = ChildSetup { head, base, stdin, stdout, stderr, side, rules, plan, failed: 0 };
    let mut stack = Stack([0; STACK]);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: the child runs on a stack of its own, which outlives it in this memory: we sleep until its program has
    // begun or it is gone.
    let pid = unsafe {
        libc::clone(child, stack.0.as_mut_ptr().add(STACK).cast(), flags, (&raw mut child_setup).cast())
    };
    if pid < 0 {
        return Err((raw::errno(), 0));
    }
    // SAFETY: the child wrote it, and is done with it.
    match unsafe { std::ptr::read_volatile(&raw const child_setup.failed) } {
        0 => Ok(pid),
        errno => Err((errno, pid)),
    }
}

const STACK: usize = 64 * 1024;

#[repr(align(16))]
struct Stack([u8; STACK]);

/// Offsets become addresses, up to the zero that ends the list.
///
/// # Safety
/// `base` must be a whole request, and the list one of its own.
unsafe fn to_pointers(base: *mut u8, list: usize) {
    // SAFETY: as demanded.
    unsafe {
        let mut at = base.add(list).cast::<usize>();
        while *at != 0 {
            *at += base as usize;
            at = at.add(1);
        }
    }
}

/// Between two programs: everything that holds the child, then its program.
extern "C" fn child(child_setup: *mut libc::c_void) -> libc::c_int {
    let child_setup = child_setup.cast::<ChildSetup<'_>>();
    // SAFETY: the supervisor sleeps and holds nothing of it.
    let failed = unsafe { exec_program(&*child_setup) };
    // SAFETY: as above.
    unsafe { std::ptr::write_volatile(&raw mut (*child_setup).failed, failed) };
    raw::exit(127)
}

/// Only returns if it fails.
///
/// # Safety
/// The request in `child_setup` must be whole, with addresses in its lists.
unsafe fn exec_program(child_setup: &ChildSetup<'_>) -> Errno {
    // SAFETY: as demanded; the calls take numbers, or texts that end with zero.
    unsafe {
        let head = &*child_setup.head;
        if libc::setsid() < 0 {
            return raw::errno();
        }
        if let Some(guardian) = &child_setup.plan.guardian {
            guardian::enter(guardian.as_raw_fd());
        }
        raw::close_on_exec_from(3);
        for (from, to) in [(child_setup.stdin, 0), (child_setup.stdout, 1), (child_setup.stderr, 2)] {
            if libc::dup2(from, to) < 0 {
                return raw::errno();
            }
        }
        if let Some(limits) = &child_setup.plan.limits {
            limits.enforce();
        }
        if libc::chdir(child_setup.base.add(head.folder).cast()) < 0 {
            return raw::errno();
        }
        if let Err(errno) = apply_restrictions(child_setup) {
            return errno;
        }
        // Last: its number may be that of the rules. If it has the right one already a copy would change nothing.
        let (side, number) = (child_setup.side, head.side as i32);
        if side >= 0
            && let Err(errno) = raw::duplicate(side, number)
        {
            return errno;
        }
        libc::execve(
            child_setup.base.add(head.path).cast(),
            child_setup.base.add(head.words).cast(),
            child_setup.base.add(head.variables).cast(),
        );
        raw::errno()
    }
}

/// The layers that a process puts on itself. From here on there is no way back.
fn apply_restrictions(child_setup: &ChildSetup<'_>) -> Result<(), Errno> {
    model_mark::put();
    match child_setup.plan.enclosure {
        Enclosure::Confined => capabilities::drop_all()?,
        // Before the program begins nobody else is this process, and after that the bounding set counts.
        Enclosure::MasksOnly(MountRight::OwnUsers) => return capabilities::keep_masks(),
        Enclosure::MasksOnly(MountRight::Real) => return capabilities::drop_sight(),
    }
    raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    if let Some(rules) = child_setup.rules {
        landlock::enforce(rules)?;
    }
    child_setup.plan.filters.iter().try_for_each(seccomp::Filter::enforce)
}

/// A request in memory, private to us: our changes do not reach its file.
struct MappedRequest(*mut u8, usize);

impl MappedRequest {
    fn new(blob: i32) -> Result<Self, Errno> {
        // SAFETY: the structure is filled by the call before it is read.
        let size = unsafe {
            let mut about = std::mem::zeroed::<libc::stat>();
            if libc::fstat(blob, &raw mut about) < 0 {
                return Err(raw::errno());
            }
            about.st_size as usize
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a file that nobody shortens.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), size, access, libc::MAP_PRIVATE, blob, 0) };
        if base == libc::MAP_FAILED { Err(raw::errno()) } else { Ok(Self(base.cast(), size)) }
    }
}

impl Drop for MappedRequest {
    fn drop(&mut self) {
        // SAFETY: it is ours, and not used again.
        unsafe { libc::munmap(self.0.cast(), self.1) };
    }
}
