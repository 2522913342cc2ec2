//! A call under way, and what those who watch hear of it while it takes long.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{CallId, Live, ToolOutcome};
use forelook_tools::{Progress, Tool, ToolContext};
use serde_json::Value;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;

use crate::carry_out::{self, Hands};
use crate::handle::SessionHandle;
use crate::settle::Ready;

/// How often is told how far a call is. Most calls end before the first time.
const EVERY: Duration = Duration::from_secs(1);

/// A call under way. It ends with its owner.
pub(crate) struct Running {
    call: CallId,
    task: Owned<Option<ToolOutcome>>,
    progress: Progress,
    since: Instant,
}

impl Running {
    /// Starts the call, as a task of its own: calls that run together use several cores, and a tool that panics costs
    /// its own result and nothing else.
    pub(crate) fn start(session: &SessionHandle, hands: &Arc<Hands>, ready: Ready) -> Self {
        let context = carry_out::context(session, hands, &ready);
        let progress = context.progress.clone();
        let task = Owned(tokio::spawn(begin(ready.tool, ready.call.input, context)));
        Self { call: ready.call.id, task, progress, since: Instant::now() }
    }

    /// What it came to, with news every second on the way; nothing if it was not begun.
    pub(crate) async fn outcome(
        &mut self,
        session: &SessionHandle,
    ) -> Result<Option<ToolOutcome>, JoinError> {
        let mut next = self.since + EVERY;
        loop {
            tokio::select! {
                // First, so that nothing is told of a call that has ended.
                biased;
                outcome = &mut self.task.0 => return outcome,
                () = tokio::time::sleep_until(next) => next = self.tell(session),
            }
        }
    }

    /// Tells how far it is, and returns when to do so again.
    fn tell(&self, session: &SessionHandle) -> Instant {
        let now = Instant::now();
        let elapsed = now.duration_since(self.since);
        session.hub.live(Live::Progress {
            agent: session.agent.as_ref().map(|run| run.id.clone()),
            call: self.call.clone(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            note: self.progress.last(),
        });
        now + EVERY
    }
}

/// Runs the tool, unless an interrupt came while the intent was being written: after one nothing is begun,
/// whether or not the tool itself looks.
async fn begin(tool: Arc<dyn Tool>, input: Value, context: ToolContext) -> Option<ToolOutcome> {
    if context.cancel.is_cancelled() {
        return None;
    }
    Some(tool.run(input, context).await)
}

/// A task that ends with its owner.
struct Owned<T>(JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
