//! From the calls of one answer to their results.
//!
//! A call goes one way: its input is parsed once, hooks are heard, it is authorized (`authorize.rs`: decided, judged,
//! asked), it runs, hooks are heard again, and the result is written down. Calls are authorized in order; a refusal is a
//! result, not an exception. Neighbours that may run together do. Plan, question and agent calls are the engine's own
//! (`plan.rs`, `agent.rs`): no tool runs for them.

mod agent;
mod ask;
mod attach;
mod authorize;
mod before;
mod bounds;
mod context;
mod decide;
pub(crate) mod hooks;
mod parse;
mod plan;
mod policy_cache;
mod prefetch;
mod project_folder;
mod ready;
mod result;
mod run;
mod running;
mod small;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forelook_facts::FactProbe;
use forelook_fences::Fences;
use forelook_hooks::Hooks;
use forelook_plan::{ReaderTools, Workflow};
use forelook_protocol::{EndReason, ToolCall};
use forelook_tools::{ShellRegistry, ToolRegistry, ToolServices};
use futures::future::join_all;

pub(crate) use agent::RunAgent;
pub(crate) use attach::{attach, attach_again};
use authorize::authorize;
pub(crate) use decide::{HookRunner, decide_with_facts, elapsed_ms};
use parse::IncomingCall;
pub(crate) use parse::unwrap_calls;
pub(crate) use plan::{read_rehearsal, reviewed_result};
pub(crate) use policy_cache::{PolicyCache, fence_inputs};
pub(crate) use prefetch::{Prefetch, Prefetched};
pub(crate) use project_folder::ProjectFolder;
use ready::{Authorization, FollowUp, ReadyCall};
pub(crate) use result::{interrupted, superseded};

use crate::classifier::Classifier;
use crate::context::OpenPrompt;
use crate::handle::{CallFinish, CallView, RecordError, ReviewAnswer, SessionHandle};
use crate::model::SmallRoute;

/// How many calls of one answer run. The rest get an error as their result when the answer is recorded.
pub(crate) const MAX_CALLS: usize = 128;

/// What calls are carried out with.
#[derive(Clone)]
pub(crate) struct ToolRuntime {
    pub(crate) folder: Arc<ProjectFolder>,
    pub(crate) tools: ToolRegistry,
    pub(crate) hooks: LiveHooks,
    pub(crate) facts: FactProbe,
    pub(crate) services: ToolServices,
    /// What follows from the policy for all calls.
    pub(crate) policy_cache: Arc<PolicyCache>,
    pub(crate) agents: Arc<dyn RunAgent>,
    /// What every request begins with.
    pub(crate) prompt: Arc<OpenPrompt>,
    pub(crate) small: SmallRoute,
    pub(crate) shells: Arc<ShellRegistry>,
    pub(crate) fences: Arc<Fences>,
    pub(crate) workflow: Workflow,
    pub(crate) classifier: Option<Arc<dyn Classifier>>,
}

impl ToolRuntime {
    /// The tools that the model may be sent to.
    pub(crate) fn reader_tools(&self) -> ReaderTools {
        let tools = self.tools.snapshot();
        ReaderTools::of(|name| tools.has(name))
    }
}

/// The hooks as they are now. A front end may bring its own while a turn is running, and they hold at once.
#[derive(Clone)]
pub(crate) struct LiveHooks(Arc<Mutex<(u64, Arc<Hooks>)>>);

impl LiveHooks {
    pub(crate) fn new(hooks: Arc<Hooks>) -> Self {
        Self(Arc::new(Mutex::new((1, hooks))))
    }

    pub(crate) fn get(&self) -> Arc<Hooks> {
        Arc::clone(&self.lock().1)
    }

    /// Counts how often they changed: who was heard under another number was not heard by all.
    pub(crate) fn generation(&self) -> u64 {
        self.lock().0
    }

    pub(crate) fn set(&self, hooks: Hooks) {
        let mut now = self.lock();
        *now = (now.0 + 1, Arc::new(hooks));
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Arc<Hooks>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call to carry out.
pub(crate) struct PendingCall {
    pub(crate) call: ToolCall,
    /// The answer to its review, where that stands in the journal and only the result is missing.
    pub(crate) reviewed: Option<ReviewAnswer>,
}

impl From<ToolCall> for PendingCall {
    fn from(call: ToolCall) -> Self {
        Self { call, reviewed: None }
    }
}

/// What came of the calls of one answer.
pub(crate) struct CallsOutcome {
    /// The turn ends with this, because the review of a plan or a hook said so.
    pub(crate) end: Option<EndReason>,
    /// The last call was refused, by this name and so often in a row.
    pub(crate) refused: Option<(String, u32)>,
}

/// Carries out all calls; returns when each has a result in the journal.
pub(crate) async fn run_calls(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    calls: Vec<PendingCall>,
    mut view: Arc<CallView>,
    prefetched: &Prefetched,
) -> Result<CallsOutcome, RecordError> {
    let parse = |pending: PendingCall| IncomingCall::of(runtime, pending, prefetched);
    let mut rest: Vec<IncomingCall> = calls.into_iter().map(parse).collect();
    let mut end = None;
    while !rest.is_empty() {
        let batch: Vec<IncomingCall> = rest.drain(..batch_len(&rest)).collect();
        let (ready, mut follow_up) = authorize_all(session, runtime, batch, &mut view).await?;
        let outcome =
            join_all(ready.into_iter().map(|call| run::run(session, runtime, *call, prefetched))).await;
        for outcome in outcome {
            let run::CallRunOutcome { view: then, stop } = outcome?;
            // Those that ran together did not end in this order.
            if then.entries > view.entries {
                view = then;
            }
            follow_up = follow_up.or(stop.map(|message| FollowUp::EndTurn(EndReason::Hook { message })));
        }
        match follow_up {
            None => {}
            Some(FollowUp::ConversationReset) => break,
            // What was to follow was meant for a turn that goes on.
            Some(FollowUp::EndTurn(reason)) => {
                for call in rest.drain(..) {
                    view = session.finish(result::after_the_end(&call.call, &reason)).await?;
                }
                end = Some(reason);
            }
        }
    }
    Ok(CallsOutcome { end, refused: view.refused.clone() })
}

/// Authorizes calls in order, until one of them ends the turn.
async fn authorize_all(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    batch: Vec<IncomingCall>,
    view: &mut Arc<CallView>,
) -> Result<(Vec<Box<ReadyCall>>, Option<FollowUp>), RecordError> {
    let (mut ready, mut follow_up) = (Vec::new(), None);
    for call in batch {
        match &follow_up {
            None => {}
            Some(FollowUp::ConversationReset) => break,
            Some(FollowUp::EndTurn(reason)) => {
                *view = session.finish(result::after_the_end(&call.call, reason)).await?;
                continue;
            }
        }
        match authorize(session, runtime, call, view).await? {
            Authorization::Ready(call, then) => {
                follow_up = then;
                ready.push(call);
            }
            Authorization::Refused(finish, then) => {
                follow_up = then;
                *view = session.finish(*finish).await?;
            }
            Authorization::ConversationReset => follow_up = Some(FollowUp::ConversationReset),
        }
    }
    Ok((ready, follow_up))
}

/// How many of the next calls may run together: a row of concurrency-safe ones, or a single other.
fn batch_len(calls: &[IncomingCall]) -> usize {
    calls.iter().take_while(|call| call.concurrency_safe()).count().max(1)
}

/// A result that needs no run.
impl From<forelook_protocol::ToolFinished> for CallFinish {
    fn from(finished: forelook_protocol::ToolFinished) -> Self {
        Self { decided: None, finished, writes_plan: false }
    }
}
