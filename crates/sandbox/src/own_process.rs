//! What others can learn about this process: its environment, its memory, its descriptors.
//!
//! Whoever runs as the same user can read these through `/proc`, and so can every command that we start. They hold the
//! keys to models, so the program closes them before it does anything else.
#![expect(unsafe_code, reason = "the environment that the kernel shows can only be changed in place")]

#[cfg(target_os = "linux")]
pub(crate) mod oom_score;

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;

use crate::is_secret_name;

unsafe extern "C" {
    static mut environ: *mut *mut libc::c_char;
}

/// Closes this process to others: what the kernel shows of its environment is empty from now on, keys are gone from the
/// environment that this process itself sees, nobody without the right to trace any process can read its memory or its
/// descriptors, and no descriptor that it was given reaches a child.
///
/// Whoever wants the keys must have read them before. Does nothing for the environment if there are threads already: one
/// of them might be reading it. Says whether all of it was done.
pub fn seal_process() -> bool {
    let closed = close_inherited();
    ignore_file_size_signal();
    #[cfg(target_os = "linux")]
    oom_score::keep_open();
    let hidden = hide_memory();
    let wiped = is_single_threaded();
    if wiped {
        // SAFETY: there is no other thread.
        unsafe { wipe_environment() };
    }
    closed && hidden && wiped
}

/// A limit on the size of files (`ulimit -f`) is an error of the write that meets it, which is told like a full disk. The
/// signal would end the program without a word. Programs that we start get it back.
fn ignore_file_size_signal() {
    // SAFETY: no handler runs, and nobody else sets this signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Moves the environment to the heap without its keys, and overwrites the block that it was in: `/proc/PID/environ` shows
/// that block for as long as the process lives. All of it goes, and not only the keys that are known by their names: a
/// provider in the settings may name any variable.
///
/// # Safety
/// There must be no other thread.
unsafe fn wipe_environment() {
    let mut kept: Vec<*mut libc::c_char> = Vec::new();
    let mut old: Vec<*mut libc::c_char> = Vec::new();
    // SAFETY: the list ends with null, each entry is a text that ends with zero, and nobody else uses either. The entries
    // are on the stack of the first thread, which may be written to.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            let text = CStr::from_ptr(*at);
            old.push(*at);
            if !is_key(text.to_bytes()) {
                kept.push(CString::from(text).into_raw());
            }
            at = at.add(1);
        }
        kept.push(std::ptr::null_mut());
        // Never freed: it is the environment until the process ends.
        environ = Box::leak(kept.into_boxed_slice()).as_mut_ptr();
        for text in old {
            std::ptr::write_bytes(text, 0, libc::strlen(text));
        }
    }
}

fn is_key(variable: &[u8]) -> bool {
    variable.split(|byte| *byte == b'=').next().is_some_and(|name| is_secret_name(OsStr::from_bytes(name)))
}

#[cfg(target_os = "linux")]
fn is_single_threaded() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.take(2).count() == 1)
}

#[cfg(not(target_os = "linux"))]
fn is_single_threaded() -> bool {
    // Nothing shows an environment to others there that only the same user may see.
    false
}

#[cfg(target_os = "linux")]
fn hide_memory() -> bool {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn hide_memory() -> bool {
    false
}

/// Whether nobody of the same user can look into this process. Its files in `/proc` are root's then.
#[cfg(target_os = "linux")]
pub(crate) fn is_hidden() -> bool {
    !matches!(rustix::process::dumpable_behavior(), Ok(rustix::process::DumpableBehavior::Dumpable))
}

#[cfg(target_os = "linux")]
fn close_inherited() -> bool {
    // SAFETY: no pointer is passed, and nothing is closed before another program begins.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn close_inherited() -> bool {
    false
}
