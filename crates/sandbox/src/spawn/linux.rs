//! As `posix_spawn` does it, with one more step: before its program begins, the child takes from itself what its caller
//! should not have.
#![expect(unsafe_code, reason = "between two programs there are only system calls")]

use std::io;
use std::os::fd::AsRawFd;

use super::ProgramStart;
use crate::Caller;
use crate::fence::capabilities;
use crate::fence::raw::{self, Errno};
use crate::guardian;
use crate::model_mark;
use crate::vfork::vfork;

impl ProgramStart<'_> {
    /// Starts it; its number.
    pub(super) fn spawn(&self) -> io::Result<libc::pid_t> {
        let guardian = guardian::socket().map(|socket| socket.as_raw_fd());
        vfork(0, || exec_program(self, guardian)).map_err(io::Error::from_raw_os_error)
    }
}

/// Only returns if it fails.
fn exec_program(start: &ProgramStart<'_>, guardian: Option<i32>) -> Errno {
    if let Err(errno) = prepare(start, guardian) {
        return errno;
    }
    raw::handle(libc::SIGPIPE, libc::SIG_DFL);
    raw::handle(libc::SIGXFSZ, libc::SIG_DFL);
    raw::release_signals();
    // SAFETY: the texts end with zero, the lists with null, and all of them outlive the call.
    unsafe {
        libc::execve(start.path.as_ptr(), start.words.as_ptr().cast(), start.variables.as_ptr().cast())
    };
    raw::errno()
}

fn prepare(start: &ProgramStart<'_>, guardian: Option<i32>) -> Result<(), Errno> {
    // SAFETY: it takes nothing.
    raw::checked(unsafe { libc::setsid() }.into())?;
    // Before anything takes the place of this descriptor.
    if let Some(guardian) = guardian {
        guardian::enter(guardian);
    }
    let streams = start.streams;
    for (ours, number) in [(&streams.stdin, 0), (&streams.stdout, 1), (&streams.stderr, 2)] {
        raw::duplicate(ours.as_raw_fd(), number)?;
    }
    // SAFETY: the text ends with zero and outlives the call.
    raw::checked(unsafe { libc::chdir(start.folder.as_ptr()) }.into())?;
    // Last: its number may be one of ours, which must have been copied by then.
    if let Some((side, number)) = &streams.side {
        raw::duplicate(side.as_raw_fd(), *number)?;
    }
    match start.caller {
        Caller::Model => {
            model_mark::put();
            capabilities::drop_sight()
        }
        Caller::FreeModel => {
            model_mark::put();
            Ok(())
        }
        Caller::Person => Ok(()),
    }
}
