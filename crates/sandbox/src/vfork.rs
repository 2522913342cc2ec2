//! A child that begins in our memory, as `vfork` makes one: nothing is copied, however much there is.
#![expect(unsafe_code, reason = "between two programs there are only system calls")]

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::fence::raw::{self, Errno};
use crate::guardian;

const STACK: usize = 64 * 1024;

#[repr(align(16))]
struct Stack([u8; STACK]);

struct Setup<'a, F> {
    begin: &'a F,
    failed: Errno,
}

/// Makes a child that runs `begin`, which becomes a program or says why not. Returns its number when its program has begun.
///
/// `begin` runs in our memory while other threads of ours do: it may only make system calls. It begins with all signals held
/// back, so that no handler of ours runs in it.
pub(crate) fn vfork<F: Fn() -> Errno>(flags: i32, begin: F) -> Result<i32, Errno> {
    let mut setup = Setup { begin: &begin, failed: 0 };
    let mut stack = Box::new(Stack([0; STACK]));
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | flags;
    let held = SignalsHeld::new();
    // SAFETY: the child runs on a stack of its own, which outlives it: this thread sleeps until its program has begun or
    // it is gone.
    let pid = unsafe {
        let top = stack.0.as_mut_ptr().add(STACK).cast();
        libc::clone(run::<F>, top, flags, (&raw mut setup).cast())
    };
    let errno = raw::errno();
    drop(held);
    if pid < 0 {
        return Err(errno);
    }
    // SAFETY: the child wrote it, and is done with it.
    match unsafe { std::ptr::read_volatile(&raw const setup.failed) } {
        0 => Ok(pid),
        errno => {
            // It is dead, or about to be, and nobody else knows of it but the guardian, perhaps.
            Pid::from_raw(pid).into_iter().for_each(guardian::forget);
            let wait = || waitpid(Pid::from_raw(pid), WaitOptions::empty());
            while matches!(wait(), Err(rustix::io::Errno::INTR)) {}
            Err(errno)
        }
    }
}

extern "C" fn run<F: Fn() -> Errno>(setup: *mut libc::c_void) -> libc::c_int {
    let setup = setup.cast::<Setup<'_, F>>();
    // SAFETY: the thread that made it sleeps and holds nothing of it.
    let failed = unsafe { ((*setup).begin)() };
    // SAFETY: as above.
    unsafe { std::ptr::write_volatile(&raw mut (*setup).failed, failed) };
    raw::exit(127)
}

/// All signals, held back from this thread until this is dropped.
struct SignalsHeld(libc::sigset_t);

impl SignalsHeld {
    fn new() -> Self {
        // SAFETY: both sets are made whole before they are used.
        unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
            Self(before)
        }
    }
}

impl Drop for SignalsHeld {
    fn drop(&mut self) {
        // SAFETY: the set is whole.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// Its parent would sleep for ever, and the shell that waits for the parent to stop with it.
    #[test]
    fn a_key_that_stops_us_does_not_stop_a_child_before_its_program() {
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let pid = vfork(0, || {
                let (words, none) = ([c"true".as_ptr(), std::ptr::null()], [std::ptr::null()]);
                // SAFETY: the texts end with zero, and the lists with null.
                unsafe {
                    for signal in [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU] {
                        libc::syscall(libc::SYS_kill, libc::syscall(libc::SYS_getpid), signal);
                    }
                    libc::setpgid(0, 0);
                    raw::release_signals();
                    libc::execve(c"/bin/true".as_ptr(), words.as_ptr(), none.as_ptr());
                }
                raw::errno()
            });
            let status = waitpid(Pid::from_raw(pid.unwrap()), WaitOptions::UNTRACED).unwrap();
            sender.send(status.unwrap().1.exit_status()).unwrap();
        });
        assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(Some(0)));
    }
}
