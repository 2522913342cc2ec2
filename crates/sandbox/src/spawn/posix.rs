//! With `posix_spawn`. Every caller's programs have our rights.
#![expect(
    unsafe_code,
    reason = "the standard library offers neither a session nor a descriptor without a fork"
)]

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};

use super::ProgramStart;

#[cfg(not(target_vendor = "apple"))]
use libc::POSIX_SPAWN_SETSID;
#[cfg(target_vendor = "apple")]
const POSIX_SPAWN_SETSID: libc::c_short = 0x0400;

impl ProgramStart<'_> {
    /// Starts it; its number.
    pub(super) fn spawn(&self) -> io::Result<libc::pid_t> {
        let mut actions = FileActions::new()?;
        actions.chdir(self.folder)?;
        actions.dup(&self.streams.stdin, 0)?;
        actions.dup(&self.streams.stdout, 1)?;
        actions.dup(&self.streams.stderr, 2)?;
        // Last: its number may be one of ours, which must have been copied by then.
        if let Some((side, number)) = &self.streams.side {
            actions.dup(side, *number)?;
        }
        let attributes = SpawnAttributes::new()?;
        let mut pid: libc::pid_t = 0;
        // SAFETY: every pointer is to something that lives until the end of this function; both lists end with null.
        checked(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                self.path.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                self.words.as_ptr(),
                self.variables.as_ptr(),
            )
        })?;
        Ok(pid)
    }
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

    fn chdir(&mut self, folder: &CStr) -> io::Result<()> {
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

/// How the child begins: in a session of its own, no signal held back, and SIGPIPE and SIGXFSZ as usual (we ignore both).
struct SpawnAttributes(libc::posix_spawnattr_t);

impl SpawnAttributes {
    fn new() -> io::Result<Self> {
        let flags = libc::POSIX_SPAWN_SETSIGDEF as libc::c_short
            | libc::POSIX_SPAWN_SETSIGMASK as libc::c_short
            | POSIX_SPAWN_SETSID as libc::c_short;
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: each is made whole by its first call, and used only after that went well.
        unsafe {
            checked(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut attributes = Self(attributes.assume_init());
            libc::sigemptyset(signals.as_mut_ptr());
            checked(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, signals.as_ptr()))?;
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGXFSZ);
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
