//! A call after it was looked at: what may run and by what, or what the model is told instead.

use std::sync::Arc;

use forelook_protocol::{
    Action, CallStatus, Confinement, EndReason, PermissionDecided, ToolCall, ToolOutcome,
};
use forelook_tools::{AgentTask, RunnableCall};
use serde_json::Value;

use crate::handle::{CallFinish, CallView, PermitBasis};

/// A call after it was looked at.
pub(super) enum Authorization {
    /// It may run; and what follows from its review, if it had one.
    Ready(Box<ReadyCall>, Option<FollowUp>),
    /// It has its result already; and the turn ends, if a hook says so.
    Refused(Box<CallFinish>, Option<FollowUp>),
    /// The conversation that it belonged to is over.
    ConversationReset,
}

impl Authorization {
    /// It has this result.
    pub(super) fn refused(finish: CallFinish) -> Self {
        Self::Refused(Box::new(finish), None)
    }
}

/// What a review or a hook leads to besides the result.
pub(super) enum FollowUp {
    /// The turn ends.
    EndTurn(EndReason),
    /// The conversation began anew: there is nothing left to answer.
    ConversationReset,
}

/// A call that may run.
pub(super) struct ReadyCall {
    pub(super) call: ToolCall,
    pub(super) view: Arc<CallView>,
    pub(super) action: Action,
    pub(super) work: Work,
    /// The input that somebody put in place of the model's.
    pub(super) rewritten: Option<Value>,
    /// Which generation of the hooks was heard about it.
    pub(super) hook_generation: u64,
    pub(super) permit: Permit,
}

/// What lets a call run, and where.
#[derive(Clone)]
pub(super) struct Permit {
    pub(super) basis: PermitBasis,
    /// The decision, if it is not written down yet.
    pub(super) decided: Option<PermissionDecided>,
    /// It was let through for what it would do; nobody said yes to it.
    pub(super) auto_allowed: bool,
    /// What the kernel holds it to.
    pub(super) sandbox: Confinement,
}

impl Permit {
    /// For a call that has its answer already: whatever the mode, it may be said.
    pub(super) fn answered() -> Self {
        Self { basis: PermitBasis::Always, decided: None, auto_allowed: false, sandbox: Confinement::Off }
    }
}

/// What is left to do.
#[derive(Clone)]
pub(super) enum Work {
    /// The tool runs.
    Tool(Arc<dyn RunnableCall>),
    /// A subagent works.
    Agent(AgentTask),
    /// Planning begins.
    EnterPlan,
    /// A subagent's plan is handed over.
    SubagentPlan,
    /// Nothing: this is the result.
    Answered(Box<ToolOutcome>, CallStatus),
}
