//! The fence of the next command is raised ahead of it, while the model is waited for.

use std::sync::Arc;
use std::time::Duration;

use forelook_facts::KernelProbe;
use forelook_permissions::next_confinement;
use tokio::task::{JoinSet, spawn_blocking};

use super::Session;
use crate::call::fence_inputs;

/// How long a fence waits to be raised ahead: until what the turn or a change of mode brings is done, and the model is
/// waited for. Raising one forks this process, which holds up everybody who touches its memory meanwhile.
const FENCE_DELAY: Duration = Duration::from_millis(50);

impl Session {
    /// Raises the fence that the next command probably needs. Beside the session: whoever needs to know what holds waits
    /// for it then. There may be other secrets since the last time, so a fence that stands looks for them.
    pub(super) fn raise_fence_ahead(&mut self) {
        self.runtime.fences.mark_stale();
        // What was about to be raised for the moment before is given up with it.
        self.fence_task = JoinSet::new();
        let Ok(main) = self.policy_subject(None) else { return };
        let policy = self.permission_state.policy(main);
        let Some(confinement) = next_confinement(&policy) else { return };
        let (fences, fence_inputs) = (Arc::clone(&self.runtime.fences), fence_inputs(policy));
        self.fence_task.spawn(async move {
            tokio::time::sleep(FENCE_DELAY).await;
            drop(spawn_blocking(move || {
                // The call that needs it tries again, and says why it failed.
                if fences.support(false).read_only
                    && let Err(error) = fences.get(confinement, &fence_inputs)
                {
                    tracing::warn!(%error, "the fence could not be raised ahead");
                }
            }));
        });
    }
}
