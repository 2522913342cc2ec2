//! The end of a fence, in time or before.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::Fence;

/// How long the supervisor may take to end what runs inside; it takes a few milliseconds.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// Waits for the end of a child of ours and nobody else.
pub(super) fn reap(child: Pid) {
    while matches!(waitpid(Some(child), WaitOptions::empty()), Err(Errno::INTR)) {}
}

impl Fence {
    /// Ends all that runs inside, although somebody still has a hold of it. It stands no more. What runs in one that only
    /// masks goes on there, as it would without a fence.
    ///
    /// The supervisor is not reaped: until the fence is dropped its number must not become somebody else's.
    pub fn end(&self) {
        if !self.layers.namespaces && self.kill_all_inside() {
            return;
        }
        // The first process of the table ends with the supervisor, and all others with that.
        let _ = kill_process(self.supervisor, Signal::KILL);
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.supervisor), look), Err(Errno::INTR)) {}
    }

    /// Where only the supervisor can end what runs inside, it must not be killed before it has.
    fn kill_all_inside(&self) -> bool {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = shutdown(&*socket, Shutdown::Both);
        let deadline = Instant::now() + KILL_TIMEOUT;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while Instant::now() < deadline {
            match waitid(WaitId::Pid(self.supervisor), look) {
                Ok(None) | Err(Errno::INTR) => std::thread::sleep(Duration::from_millis(1)),
                Ok(Some(_)) | Err(_) => return true,
            }
        }
        false
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        self.end();
        reap(self.supervisor);
    }
}
