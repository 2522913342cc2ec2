//! Calls that start a subagent.

use std::sync::Arc;

use forelook_protocol::{CallId, ToolCall, ToolOutcome};
use forelook_tools::{AgentFailure, AgentReport, AgentTask, answers};
use futures::future::BoxFuture;

use super::ToolRuntime;
use crate::handle::SessionHandle;

/// Runs subagents. A turn of theirs carries out calls like any other, so this layer cannot know how; it is given.
pub(crate) trait RunAgent: Send + Sync {
    /// Runs one to its end. It stops soon after the caller's turn is interrupted.
    fn run_agent<'a>(
        &'a self,
        parent: &'a SessionHandle,
        runtime: &'a Arc<ToolRuntime>,
        call: CallId,
        task: AgentTask,
    ) -> BoxFuture<'a, Result<AgentReport, AgentFailure>>;
}

/// Starts the agent, waits for it, and reports.
pub(super) async fn run(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    call: &ToolCall,
    task: AgentTask,
) -> ToolOutcome {
    let kind = task.kind.clone();
    let ended = runtime.agents.run_agent(session, runtime, call.id.clone(), task).await;
    answers::agent_reported(call.id.clone(), &kind, &ended)
}
