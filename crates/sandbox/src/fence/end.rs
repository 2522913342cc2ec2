//! The end of a fence before its time.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::Fence;

/// Waits for the end of a child of ours and nobody else.
pub(super) fn reap(child: Pid) {
    while matches!(waitpid(Some(child), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
}

impl Fence {
    /// Ends all that runs inside, although somebody still has a hold of it. It stands no more.
    pub fn end(&self) {
        if !self.layers.namespaces {
            self.swept();
            return;
        }
        // The first process of the table ends with the cell, and all others with that. It is not reaped: until the fence is
        // dropped its number must not become somebody else's.
        let _ = kill_process(self.cell, Signal::KILL);
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.cell), look), Err(rustix::io::Errno::INTR)) {}
    }
}
