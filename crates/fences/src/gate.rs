//! The way out of a workspace fence: a proxy in our own process, which lets the named domains through.

use std::io;
use std::sync::{Arc, PoisonError, Weak};

use forelook_network::gate::{Gate, serve};
use forelook_sandbox::Fence;

use super::Fences;

/// A gate, and the fence that it is of. It stays open as long as somebody runs in there, also when another fence has
/// taken that one's place.
#[derive(Debug)]
pub(super) struct Door {
    fence: Weak<Fence>,
    gate: Gate,
    /// Where it is found inside.
    port: u16,
}

impl Fences {
    /// Opens the gate of this fence, if it has one.
    pub(super) fn open_gate(&self, fence: &Arc<Fence>) -> io::Result<()> {
        let Some(listener) = fence.gate() else { return Ok(()) };
        let port = listener.local_addr()?.port();
        // Serving needs a runtime, and would panic without.
        tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
        let domains = self.setup.workspace.as_ref().map(|it| it.domains.clone()).unwrap_or_default();
        let gate = serve(listener, domains, &self.setup.network);
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.retain(|door| door.fence.strong_count() > 0);
        doors.push(Door { fence: Arc::downgrade(fence), gate, port });
        Ok(())
    }

    /// Where programs in this fence find its gate, if it has one.
    pub(super) fn port(&self, fence: &Arc<Fence>) -> Option<u16> {
        let doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.iter().find(|door| door.fence.as_ptr() == Arc::as_ptr(fence)).map(|door| door.port)
    }

    /// Hosts that were refused since this was last asked.
    pub(crate) fn refused(&self) -> Vec<String> {
        let doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.iter().flat_map(|door| door.gate.refused()).collect()
    }
}
