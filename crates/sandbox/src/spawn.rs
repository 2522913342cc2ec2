//! Starts a program with `posix_spawn`: without our terminal, and with one extra descriptor if needed.
#![expect(
    unsafe_code,
    reason = "the standard library offers neither a session nor a descriptor without a fork"
)]

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::sync::{Arc, LazyLock};

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use crate::{ChildExit, Fence, Program};

#[cfg(not(target_vendor = "apple"))]
use libc::POSIX_SPAWN_SETSID;
#[cfg(target_vendor = "apple")]
const POSIX_SPAWN_SETSID: libc::c_short = 0x0400;

/// What a child finds at its descriptors. Ours are closed when this goes.
pub(crate) struct ChildStreams {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// One more, and its number in the child.
    pub(crate) side: Option<(OwnedFd, i32)>,
}

/// A child of ours that is not reaped. It is the leader of a group with its number.
#[derive(Debug)]
pub(crate) struct GroupLeader {
    pid: Pid,
    /// What it runs in stands as long as it runs, whoever else lets go of it.
    fence: Option<Arc<Fence>>,
}

impl GroupLeader {
    /// Starts a program. It is no fork: a big process starts children as fast as a small one.
    pub(crate) fn start(program: &Program, streams: &ChildStreams) -> io::Result<Self> {
        let path = c_string(program.path.as_os_str())?;
        let folder = c_string(program.folder.as_os_str())?;
        let words: Vec<CString> = std::iter::once(program.path.as_os_str())
            .chain(program.args.iter().map(|arg| arg.as_os_str()))
            .map(c_string)
            .collect::<io::Result<_>>()?;
        let variables: Vec<CString> =
            program.env.iter().map(|(name, value)| variable(name, value)).collect::<io::Result<_>>()?;
        let (words, variables) = (pointers(&words), pointers(&variables));
        let mut actions = FileActions::new()?;
        actions.chdir(&folder)?;
        actions.dup(&streams.stdin, 0)?;
        actions.dup(&streams.stdout, 1)?;
        actions.dup(&streams.stderr, 2)?;
        // Last: its number may be one of ours, which must have been copied by then.
        if let Some((side, number)) = &streams.side {
            actions.dup(side, *number)?;
        }
        let attributes = SpawnAttributes::new()?;
        let mut pid: libc::pid_t = 0;
        // SAFETY: every pointer is to something that lives until the end of this function; both lists end with null.
        checked(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                path.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                words.as_ptr(),
                variables.as_ptr(),
            )
        })?;
        Self::adopt(pid, None)
    }

    /// A child that somebody else started for us.
    pub(crate) fn adopt(pid: i32, fence: Option<Arc<Fence>>) -> io::Result<Self> {
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

    /// Reaps it if it exited.
    pub(crate) fn reap(&self) -> ReapOutcome {
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => ReapOutcome::Ended(ExitStatus::from_raw(status.as_raw()).into()),
            Ok(None) => ReapOutcome::NotYet,
            Err(_) => ReapOutcome::Gone,
        }
    }

    /// It was reaped. Should it be the last that has a hold of its fence, that ends on a thread: the end of what is left inside
    /// has to be waited for, and we may be in a runtime.
    pub(crate) fn release(self) {
        if let Some(fence) = self.fence.and_then(Arc::into_inner) {
            // Where no thread can be had it ends here.
            let _ = std::thread::Builder::new().name("fence".into()).spawn(move || drop(fence));
        }
    }

    /// Waits for its end and reaps it.
    pub(crate) fn wait(self) {
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

/// These functions return the number of their error.
fn checked(error: libc::c_int) -> io::Result<()> {
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// What happens in the child before the program begins.
struct FileActions(libc::posix_spawn_file_actions_t);

impl FileActions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: it is made whole by the call, and used only if that went well.
        unsafe {
            checked(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Ok(Self(actions.assume_init()))
        }
    }

    fn chdir(&mut self, folder: &CString) -> io::Result<()> {
        // SAFETY: the actions are whole, and the path is copied.
        checked(unsafe { libc::posix_spawn_file_actions_addchdir_np(&raw mut self.0, folder.as_ptr()) })
    }

    /// The copy is not closed when the program begins; the original is, as all of ours are.
    fn dup(&mut self, ours: &OwnedFd, number: i32) -> io::Result<()> {
        // SAFETY: the actions are whole, and the descriptor is open as long as its owner lives, which is longer.
        checked(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.0, ours.as_raw_fd(), number) })
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: the actions are whole and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

/// Whether we have a terminal that a child could open. That does not change while we run.
pub(crate) fn has_terminal() -> bool {
    static TERMINAL: LazyLock<bool> = LazyLock::new(|| File::open("/dev/tty").is_ok());
    *TERMINAL
}

/// How the child begins: in a group of its own, no signal held back, and SIGPIPE as usual (Rust programs ignore it).
///
/// If we have a terminal it begins in a session of its own too, which has none: a program that opens `/dev/tty` to ask for
/// a password fails at once. In ours it would be stopped as soon as it reads, and wait until the time-out. Without a
/// terminal there is nothing to keep it from, and on a busy machine Linux lets the first process of a session wait longer.
struct SpawnAttributes(libc::posix_spawnattr_t);

impl SpawnAttributes {
    fn new() -> io::Result<Self> {
        let apart = match has_terminal() {
            true => POSIX_SPAWN_SETSID as libc::c_short,
            // The group is 0 unless it is set, which means a new one.
            false => libc::POSIX_SPAWN_SETPGROUP as libc::c_short,
        };
        let flags = libc::POSIX_SPAWN_SETSIGDEF as libc::c_short
            | libc::POSIX_SPAWN_SETSIGMASK as libc::c_short
            | apart;
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: each is made whole by its first call, and used only after that went well.
        unsafe {
            checked(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut attributes = Self(attributes.assume_init());
            libc::sigemptyset(signals.as_mut_ptr());
            checked(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, signals.as_ptr()))?;
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            checked(libc::posix_spawnattr_setsigdefault(&raw mut attributes.0, signals.as_ptr()))?;
            checked(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags))?;
            Ok(attributes)
        }
    }
}

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are whole and not used again.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}
