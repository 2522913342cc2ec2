//! The way out of a workspace fence: a proxy in our own process that allows the listed domains.

use std::io;
use std::sync::{Arc, PoisonError, Weak};

use forelook_network::gate::{Gate, serve};
use forelook_sandbox::Fence;

use super::Fences;

/// A gate, and the fence that it is of. It stays open as long as somebody runs in there, also when another fence has
/// taken that one's place.
#[derive(Debug)]
pub(super) struct GateListener {
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
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|entry| entry.fence.strong_count() > 0);
        gates.push(GateListener { fence: Arc::downgrade(fence), gate, port });
        Ok(())
    }

    /// Where programs in this fence find its gate, if it has one.
    pub(super) fn port(&self, fence: &Arc<Fence>) -> Option<u16> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.iter().find(|entry| entry.fence.as_ptr() == Arc::as_ptr(fence)).map(|entry| entry.port)
    }

    /// Hosts that were refused since this was last asked.
    pub(crate) fn refused(&self) -> Vec<String> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.iter().flat_map(|entry| entry.gate.refused()).collect()
    }
}
