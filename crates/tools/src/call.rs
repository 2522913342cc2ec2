//! A call whose input was understood.

use std::sync::Arc;

use forelook_protocol::{Action, CallId, ChangePreview, PersonQuestion, ToolOutcome};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::agent::AgentTask;
use crate::context::ToolContext;
use crate::seen::SeenFiles;
use crate::tool::{BadInput, CallLocation};

/// A call whose input was understood.
#[derive(Clone)]
pub struct ParsedCall {
    /// Whether it may run beside others.
    pub concurrency_safe: bool,
    /// Who carries it out.
    pub kind: CallKind,
}

impl ParsedCall {
    /// What it would do here, paths resolved; nothing is done yet.
    pub fn action(&self, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(match &self.kind {
            CallKind::Tool(call) => call.action(place)?,
            CallKind::EnterPlan => Action::EnterPlan,
            CallKind::ExitPlan => Action::ExitPlan,
            CallKind::Ask(_) => Action::AskPerson,
            CallKind::Agent(task) => Action::Agent { kind: task.kind.clone(), read_only: task.read_only },
        })
    }

    /// What runs it, unless the engine answers it.
    pub fn runnable(&self) -> Option<Arc<dyn RunnableCall>> {
        match &self.kind {
            CallKind::Tool(call) => Some(Arc::clone(call)),
            CallKind::EnterPlan | CallKind::ExitPlan | CallKind::Ask(_) | CallKind::Agent(_) => None,
        }
    }
}

/// Who carries out a call.
#[derive(Clone)]
pub enum CallKind {
    /// The tool runs it.
    Tool(Arc<dyn RunnableCall>),
    /// Planning begins, if the person agrees.
    EnterPlan,
    /// The plan is put up for review.
    ExitPlan,
    /// The person is asked.
    Ask(Vec<PersonQuestion>),
    /// A subagent does it.
    Agent(AgentTask),
}

/// A call that its tool can run.
pub trait RunnableCall: Send + Sync {
    /// What it would do here, paths resolved; nothing is done yet.
    fn action(&self, place: &CallLocation) -> Result<Action, BadInput>;

    /// Looks ahead before anybody is asked about the call: what it would change in a file, or the error that it is bound to
    /// end with. Nothing is done. Of a file that the model has not seen, nothing is said but that it is there.
    fn preview(
        self: Arc<Self>,
        cx: PreviewContext,
    ) -> BoxFuture<'static, Result<Option<ChangePreview>, String>> {
        drop(cx);
        async { Ok(None) }.boxed()
    }

    /// Does it. Failures are results; it returns soon after `cx.cancel` is cancelled.
    fn run(self: Arc<Self>, cx: ToolContext) -> BoxFuture<'static, ToolOutcome>;
}

/// What a look ahead is given.
#[derive(Clone)]
pub struct PreviewContext {
    /// The call.
    pub call: CallId,
    /// What is to be decided on.
    pub action: Action,
    /// Where it would take place.
    pub place: CallLocation,
    /// Files the model has seen in this conversation.
    pub seen: SeenFiles,
}
