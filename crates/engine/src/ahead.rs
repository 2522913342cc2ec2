//! Reading while the answer still streams.
//!
//! A call that only reads a file may be carried out as soon as it is whole, before the answer it stands in is. What it
//! read is kept here and counts for nothing until the answer is recorded, the call decided on as any other, and its
//! start written down: then it need not be read again. An answer that breaks off takes what was read with it.
//!
//! Only the first calls of an answer are begun early, up to the first that does more than read: what follows may depend
//! on it. Where hooks are heard before calls nothing is begun before they were.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_protocol::{Action, CallId, Decision, HookEvent, ToolCall};
use serde_json::Value;

use crate::carry_out::Hands;
use crate::handle::SessionHandle;
use crate::judgement::judge;
use crate::running::Running;
use crate::settle::{Ready, unasked};

/// Begins calls of an answer that is still arriving.
pub(crate) struct Ahead<'a> {
    session: &'a SessionHandle,
    hands: &'a Arc<Hands>,
    /// Set at the first call that must wait.
    over: bool,
    begun: Begun,
}

/// Calls that were begun early.
#[derive(Default)]
pub(crate) struct Begun(Mutex<HashMap<CallId, Early>>);

struct Early {
    input: Value,
    action: Action,
    /// The state of the permissions under which it was let through.
    revision: u64,
    running: Running,
}

impl<'a> Ahead<'a> {
    pub(crate) fn new(session: &'a SessionHandle, hands: &'a Arc<Hands>) -> Self {
        let over = hands.hooks.listen_to(HookEvent::PreToolUse);
        Self { session, hands, over, begun: Begun::default() }
    }

    /// Begins this call, if it only reads and would be let through without a question.
    pub(crate) async fn begin(&mut self, call: &ToolCall) {
        if self.over {
            return;
        }
        match self.ready(call).await {
            Some(ready) => self.begun.add(self.session, self.hands, ready),
            None => self.over = true,
        }
    }

    async fn ready(&self, call: &ToolCall) -> Option<Ready> {
        let tool = self.hands.tools.get(&call.name).filter(|tool| tool.concurrency_safe(&call.input))?;
        let view = self.session.view().await.ok()?;
        let action = tool.action(&call.input, &view.place).ok()?;
        if !matches!(action, Action::Read { .. }) {
            return None;
        }
        match judge(&view, &call.name, &action, None, &self.hands.finder).await {
            Decision::Allow(reason) => {
                let (call, unasked) = (call.clone(), unasked(&reason));
                let (answer, reviewed, rewritten) = (None, None, None);
                let within = reason.within;
                Some(Ready { call, tool, view, action, answer, reviewed, rewritten, unasked, within })
            }
            _ => None,
        }
    }

    /// The answer broke off: what was read for it is void.
    pub(crate) fn discard(&mut self) {
        *self = Self::new(self.session, self.hands);
    }

    /// The answer is whole.
    pub(crate) fn into_begun(self) -> Begun {
        self.begun
    }
}

impl Begun {
    fn add(&self, session: &SessionHandle, hands: &Arc<Hands>, ready: Ready) {
        let (call, revision) = (ready.call.clone(), ready.view.revision);
        let action = ready.action.clone();
        let early =
            Early { input: call.input, action, revision, running: Running::start(session, hands, ready) };
        self.calls().insert(call.id, early);
    }

    /// What was begun for this very call, in the same state of the permissions.
    pub(crate) fn take(&self, ready: &Ready) -> Option<Running> {
        let early = self.calls().remove(&ready.call.id)?;
        let same = early.input == ready.call.input
            && early.action == ready.action
            && early.revision == ready.view.revision;
        same.then_some(early.running)
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, Early>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
