//! A call under way, and what those who watch hear of it while it takes long.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{CallId, LiveEvent, ToolOutcome};
use forelook_tools::{AgentTask, Progress, RunnableCall};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::context::tool_context;
use super::ready::ReadyCall;
use super::{ToolRuntime, agent};
use crate::handle::SessionHandle;

/// How often is told how far a call is. Most calls end before the first time.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// A call under way. It ends with its owner.
pub(super) struct RunningCall {
    call: CallId,
    task: AbortOnDrop<Option<ToolOutcome>>,
    progress: Progress,
    since: Instant,
}

impl RunningCall {
    /// A tool runs the call.
    pub(super) fn tool(
        session: &SessionHandle,
        runtime: &Arc<ToolRuntime>,
        ready: &ReadyCall,
        runnable: Arc<dyn RunnableCall>,
    ) -> Self {
        let context = tool_context(session, runtime, ready);
        let progress = context.output.progress().clone();
        Self::start(session, ready, progress, async move { runnable.run(context).await })
    }

    /// A subagent works for the call.
    pub(super) fn agent(
        session: &SessionHandle,
        runtime: &Arc<ToolRuntime>,
        ready: &ReadyCall,
        task: AgentTask,
    ) -> Self {
        let (caller, runtime, call) = (session.clone(), Arc::clone(runtime), ready.call.clone());
        let work = async move { agent::run(&caller, &runtime, &call, task).await };
        Self::start(session, ready, Progress::default(), work)
    }

    /// Starts the work, as a task of its own: calls that run together use several cores, and a tool that panics costs
    /// its own result and nothing else.
    fn start(
        session: &SessionHandle,
        ready: &ReadyCall,
        progress: Progress,
        work: impl Future<Output = ToolOutcome> + Send + 'static,
    ) -> Self {
        let task = AbortOnDrop(tokio::spawn(begin(session.cancel.clone(), work)));
        Self { call: ready.call.id.clone(), task, progress, since: Instant::now() }
    }

    /// What it came to, with news every second on the way; nothing if it was not begun.
    pub(super) async fn outcome(
        &mut self,
        session: &SessionHandle,
    ) -> Result<Option<ToolOutcome>, JoinError> {
        let mut next = self.since + PROGRESS_INTERVAL;
        loop {
            tokio::select! {
                // First, so that nothing is told of a call that has ended.
                biased;
                outcome = &mut self.task.0 => return outcome,
                () = tokio::time::sleep_until(next) => next = self.publish_progress(session),
            }
        }
    }

    /// Tells how far it is, and returns when to do so again.
    fn publish_progress(&self, session: &SessionHandle) -> Instant {
        let now = Instant::now();
        let elapsed = now.duration_since(self.since);
        session.hub.live(LiveEvent::Progress {
            agent: session.agent.as_ref().map(|run| run.id.clone()),
            call: self.call.clone(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            note: self.progress.last(),
        });
        now + PROGRESS_INTERVAL
    }
}

/// Does the work, unless an interrupt came while the intent was being written: after one nothing is begun,
/// whether or not a tool itself looks.
async fn begin(
    cancel: CancellationToken,
    work: impl Future<Output = ToolOutcome> + Send,
) -> Option<ToolOutcome> {
    match cancel.is_cancelled() {
        true => None,
        false => Some(work.await),
    }
}

/// A task that ends with its owner.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
