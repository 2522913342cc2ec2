//! User namespaces, and who is who in them.
//!
//! Only the owner of `/proc/PID/uid_map` can write it. When this process hides its memory (`own_process.rs`), its forks hide
//! theirs, which is a copy, and their files in `/proc` are root's. Opening a fork for the moment that it takes would open
//! the keys in its memory to whoever waits for that. So whoever is not root has the namespace made by a process that has
//! nothing to hide: a shell that waits for the end of its input. The supervisor then joins it.
#![expect(unsafe_code, reason = "between two programs there are only system calls")]

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::raw::{self, Errno};
use super::wire::SetupStage;
use super::{RAISE_TIMEOUT, teardown};
use crate::own_process;
use crate::vfork::vfork;

/// A user namespace for a supervisor that cannot make one of its own; nothing for others.
pub(super) fn prepared() -> io::Result<Option<OwnedFd>> {
    (own_process::is_hidden() && !geteuid().is_root()).then(make).transpose()
}

/// The same words as if the supervisor had failed at it.
fn namespaces(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{:?}: {error}", SetupStage::Namespaces))
}

fn make() -> io::Result<OwnedFd> {
    let (input, end_of_input) = io::pipe()?;
    let (mut begun, output) = io::pipe()?;
    let pid = vfork(libc::CLONE_NEWUSER, || exec_shell(input.as_raw_fd(), output.as_raw_fd()))
        .map_err(|errno| namespaces(&io::Error::from_raw_os_error(errno)))?;
    let Some(shell) = Pid::from_raw(pid) else { return Err(io::Error::other("the shell has no process ID")) };
    drop(output);
    // Until it has begun its files are as ours.
    let users = await_input(&begun)
        .and_then(|()| begun.read_exact(&mut [0]))
        .and_then(|()| write_id_maps(shell))
        .and_then(|()| File::open(format!("/proc/{pid}/ns/user")))
        .map_err(|error| namespaces(&error));
    drop(end_of_input);
    if users.is_err() {
        // It may not have come so far as to read.
        let _ = kill_process(shell, Signal::KILL);
    }
    teardown::reap(shell);
    users.map(OwnedFd::from)
}

/// Waits for something to read, but not for longer than a fence may take.
fn await_input(pipe: &io::PipeReader) -> io::Result<()> {
    let timeout = Timespec::try_from(RAISE_TIMEOUT).ok();
    match poll(&mut [PollFd::new(pipe, PollFlags::IN)], timeout.as_ref())? {
        0 => Err(io::Error::new(io::ErrorKind::TimedOut, "`/bin/sh` did not start in time")),
        _ => Ok(()),
    }
}

/// Inside everybody is who they are outside: files keep their owners. Root maps all, others only themselves.
pub(super) fn write_id_maps(of: Pid) -> io::Result<()> {
    let process = format!("/proc/{}", of.as_raw_nonzero());
    let same = |map: &str, own: u32| -> io::Result<String> {
        if !geteuid().is_root() {
            return Ok(format!("{own} {own} 1\n"));
        }
        let lines = fs::read_to_string(format!("/proc/self/{map}"))?;
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let (inside, count) = (words.next()?, words.nth(1)?);
            Some(format!("{inside} {inside} {count}\n"))
        };
        Ok(lines.lines().filter_map(line).collect())
    };
    if !geteuid().is_root() {
        fs::write(format!("{process}/setgroups"), "deny")?;
    }
    fs::write(format!("{process}/uid_map"), same("uid_map", geteuid().as_raw())?)?;
    fs::write(format!("{process}/gid_map"), same("gid_map", rustix::process::getegid().as_raw())?)
}

/// Becomes a shell that has no variables, and says when it has begun; nothing else, also where nobody waits for that any
/// more. Only returns if it fails.
fn exec_shell(input: i32, output: i32) -> Errno {
    const WORDS: [&CStr; 3] = [c"sh", c"-c", c"exec 2>&-; echo; read line"];
    let [name, option, line] = WORDS.map(CStr::as_ptr);
    let (words, none) = ([name, option, line, std::ptr::null()], [std::ptr::null()]);
    if let Err(errno) = raw::duplicate(input, 0).and_then(|()| raw::duplicate(output, 1)) {
        return errno;
    }
    // SAFETY: no pointer is passed. A key at our terminal is not for it.
    unsafe { libc::setsid() };
    raw::release_signals();
    // SAFETY: the texts end with zero, and the lists with null.
    unsafe { libc::execve(c"/bin/sh".as_ptr(), words.as_ptr(), none.as_ptr()) };
    raw::errno()
}
