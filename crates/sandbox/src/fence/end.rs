//! The end of a fence, in time or before.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::Fence;

/// How long the cell may take to end what runs inside; it takes a few milliseconds.
const SWEEPING: Duration = Duration::from_secs(2);

/// Waits for the end of a child of ours and nobody else.
pub(super) fn reap(child: Pid) {
    while matches!(waitpid(Some(child), WaitOptions::empty()), Err(Errno::INTR)) {}
}

impl Fence {
    /// Ends all that runs inside, although somebody still has a hold of it. It stands no more.
    ///
    /// The cell is not reaped: until the fence is dropped its number must not become somebody else's.
    pub fn end(&self) {
        if !self.layers.namespaces && self.swept() {
            return;
        }
        // The first process of the table ends with the cell, and all others with that.
        let _ = kill_process(self.cell, Signal::KILL);
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.cell), look), Err(Errno::INTR)) {}
    }

    /// Where only the cell can end what runs inside, it must not be killed before it has.
    fn swept(&self) -> bool {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = shutdown(&*socket, Shutdown::Both);
        let patience = Instant::now() + SWEEPING;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while Instant::now() < patience {
            match waitid(WaitId::Pid(self.cell), look) {
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
        reap(self.cell);
    }
}
