//! System calls for a process that may not touch the allocator: it was forked from one with many threads, any of which
//! may have held a lock. Nothing here allocates, locks or panics.
#![expect(unsafe_code, reason = "these are the calls themselves")]

use std::ffi::CStr;

use crate::policy::FileId;

/// The number of an error of the kernel's.
pub(crate) type Errno = i32;

/// What the kernel answered, its errors apart.
pub(crate) fn checked(answer: libc::c_long) -> Result<libc::c_long, Errno> {
    if answer == -1 { Err(errno()) } else { Ok(answer) }
}

pub(crate) fn errno() -> Errno {
    // SAFETY: the location belongs to this thread and is always there.
    unsafe { *libc::__errno_location() }
}

/// A new process that has a copy of this one's memory; 0 in it.
///
/// Not libc's `fork`: that runs handlers which may take locks.
pub(crate) fn fork() -> Result<i32, Errno> {
    // As long as what the kernel reads: what is behind a shorter number is anything.
    let (signal, none): (libc::c_long, libc::c_long) = (libc::SIGCHLD.into(), 0);
    // SAFETY: no stack, no flags but the signal of its end: a plain fork.
    checked(unsafe { libc::syscall(libc::SYS_clone, signal, none, none, none, none) }).map(|pid| pid as i32)
}

/// What becomes of a signal. Those that cannot be set stay as they are.
///
/// Not libc's `signal`: for SIGABRT that takes a lock, which another thread may have held when this process was forked.
pub(crate) fn handle(signal: i32, how: libc::sighandler_t) {
    // As the kernel has it on the machines that we run on: handler, flags, restorer, mask.
    let action = [how as u64, 0, 0, 0];
    let none = std::ptr::null::<u64>();
    // SAFETY: the structure lives longer than the call, and the size is that of its mask.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            libc::c_long::from(signal),
            action.as_ptr(),
            none,
            size_of::<u64>(),
        )
    };
}

/// Signals are as every program expects them when it begins: none has a handler, and none is held back.
///
/// Call it when the child has a group of its own. A key at our terminal that reached it before is forgotten: it would stop
/// the child, and a parent that sleeps until the child's program begins could then neither go on nor be stopped itself.
pub(crate) fn release_signals() {
    default_signals();
    for signal in [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU] {
        forget_pending(signal);
    }
    unblock_signals();
}

/// Drops a signal that waits to be delivered, and leaves it as it was.
fn forget_pending(signal: i32) {
    // What is ignored does not wait.
    if handler(signal) == libc::SIG_DFL as u64 {
        handle(signal, libc::SIG_IGN);
        handle(signal, libc::SIG_DFL);
    }
}

/// What had a handler is as every program expects it when it begins; what was ignored stays so.
fn default_signals() {
    for signal in 1..=64 {
        let handler = handler(signal);
        if handler != libc::SIG_DFL as u64 && handler != libc::SIG_IGN as u64 {
            handle(signal, libc::SIG_DFL);
        }
    }
}

/// What becomes of a signal now.
fn handler(signal: i32) -> u64 {
    let mut action = [0u64; 4];
    let none = std::ptr::null::<u64>();
    // SAFETY: there is room for the structure as the kernel has it, and the size is that of its mask.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            libc::c_long::from(signal),
            none,
            action.as_mut_ptr(),
            size_of::<u64>(),
        )
    };
    action[0]
}

/// No signal is held back any more.
pub(crate) fn unblock_signals() {
    // SAFETY: an empty set is made whole before it is used.
    unsafe {
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// A descriptor under this number, not closed when a program begins.
pub(crate) fn duplicate(from: i32, number: i32) -> Result<(), Errno> {
    // SAFETY: no pointer is passed. A copy to its own number would change nothing.
    let done = unsafe {
        if from == number { libc::fcntl(from, libc::F_SETFD, 0) } else { libc::dup2(from, number) }
    };
    checked(done.into()).map(drop)
}

/// Joins the namespace of this descriptor.
pub(super) fn join_namespace(fd: i32, kind: i32) -> Result<(), Errno> {
    // SAFETY: no pointer is passed.
    checked(unsafe { libc::syscall(libc::SYS_setns, libc::c_long::from(fd), libc::c_long::from(kind)) })
        .map(drop)
}

pub(super) fn unshare(flags: i32) -> Result<(), Errno> {
    // SAFETY: no pointer is passed.
    checked(unsafe { libc::syscall(libc::SYS_unshare, libc::c_long::from(flags)) }).map(drop)
}

pub(super) fn mount(
    source: &CStr,
    target: &CStr,
    kind: &CStr,
    flags: libc::c_ulong,
    data: &CStr,
) -> Result<(), Errno> {
    // SAFETY: all texts end with zero and live longer than the call.
    checked(libc::c_long::from(unsafe {
        libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, data.as_ptr().cast())
    }))
    .map(drop)
}

/// `struct mount_attr`, which libc has not everywhere.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

/// Nothing there can be written to.
pub(super) const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;
/// Devices there are only files: a disk can be written to through its device, wherever that lies.
pub(super) const NO_DEVICES: u64 = libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOSUID;

/// Gives these attributes to what is mounted here and below.
pub(super) fn restrict(target: &CStr, attributes: u64) -> Result<(), Errno> {
    set_attributes(libc::AT_FDCWD, target, 0, attributes)
}

fn set_attributes(at: i32, target: &CStr, flags: i32, attributes: u64) -> Result<(), Errno> {
    let attr = MountAttr { set: attributes, clear: 0, propagation: 0, userns: 0 };
    // SAFETY: the text and the structure live longer than the call, and the size is the structure's.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at,
            target.as_ptr(),
            flags | libc::AT_RECURSIVE,
            &raw const attr,
            size_of::<MountAttr>(),
        )
    })
    .map(drop)
}

/// Which file or folder is held.
pub(super) fn file_id(held: i32) -> Result<FileId, Errno> {
    // SAFETY: there is room for the structure.
    unsafe {
        let mut about = std::mem::zeroed::<libc::stat>();
        checked(libc::c_long::from(libc::fstat(held, &raw mut about)))?;
        Ok(FileId { device: about.st_dev, inode: about.st_ino })
    }
}

/// A copy of what is mounted at what is held, with all below, not attached anywhere.
pub(super) fn copy_tree(held: i32) -> Result<i32, Errno> {
    let flags = libc::OPEN_TREE_CLONE
        | libc::OPEN_TREE_CLOEXEC
        | (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH) as libc::c_uint;
    // SAFETY: the text lives longer than the call.
    checked(unsafe { libc::syscall(libc::SYS_open_tree, held, c"".as_ptr(), flags) }).map(|fd| fd as i32)
}

/// Attaches such a copy to what is held, with these attributes from the first moment.
pub(super) fn attach(tree: i32, held: i32, attributes: u64) -> Result<(), Errno> {
    const TO_HELD: libc::c_uint = libc::MOVE_MOUNT_F_EMPTY_PATH | libc::MOVE_MOUNT_T_EMPTY_PATH;
    set_attributes(tree, c"", libc::AT_EMPTY_PATH, attributes)?;
    let none = c"".as_ptr();
    // SAFETY: the text lives longer than the call.
    checked(unsafe { libc::syscall(libc::SYS_move_mount, tree, none, held, none, TO_HELD) }).map(drop)
}

/// A folder that shows `lower` and keeps what is written in `upper`, not attached anywhere. Attributes of its own are
/// those that everybody may set.
pub(super) fn mount_overlay(lower: &CStr, upper: &CStr, work: &CStr) -> Result<i32, Errno> {
    let options = [(c"lowerdir", lower), (c"upperdir", upper), (c"workdir", work)];
    new_mount(c"overlay", &options, &[c"userxattr"], NO_DEVICES)
}

/// An empty folder that nothing can be made in, not attached anywhere.
pub(super) fn mount_empty(mode: &CStr) -> Result<i32, Errno> {
    let options = [(c"mode", mode), (c"size", c"4k"), (c"nr_inodes", c"1")];
    new_mount(c"tmpfs", &options, &[], READ_ONLY | NO_DEVICES)
}

fn new_mount(
    kind: &CStr,
    options: &[(&CStr, &CStr)],
    flags: &[&CStr],
    attributes: u64,
) -> Result<i32, Errno> {
    const SET_FLAG: libc::c_uint = 0;
    const SET_STRING: libc::c_uint = 1;
    const CREATE: libc::c_uint = 6;
    const CLOEXEC: libc::c_uint = 1;
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: every text ends with zero and lives longer than its call.
    unsafe {
        let context = checked(libc::syscall(libc::SYS_fsopen, kind.as_ptr(), CLOEXEC))?;
        let set = |kind: libc::c_uint, key: *const libc::c_char, value: *const libc::c_char| {
            checked(libc::syscall(libc::SYS_fsconfig, context, kind, key, value, 0)).map(drop)
        };
        let made = options
            .iter()
            .try_for_each(|(key, value)| set(SET_STRING, key.as_ptr(), value.as_ptr()))
            .and_then(|()| flags.iter().try_for_each(|flag| set(SET_FLAG, flag.as_ptr(), none)))
            .and_then(|()| set(CREATE, none, none))
            .and_then(|()| checked(libc::syscall(libc::SYS_fsmount, context, CLOEXEC, attributes)));
        close(context as i32);
        made.map(|tree| tree as i32)
    }
}

pub(super) fn mkdir(path: &CStr, mode: u32) -> Result<(), Errno> {
    // SAFETY: the text lives longer than the call.
    match checked(libc::c_long::from(unsafe { libc::mkdir(path.as_ptr(), mode) })) {
        Ok(_) | Err(libc::EEXIST) => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn open(path: &CStr, flags: i32) -> Result<i32, Errno> {
    // SAFETY: the text lives longer than the call.
    checked(libc::c_long::from(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) }))
        .map(|fd| fd as i32)
}

/// Writes a short text to a file that is there, if that is allowed.
pub(super) fn write_file(path: &CStr, text: &CStr) {
    if let Ok(fd) = open(path, libc::O_WRONLY) {
        // SAFETY: the text lives longer than the call.
        unsafe { libc::write(fd, text.as_ptr().cast(), text.count_bytes()) };
        close(fd);
    }
}

/// Changes a limit: what holds now, and what it may be raised to.
pub(crate) fn limit(resource: libc::c_long, change: impl Fn(u64, u64) -> (u64, u64)) {
    let mut limit = [0u64; 2];
    let none = std::ptr::null::<u64>();
    // SAFETY: there is room for both numbers, and they live longer than the calls.
    unsafe {
        libc::syscall(libc::SYS_prlimit64, 0, resource, none, limit.as_mut_ptr());
        let [now, most] = limit;
        let limit = <[u64; 2]>::from(change(now, most));
        libc::syscall(libc::SYS_prlimit64, 0, resource, limit.as_ptr(), none);
    }
}

pub(crate) fn close(fd: i32) {
    // SAFETY: the descriptor is ours; a wrong one is only an error.
    unsafe { libc::close(fd) };
}

/// Marks every descriptor from this one on as closed when a program begins.
pub(super) fn close_on_exec_from(first: u32) {
    // SAFETY: no pointer is passed.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Closes every descriptor from the first to the last.
pub(crate) fn close_between(first: u32, last: u32) {
    if first <= last {
        // SAFETY: no pointer is passed, and whoever calls this owns them all.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    }
}

pub(crate) fn prctl(option: i32, value: libc::c_ulong) -> Result<(), Errno> {
    // SAFETY: the options used here take numbers.
    checked(libc::c_long::from(unsafe { libc::prctl(option, value, 0, 0, 0) })).map(drop)
}

pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: it ends the process at once.
    unsafe { libc::_exit(code) }
}
