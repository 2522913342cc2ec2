//! Starts a program: without our terminal, with one extra descriptor if needed, and with the rights of whoever it runs for.

#[cfg(not(target_os = "linux"))]
#[path = "spawn/posix.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "spawn/linux.rs"]
mod system;

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::sync::Arc;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use crate::fence::FenceUse;
use crate::{Caller, ChildExit, Program};

/// What a child finds at its descriptors. Ours are closed when this goes.
pub(crate) struct ChildStreams {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// One more, and its number in the child.
    pub(crate) side: Option<(OwnedFd, i32)>,
}

/// A program as the system wants it. Both lists end with null.
struct ProgramStart<'a> {
    path: &'a CStr,
    folder: &'a CStr,
    words: &'a [*mut libc::c_char],
    variables: &'a [*mut libc::c_char],
    streams: &'a ChildStreams,
    caller: Caller,
}

/// A child of ours that is not reaped. It is the leader of a session and of a group, both with its number.
///
/// A session has no terminal to begin with: a program that opens `/dev/tty` to ask for a password fails at once. In ours it
/// would be stopped as soon as it reads, and wait until the time-out.
#[derive(Debug)]
pub(crate) struct SessionLeader {
    pid: Pid,
    /// What it runs in stands as long as it runs, whoever else lets go of it.
    fence: Option<FenceUse>,
}

impl SessionLeader {
    /// Starts a program. It is no fork: a big process starts children as fast as a small one.
    pub(crate) fn start(program: &Program, streams: &ChildStreams) -> io::Result<Self> {
        let path = c_string(program.path.as_os_str())?;
        let folder = c_string(program.folder.as_os_str())?;
        let words: Vec<CString> = std::iter::once(program.path.as_os_str())
            .chain(program.args.iter().map(|arg| arg.as_os_str()))
            .map(c_string)
            .collect::<io::Result<_>>()?;
        let variables: Vec<CString> =
            program.variables().map(|(name, value)| variable(name, value)).collect::<io::Result<_>>()?;
        let start = ProgramStart {
            path: &path,
            folder: &folder,
            words: &pointers(&words),
            variables: &pointers(&variables),
            streams,
            caller: program.caller,
        };
        let pid = start.spawn()?;
        Self::adopt(pid, None)
    }

    /// A child that somebody else started for us.
    pub(crate) fn adopt(pid: i32, fence: Option<FenceUse>) -> io::Result<Self> {
        let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("the child has no process ID"))?;
        Ok(Self { pid, fence })
    }

    /// Its number.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Whether it exited; it stays unreaped.
    pub(crate) fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        // An error means that somebody else reaped it: then it is gone for certain.
        !matches!(waitid(WaitId::Pid(self.pid), look), Ok(None))
    }

    /// Reaps it if it exited. Its session must have been ended before: nobody watches over it any more.
    pub(crate) fn reap(&self) -> ReapOutcome {
        if !self.has_exited() {
            return ReapOutcome::NotYet;
        }
        self.forget();
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => ReapOutcome::Ended(ExitStatus::from_raw(status.as_raw()).into()),
            Ok(None) => ReapOutcome::NotYet,
            Err(_) => ReapOutcome::Gone,
        }
    }

    /// The guardian need not end its session any more.
    fn forget(&self) {
        #[cfg(target_os = "linux")]
        crate::guardian::forget(self.pid);
    }

    /// It was reaped. Should it be the last that has a hold of its fence, that ends on a thread: the end of what is left inside
    /// has to be waited for, and we may be in a runtime.
    pub(crate) fn release(self) {
        if let Some(fence) = self.fence.and_then(FenceUse::end).and_then(Arc::into_inner) {
            // Where no thread can be had it ends here.
            let _ = std::thread::Builder::new().name("fence".into()).spawn(move || drop(fence));
        }
    }

    /// Waits for its end and reaps it.
    pub(crate) fn wait(self) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.pid), look), Err(rustix::io::Errno::INTR)) {}
        self.forget();
        while matches!(waitpid(Some(self.pid), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    }
}

/// What came of an attempt to reap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReapOutcome {
    Ended(ChildExit),
    NotYet,
    /// Somebody else took the status.
    Gone,
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "an argument or a path contains a NUL byte"))
}

pub(crate) fn variable(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    let mut text = Vec::with_capacity(name.len() + value.len() + 2);
    text.extend_from_slice(name.as_bytes());
    text.push(b'=');
    text.extend_from_slice(value.as_bytes());
    CString::new(text)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a variable contains a NUL byte"))
}

/// A list as C wants it.
fn pointers(texts: &[CString]) -> Vec<*mut libc::c_char> {
    texts.iter().map(|text| text.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}
