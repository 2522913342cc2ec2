//! Runs one call that may: writes down that it begins, does it, and writes down what came of it.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{Action, Finished, HookEvent, Started, ToolCall, ToolOutcome, Verdict};
use forelook_tools::answers;

use super::authorize::reauthorize;
use super::bounds::bounded;
use super::prefetch::Prefetched;
use super::ready::{Ready, Work};
use super::result::{crashed, interrupted};
use super::running::Running;
use super::{ToolRuntime, hooks, plan};
use crate::handle::{Begin, BeginOutcome, CallView, Finish, NotRecorded, SessionHandle};

/// How long a tool may take to end after an interrupt before it is left behind. Tools end their children
/// within two seconds; this is for one that does not listen.
const GRACE: Duration = Duration::from_secs(5);

/// What came of running a call.
pub(super) struct Ran {
    /// How things stand afterwards.
    pub(super) view: Arc<CallView>,
    /// Why a hook wants the work to stop.
    pub(super) stop: Option<String>,
}

impl From<Arc<CallView>> for Ran {
    fn from(view: Arc<CallView>) -> Self {
        Self { view, stop: None }
    }
}

/// Runs it.
pub(super) async fn run(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: Ready,
    prefetched: &Prefetched,
) -> Result<Ran, NotRecorded> {
    if session.cancel.is_cancelled() {
        let finish = Finish { decided: ready.permit.decided, ..interrupted(&ready.call, false).into() };
        return session.finish(finish).await.map(Ran::from);
    }
    let ready = match begin(session, runtime, ready).await? {
        Ok(ready) => ready,
        Err(finish) => return session.finish(*finish).await.map(Ran::from),
    };
    let (call, view, writes_plan) = (ready.call.clone(), Arc::clone(&ready.view), writes_plan(&ready));
    let (outcome, verdict) = match work(session, runtime, ready, prefetched).await? {
        WorkOutcome::Ended(outcome, verdict) => (outcome, verdict),
        WorkOutcome::Interrupted { started } => {
            return session.finish(interrupted(&call, started).into()).await.map(Ran::from);
        }
    };
    let ToolOutcome { result, effects, output } = outcome;
    let verdict = match verdict {
        Verdict::Ran if session.cancel.is_cancelled() => Verdict::Interrupted,
        verdict => verdict,
    };
    let finished = Finished { result: bounded(result), verdict, effects, output };
    let now = session.finish(Finish { decided: None, finished: finished.clone(), writes_plan }).await?;
    let stop = hooks::after(session, runtime, &view, &call, &finished).await?;
    Ok(Ran { view: now, stop })
}

/// Writes down that the call begins. If what it was let through by no longer holds, it is decided on again first.
async fn begin(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    mut ready: Ready,
) -> Result<Result<Ready, Box<Finish>>, NotRecorded> {
    loop {
        let begin = Begin {
            decided: ready.permit.decided.clone(),
            started: Started {
                call: ready.call.id.clone(),
                input: ready.rewritten.clone(),
                within: ready.permit.within,
            },
            basis: ready.permit.basis,
            writes_plan: writes_plan(&ready),
        };
        match session.begin(begin).await? {
            BeginOutcome::Started => return Ok(Ok(ready)),
            BeginOutcome::Stale(view) => match reauthorize(runtime, ready, view).await {
                Ok(again) => ready = again,
                Err(finish) => return Ok(Err(finish)),
            },
        }
    }
}

/// Whether the call writes the main agent's plan.
fn writes_plan(ready: &Ready) -> bool {
    matches!(&ready.action, Action::Edit { file } if ready.view.is_plan(&file.real))
}

/// What came of the work itself.
enum WorkOutcome {
    Ended(ToolOutcome, Verdict),
    Interrupted { started: bool },
}

async fn work(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: Ready,
    prefetched: &Prefetched,
) -> Result<WorkOutcome, NotRecorded> {
    let call = ready.call.clone();
    let outcome = match ready.work.clone() {
        Work::Answered(outcome, verdict) => return Ok(WorkOutcome::Ended(*outcome, verdict)),
        Work::Tool(runnable) => {
            // What was read before hooks could be heard about it does not count.
            let unheard = runtime.hooks.get().listen_to(HookEvent::PreToolUse);
            let prefetched = prefetched.take(&ready).filter(|_| !unheard);
            let running = prefetched.unwrap_or_else(|| Running::tool(session, runtime, &ready, runnable));
            return Ok(wait_for(session, &call, running).await);
        }
        Work::Agent(task) => {
            let running = Running::agent(session, runtime, &ready, task);
            return Ok(wait_for(session, &call, running).await);
        }
        Work::EnterPlan => plan::enter(session, runtime, &call).await?,
        Work::SubagentPlan => {
            answers::plan_of_subagent(call.id.clone(), ready.view.policy.plan_file.clone()).await
        }
    };
    Ok(WorkOutcome::Ended(outcome, Verdict::Ran))
}

/// Waits for the outcome; not for long after an interrupt.
async fn wait_for(session: &SessionHandle, call: &ToolCall, mut running: Running) -> WorkOutcome {
    tokio::select! {
        outcome = running.outcome(session) => match outcome {
            Ok(Some(outcome)) => WorkOutcome::Ended(outcome, Verdict::Ran),
            Ok(None) => WorkOutcome::Interrupted { started: false },
            Err(_) => WorkOutcome::Ended(crashed(call).into(), Verdict::Ran),
        },
        () = overdue(session) => WorkOutcome::Interrupted { started: true },
    }
}

async fn overdue(session: &SessionHandle) {
    session.cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}
