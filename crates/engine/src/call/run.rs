//! Runs one call that may: writes down that it begins, does it, and writes down what came of it.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{
    AbsPath, Action, CallStatus, HookEvent, SessionEffect, ToolCall, ToolFinished, ToolOutcome, ToolStarted,
};
use forelook_tools::answers;

use super::authorize::reauthorize;
use super::before;
use super::bounds::truncate_result;
use super::prefetch::Prefetched;
use super::ready::{ReadyCall, Work};
use super::result::{crashed, interrupted};
use super::running::RunningCall;
use super::{ToolRuntime, hooks, plan};
use crate::handle::{CallFinish, CallStart, CallStartOutcome, CallView, RecordError, SessionHandle};

/// How long a tool may take to end after an interrupt before it is left behind. Tools end their children
/// within a second; this is for one that does not listen.
const GRACE: Duration = Duration::from_secs(5);

/// What came of running a call.
pub(super) struct CallRunOutcome {
    /// How things stand afterwards.
    pub(super) view: Arc<CallView>,
    /// Why a hook wants the work to stop.
    pub(super) stop: Option<String>,
}

impl From<Arc<CallView>> for CallRunOutcome {
    fn from(view: Arc<CallView>) -> Self {
        Self { view, stop: None }
    }
}

/// Runs it.
pub(super) async fn run(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: ReadyCall,
    prefetched: &Prefetched,
) -> Result<CallRunOutcome, RecordError> {
    if session.cancel.is_cancelled() {
        let finish = CallFinish { decided: ready.permit.decided, ..interrupted(&ready.call, false).into() };
        return session.finish(finish).await.map(CallRunOutcome::from);
    }
    let ready = match begin(session, runtime, ready).await? {
        Ok(ready) => ready,
        Err(finish) => return session.finish(*finish).await.map(CallRunOutcome::from),
    };
    let edited = match &ready.action {
        Action::Edit { file } => Some(file.real.clone()),
        _ => None,
    };
    let (call, view, writes_plan) = (ready.call.clone(), Arc::clone(&ready.view), writes_plan(&ready));
    let may_change_files = may_change_files(&ready);
    if let Some(file) = &edited {
        // Before it is there: a look at what runs in the background must not take it for theirs.
        runtime.fences.keep_protected(file);
    }
    before::keep_first_state(session, &ready).await?;
    let worked = work(session, runtime, ready, prefetched).await;
    if let Some(file) = &edited {
        runtime.fences.keep_contents(file, written_hash(file, &worked));
    }
    if may_change_files {
        runtime.fences.mark_stale();
    }
    let (outcome, status) = match worked? {
        WorkOutcome::Ended(outcome, status) => (outcome, status),
        WorkOutcome::Interrupted { started } => {
            let finished = session.finish(interrupted(&call, started).into()).await;
            let may_have_run = |error| if started { after_a_run(&call, error) } else { error };
            return finished.map(CallRunOutcome::from).map_err(may_have_run);
        }
    };
    let ToolOutcome { result, effects, output } = outcome;
    let status = match status {
        CallStatus::Ran if session.cancel.is_cancelled() => CallStatus::Interrupted,
        status => status,
    };
    let finished = ToolFinished { result: truncate_result(result), status, effects, output };
    let now = session
        .finish(CallFinish { decided: None, finished: finished.clone(), writes_plan })
        .await
        .map_err(|error| after_a_run(&call, error))?;
    let stop = hooks::post_tool_use(session, runtime, &view, &call, &finished).await?;
    Ok(CallRunOutcome { view: now, stop })
}

/// The result of a call could not be written down. Whoever reads only that would think that nothing was done.
fn after_a_run(call: &ToolCall, RecordError(why): RecordError) -> RecordError {
    let name = &call.name;
    RecordError(format!(
        "{why}\nThe last `{name}` call had begun by then: check what it did. Only its result could not be recorded"
    ))
}

/// Writes down that the call begins. If what it was let through by no longer holds, it is decided on again first.
async fn begin(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    mut ready: ReadyCall,
) -> Result<Result<ReadyCall, Box<CallFinish>>, RecordError> {
    loop {
        let begin = CallStart {
            decided: ready.permit.decided.clone(),
            started: ToolStarted {
                call: ready.call.id.clone(),
                input: ready.rewritten.clone(),
                sandbox: ready.permit.sandbox,
            },
            basis: ready.permit.basis,
            writes_plan: writes_plan(&ready),
        };
        match session.begin(begin).await? {
            CallStartOutcome::Started => return Ok(Ok(ready)),
            CallStartOutcome::Stale(view) => match reauthorize(runtime, ready, view).await {
                Ok(again) => ready = again,
                Err(finish) => return Ok(Err(finish)),
            },
        }
    }
}

/// What a call wrote to this file, by its hash, if it did.
fn written_hash(file: &AbsPath, worked: &Result<WorkOutcome, RecordError>) -> Option<String> {
    let Ok(WorkOutcome::Ended(outcome, _)) = worked else { return None };
    outcome.effects.iter().rev().find_map(|effect| match effect {
        SessionEffect::FileSeen(version) if version.path == *file => Some(version.hash.clone()),
        _ => None,
    })
}

/// Whether there may be files afterwards that fences must hide or protect.
fn may_change_files(ready: &ReadyCall) -> bool {
    match ready.action {
        Action::Edit { .. } => true,
        Action::Shell { .. } => ready.permit.sandbox.can_change(),
        _ => false,
    }
}

/// Whether the call writes the main agent's plan.
fn writes_plan(ready: &ReadyCall) -> bool {
    matches!(&ready.action, Action::Edit { file } if ready.view.is_plan_file(&file.real))
}

/// What came of the work itself.
enum WorkOutcome {
    Ended(ToolOutcome, CallStatus),
    Interrupted { started: bool },
}

async fn work(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: ReadyCall,
    prefetched: &Prefetched,
) -> Result<WorkOutcome, RecordError> {
    let call = ready.call.clone();
    let outcome = match ready.work.clone() {
        Work::Answered(outcome, status) => return Ok(WorkOutcome::Ended(*outcome, status)),
        Work::Tool(runnable) => {
            // What was read before hooks could be heard about it does not count.
            let has_pre_hooks = runtime.hooks.get().has_hook_for(HookEvent::PreToolUse);
            let prefetched = prefetched.take(&ready).filter(|_| !has_pre_hooks);
            let running = prefetched.unwrap_or_else(|| RunningCall::tool(session, runtime, &ready, runnable));
            return Ok(wait_for(session, &call, running).await);
        }
        Work::Agent(task) => {
            let running = RunningCall::agent(session, runtime, &ready, task);
            return Ok(wait_for(session, &call, running).await);
        }
        Work::EnterPlan => plan::enter(session, runtime, &call).await?,
        Work::SubagentPlan => {
            answers::plan_of_subagent(call.id.clone(), ready.view.policy.plan_file.clone()).await
        }
    };
    Ok(WorkOutcome::Ended(outcome, CallStatus::Ran))
}

/// Waits for the outcome; not for long after an interrupt.
async fn wait_for(session: &SessionHandle, call: &ToolCall, mut running: RunningCall) -> WorkOutcome {
    tokio::select! {
        outcome = running.outcome(session) => match outcome {
            Ok(Some(outcome)) => WorkOutcome::Ended(outcome, CallStatus::Ran),
            Ok(None) => WorkOutcome::Interrupted { started: false },
            Err(_) => WorkOutcome::Ended(crashed(call).into(), CallStatus::Ran),
        },
        () = overdue(session) => WorkOutcome::Interrupted { started: true },
    }
}

async fn overdue(session: &SessionHandle) {
    session.cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}
