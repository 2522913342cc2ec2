//! The narrow door to the session, for the few tools that need one.

use forelook_protocol::{AgentId, CallId, Cost, Mode, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// What a session does for its tools. Everything else a tool wants is an effect, applied when the call is over; these
/// must have happened before its result can be written.
pub trait Host: Send + Sync {
    /// Plan mode begins. An error says, for the model, why it did not.
    fn enter_plan(&self) -> BoxFuture<'_, Result<(), String>>;

    /// Starts a subagent and waits for its end. It stops soon after `task.cancel` is cancelled.
    fn start_agent(&self, task: AgentTask) -> BoxFuture<'_, Result<AgentReport, AgentFailure>>;

    /// Puts one question to the small model, or to the session's where there is none. It has no tools and no memory. An
    /// error says why there is no answer.
    fn ask_small(&self, question: SmallQuestion) -> BoxFuture<'_, Result<SmallAnswer, String>>;
}

/// A question to the small model.
#[derive(Debug, Clone)]
pub struct SmallQuestion {
    /// The call that needs the answer.
    pub call: CallId,
    /// What the model is told before anything else.
    pub system: String,
    /// The question, with all it is about.
    pub text: String,
    /// Cancelled when the answer is no longer wanted.
    pub cancel: CancellationToken,
}

/// What the small model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallAnswer {
    /// Its words.
    pub text: String,
    /// Who answered.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, where the price is known.
    pub cost: Option<Cost>,
}

/// What a subagent is to do.
#[derive(Debug, Clone)]
pub struct AgentTask {
    /// The call that starts it.
    pub call: CallId,
    /// Which agent, such as `Explore`; one of those that were listed.
    pub kind: String,
    /// The task in a few words, for the person who watches.
    pub description: String,
    /// The whole task.
    pub prompt: String,
    /// Another model than the agent's own.
    pub model: Option<String>,
    /// The mode that was asked for. The session never gives a wider one than the caller's.
    pub mode: Option<Mode>,
    /// Cancelled when the turn of the caller is interrupted.
    pub cancel: CancellationToken,
}

/// What a subagent came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReport {
    /// The agent.
    pub agent: AgentId,
    /// Its last message.
    pub text: String,
    /// Tokens.
    pub usage: Usage,
    /// Calls that it made.
    pub calls: u32,
    /// Milliseconds it took.
    pub took_ms: u64,
}

/// A subagent that did not come to its end, or never began.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct AgentFailure {
    /// For the model: why, and what to do about it.
    pub why: String,
    /// How far it came; nothing if it never began.
    pub report: Option<AgentReport>,
}

/// No session: for tools that need none, and for tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn enter_plan(&self) -> BoxFuture<'_, Result<(), String>> {
        async { Err("Plan mode is not available here".to_owned()) }.boxed()
    }

    fn start_agent(&self, _: AgentTask) -> BoxFuture<'_, Result<AgentReport, AgentFailure>> {
        async { Err(AgentFailure { why: "Agents are not available here".to_owned(), report: None }) }.boxed()
    }

    fn ask_small(&self, _: SmallQuestion) -> BoxFuture<'_, Result<SmallAnswer, String>> {
        async { Err("there is no model here".to_owned()) }.boxed()
    }
}
