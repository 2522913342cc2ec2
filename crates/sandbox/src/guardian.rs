//! The guardian: a small process that ends what we started outside a fence when we are gone, however we ended.
//!
//! It is forked once, before the first such child, and knows the sessions that run. When nobody is left who could tell it of
//! another one it sends SIGKILL to those that it knows, and exits. What made another session goes on (`child.rs` has the
//! rule). Fences with namespaces need no guardian: their first process ends all others.
//!
//! `PR_SET_PDEATHSIG` would need no process, but it is about the thread that forked, and ours come and go; it reaches the
//! leader and nobody else of its session; and a program that runs as its owner clears it.
#![expect(unsafe_code, reason = "a process of its own, made of system calls")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, WaitOptions, waitpid};

use crate::fence::raw::{self, Errno};
use crate::session_members::{self, Candidates};
use crate::vfork::vfork;

/// Sessions at once. More are not known to it; there are a few dozen on a busy day.
const MAX_SESSIONS: usize = 4096;
/// How long telling it may take. It reads all the time: only somebody who stops it makes us wait.
const TELL_TIMEOUT: Duration = Duration::from_secs(1);

/// Our end of its socket; nothing if it could not be started.
///
/// A socket and no pipe: writing to a pipe that nobody reads raises SIGPIPE, which a child that holds back all signals
/// would die of as soon as it lets go of them. One that keeps messages apart, so that none is read in part.
static SOCKET: OnceLock<Option<OwnedFd>> = OnceLock::new();

/// Where a session can be told of; starts the guardian if this is the first. Where no process can be had there is none: a
/// command that runs is worth more than one that could be ended later.
pub(crate) fn socket() -> Option<BorrowedFd<'static>> {
    SOCKET.get_or_init(|| start().ok()).as_ref().map(std::os::fd::AsFd::as_fd)
}

/// For a child between two programs: tells of the session that it has just begun.
///
/// The child does it itself, so that there is no gap. It has our end of the socket until its program begins, so the
/// guardian does not take us for gone before it knows the session.
pub(crate) fn enter(socket: i32) {
    // SAFETY: it takes nothing.
    tell(socket, unsafe { libc::getpid() });
}

/// A session is over. Said before its leader is reaped: after that its number may be somebody else's.
pub(crate) fn forget(leader: Pid) {
    // Whoever never started the guardian must not do so for this.
    if let Some(Some(socket)) = SOCKET.get() {
        tell(socket.as_raw_fd(), -leader.as_raw_nonzero().get());
    }
}

/// A positive number begins a session, a negative one ends it. A failure cannot be helped: then nobody watches over it.
fn tell(socket: i32, number: i32) {
    let bytes = number.to_ne_bytes();
    // SAFETY: the bytes live longer than the call.
    unsafe { libc::send(socket, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
}

/// Starts it by way of a process that ends at once: so it is no child of ours, and whoever kills it leaves us no zombie. That
/// process has our memory and is not copied; only the guardian is.
fn start() -> io::Result<OwnedFd> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&ours, Timeout::Send, Some(TELL_TIMEOUT))?;
    let between = vfork(0, || fork_guardian(theirs.as_raw_fd())).map_err(io::Error::from_raw_os_error)?;
    while matches!(waitpid(Pid::from_raw(between), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    Ok(ours)
}

/// Only returns if it fails.
fn fork_guardian(socket: i32) -> Errno {
    match raw::fork() {
        Ok(0) => guard(socket),
        Ok(_) => raw::exit(0),
        Err(errno) => errno,
    }
}

/// Becomes the guardian. All signals stay held back, as `vfork` began it: keys at our terminal are not for it, and whoever
/// ends all programs of our name must not end it before it has done its work.
fn guard(socket: i32) -> ! {
    let number = socket as u32;
    // Our outputs too: whoever reads them waits until nobody has them.
    if let Some(before) = number.checked_sub(1) {
        raw::close_between(0, before);
    }
    raw::close_between(number + 1, u32::MAX);
    // SAFETY: the text ends with zero; neither keeps it. The folder is left so that it can be unmounted.
    unsafe {
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        libc::prctl(libc::PR_SET_NAME, c"guardian".as_ptr());
    }
    let mut sessions = SessionTable::new();
    while let Some(number) = receive(socket) {
        sessions.apply(number);
    }
    for leader in sessions.iter() {
        // SAFETY: no pointers. Who is in the group is signalled in one go: none escapes by forking.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
        session_members::signal(leader, libc::SIGKILL, Candidates::All);
    }
    raw::exit(0)
}

/// What is told next; nothing when there is nobody left to tell anything.
fn receive(socket: i32) -> Option<i32> {
    let mut bytes = [0u8; 4];
    loop {
        // SAFETY: there is room for the bytes.
        match unsafe { libc::recv(socket, bytes.as_mut_ptr().cast(), bytes.len(), 0) } {
            4 => return Some(i32::from_ne_bytes(bytes)),
            -1 if raw::errno() == libc::EINTR => {}
            _ => return None,
        }
    }
}

/// The sessions that run, by their leaders. It has a fixed size: the guardian cannot allocate.
struct SessionTable([i32; MAX_SESSIONS]);

impl SessionTable {
    fn new() -> Self {
        Self([0; MAX_SESSIONS])
    }

    /// 1 and less are no session of ours: as a target they would mean everybody.
    fn apply(&mut self, number: i32) {
        let (old, new) = match number {
            2.. => (0, number),
            ..=-2 => (number.wrapping_neg(), 0),
            _ => return,
        };
        if let Some(place) = self.0.iter_mut().find(|leader| **leader == old) {
            *place = new;
        }
    }

    fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.0.iter().copied().filter(|leader| *leader > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_sessions_that_began_and_did_not_end() {
        let mut table = SessionTable::new();
        for number in [5, 6, -5, 7, -9, 0, 1, -1, i32::MIN, 5, -7] {
            table.apply(number);
        }
        assert_eq!(table.iter().collect::<Vec<_>>(), [6, 5]);
        for number in 100..100 + 2 * MAX_SESSIONS as i32 {
            table.apply(number);
        }
        assert_eq!(table.iter().count(), MAX_SESSIONS);
    }
}
