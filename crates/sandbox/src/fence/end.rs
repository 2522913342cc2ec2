//! The end of a fence before its time.

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::Fence;

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
