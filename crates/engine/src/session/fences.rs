//! The fence of the next command is raised ahead of it, while the model is waited for.

use std::sync::Arc;
use std::time::Duration;

use forelook_facts::KernelProbe;
use forelook_fences::{list_set_aside, restore_set_aside};
use forelook_permissions::next_confinement;
use forelook_protocol::{AbsPath, Confinement, LiveEvent, Notice, NoticeLevel};
use tokio::task::{JoinSet, spawn_blocking};

use super::Session;
use crate::call::fence_inputs;

/// How long a fence waits to be raised ahead: until what the turn or a change of mode brings is done, and the model is
/// waited for. Raising one forks this process, which holds up everybody who touches its memory meanwhile.
const FENCE_DELAY: Duration = Duration::from_millis(50);

impl Session {
    /// Ends the workspace fence with all that runs in it, and looks at what that made: nobody would later.
    pub(super) async fn end_fences(&mut self) {
        let fences = Arc::clone(&self.runtime.fences);
        if let Err(crash) = spawn_blocking(move || fences.end(Confinement::Workspace)).await {
            tracing::error!(%crash, "the fences could not be ended");
        }
    }

    /// Brings back what was moved out of the project, beside the session: it may be on another disk.
    pub(super) fn restore_set_aside(&mut self, id: String) {
        let (folder, hub) = (self.config.fences.set_aside.clone(), self.hub.clone());
        self.listeners.spawn_blocking(move || {
            let found = list_set_aside(&folder).into_iter().find(|item| item.id == id);
            let restored = found.map(|item| restore_set_aside(&item).map(|()| item.from));
            let (level, text) = match restored {
                Some(Ok(from)) => (NoticeLevel::Info, format!("Brought back `{from}`")),
                Some(Err(error)) => (NoticeLevel::Error, format!("It was not brought back: {error}")),
                None => (NoticeLevel::Error, format!("Nothing was set aside as `{id}`")),
            };
            hub.live(LiveEvent::Notice(Notice { level, text }));
        });
    }

    /// The working folders.
    pub(super) fn working_folders(&self) -> Vec<AbsPath> {
        let policy = self.policy_subject(None).map(|main| self.permission_state.policy(main));
        policy.map_or_else(|_| vec![self.state.folder.clone()], |policy| policy.folders.clone())
    }

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
