//! Prefetching: reading while the answer still streams.
//!
//! A call that only reads a file may be carried out as soon as it is whole, before the answer it stands in is. What it
//! read is kept here and counts for nothing until the answer is recorded, the call decided on as any other, and its
//! start written down: then it need not be read again. An answer that breaks off takes what was read with it.
//!
//! Only the first calls of an answer are prefetched, up to the first that does more than read: what follows may depend
//! on it. Where hooks are heard before calls nothing is begun before they were.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forelook_protocol::{Action, AnswerEvent, CallId, Decision, HookEvent, LiveEvent, ToolCall};
use forelook_tools::{ParsedCall, unwrap_call};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::decide::{auto_allowed, decide_with_facts};
use super::parse::{CallUnwrapper, parse};
use super::ready::{Permit, ReadyCall, Work};
use super::running::RunningCall;
use super::{MAX_CALLS, ToolRuntime};
use crate::handle::{CallView, PermitBasis, SessionHandle};
use crate::model::StreamObserver;

/// Hears an answer while it arrives: tells front ends of it, and begins what only reads.
pub(crate) struct Prefetch<'a> {
    session: &'a SessionHandle,
    runtime: &'a Arc<ToolRuntime>,
    /// How things stood when the answer was asked for.
    view: Arc<CallView>,
    /// Calls of the answer that have arrived.
    arrived: usize,
    /// Set at the first call that must wait.
    stopped: bool,
    prefetched: Prefetched,
    /// Whether calls may come through the generic tool, and what is held of one.
    unwrapper: Option<CallUnwrapper>,
}

/// What was prefetched for the calls of one answer.
#[derive(Default)]
pub(crate) struct Prefetched(Mutex<HashMap<CallId, PrefetchedCall>>);

/// A call that was looked at early.
struct PrefetchedCall {
    input: Value,
    parsed: ParsedCall,
    started: Option<StartedRead>,
}

/// A call that was begun early.
struct StartedRead {
    action: Action,
    /// The state of the permissions under which it was let through.
    revision: u64,
    running: RunningCall,
}

impl<'a> Prefetch<'a> {
    pub(crate) fn new(
        session: &'a SessionHandle,
        runtime: &'a Arc<ToolRuntime>,
        view: Arc<CallView>,
    ) -> Self {
        let unwrapper = runtime.tools.accepts_external_tools().then(CallUnwrapper::default);
        Self {
            session,
            runtime,
            view,
            arrived: 0,
            stopped: false,
            prefetched: Prefetched::default(),
            unwrapper,
        }
    }

    /// The answer is whole.
    pub(crate) fn finish(self) -> Prefetched {
        self.prefetched
    }

    /// Begins this call, if it only reads and would be let through without a question.
    async fn try_prefetch(&mut self, call: &ToolCall) {
        self.arrived += 1;
        self.stopped |= self.arrived > MAX_CALLS;
        if self.stopped || self.runtime.hooks.get().has_hook_for(HookEvent::PreToolUse) {
            return;
        }
        let meant = self.unwrapper.as_ref().and_then(|_| unwrap_call(call));
        let call = meant.as_ref().unwrap_or(call);
        let Ok(parsed) = parse(self.runtime, &call.name, &call.input) else {
            self.stopped = true;
            return;
        };
        let started = match self.ready(call, &parsed).await {
            Some((ready, runnable)) => Some(StartedRead {
                running: RunningCall::tool(self.session, self.runtime, &ready, runnable),
                action: ready.action,
                revision: self.view.revision,
            }),
            None => None,
        };
        self.stopped = started.is_none();
        self.prefetched
            .calls()
            .insert(call.id.clone(), PrefetchedCall { input: call.input.clone(), parsed, started });
    }

    async fn ready(
        &self,
        call: &ToolCall,
        parsed: &ParsedCall,
    ) -> Option<(ReadyCall, Arc<dyn forelook_tools::RunnableCall>)> {
        let runnable = parsed.runnable().filter(|_| parsed.concurrency_safe)?;
        let action = parsed.action(&self.view.place).ok()?;
        if !matches!(action, Action::Read { .. }) {
            return None;
        }
        let decision = decide_with_facts(&self.view, &call.name, &action, None, &self.runtime.facts).await;
        let Decision::Allow(reason) = decision else { return None };
        let ready = ReadyCall {
            call: call.clone(),
            view: Arc::clone(&self.view),
            action,
            work: Work::Tool(Arc::clone(&runnable)),
            rewritten: None,
            hook_generation: self.runtime.hooks.generation(),
            permit: Permit {
                basis: PermitBasis::Decided { revision: self.view.revision },
                decided: None,
                auto_allowed: auto_allowed(&reason),
                sandbox: reason.sandbox,
            },
        };
        Some((ready, runnable))
    }
}

impl StreamObserver for Prefetch<'_> {
    fn event(&mut self, event: AnswerEvent) {
        let events = match &mut self.unwrapper {
            None => vec![event],
            Some(unwrapper) => unwrapper.push(event),
        };
        for event in events {
            self.session.hub.live(LiveEvent::Answer { agent: self.session.id(), event });
        }
    }

    fn waiting_after<'a>(&'a mut self, call: &'a ToolCall) -> BoxFuture<'a, ()> {
        self.try_prefetch(call).boxed()
    }

    /// What was read for it is void.
    fn attempt_failed(&mut self) {
        *self = Self::new(self.session, self.runtime, Arc::clone(&self.view));
    }
}

impl Prefetched {
    /// This call, if it was looked at already.
    pub(super) fn parsed(&self, call: &ToolCall) -> Option<ParsedCall> {
        let calls = self.calls();
        calls.get(&call.id).filter(|entry| entry.input == call.input).map(|entry| entry.parsed.clone())
    }

    /// What was begun for this very call, in the same state of the permissions.
    pub(super) fn take(&self, ready: &ReadyCall) -> Option<RunningCall> {
        let entry = self.calls().remove(&ready.call.id)?;
        let started = entry.started.filter(|_| entry.input == ready.call.input)?;
        let same = started.action == ready.action && started.revision == ready.view.revision;
        same.then_some(started.running)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<CallId, PrefetchedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
