//! What runs beside the conversation, for a person: background shells, and subagents at work.

use std::sync::Arc;
use std::time::Instant;

use forelook_protocol::{
    AgentId, AnswerBlock, CommandError, Message, Reply, Task, TaskId, TaskState, shorten,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{AgentThread, Session};

/// Characters of the input of a call, in what a subagent did.
const MAX_INPUT: usize = 200;

/// A subagent at work.
pub(super) struct AgentAtWork {
    pub(super) cancel: CancellationToken,
    pub(super) since: Instant,
}

impl Session {
    /// The shells that this process knows, and the subagents at work.
    pub(super) fn tasks(&self) -> Vec<Task> {
        let mut tasks = self.runtime.shells.tasks();
        tasks.extend(self.state.agents.iter().map(|(id, agent)| {
            let ran = self.agents_at_work.get(id).map(|at_work| at_work.since.elapsed().as_millis());
            Task {
                id: TaskId::Agent(id.clone()),
                about: format!("{}: {}", agent.started.kind, agent.started.description),
                agent: None,
                sandbox: Default::default(),
                state: TaskState::Running,
                ran_ms: ran.and_then(|ran| u64::try_from(ran).ok()).unwrap_or_default(),
            }
        }));
        tasks
    }

    /// The output of a shell may be in a file, so it is read beside the session.
    pub(super) fn task_output(&self, task: TaskId, reply: oneshot::Sender<Result<Reply, CommandError>>) {
        match &task {
            TaskId::Agent(agent) => {
                let said = self.state.agents.get(agent).map(|agent| said(&agent.thread));
                let output = said.ok_or_else(|| CommandError::NoTask(task.clone()));
                _ = reply.send(output.map(|output| Reply::TaskOutput { task, output }));
            }
            TaskId::Shell(shell) => {
                let (shells, shell) = (Arc::clone(&self.runtime.shells), shell.clone());
                tokio::task::spawn_blocking(move || {
                    let output = match shells.output(&shell) {
                        Some(Ok(output)) => Ok(output),
                        Some(Err(error)) => Ok(format!("The output could not be read: {error}")),
                        None => Err(CommandError::NoTask(task.clone())),
                    };
                    reply.send(output.map(|output| Reply::TaskOutput { task, output })).is_ok()
                });
            }
        }
    }

    /// Ends a task for the person. How it ended is written down when it has.
    pub(super) fn end_task(&self, task: &TaskId) -> Result<(), CommandError> {
        let ended = match task {
            TaskId::Shell(shell) => self.runtime.shells.end_for_user(shell),
            TaskId::Agent(agent) => self.end_agent(agent),
        };
        if ended { Ok(()) } else { Err(CommandError::NoTask(task.clone())) }
    }

    fn end_agent(&self, agent: &AgentId) -> bool {
        let at_work = self.agents_at_work.get(agent).filter(|_| self.state.agents.contains_key(agent));
        at_work.inspect(|at_work| at_work.cancel.cancel()).is_some()
    }
}

/// What a subagent said and did so far.
fn said(thread: &AgentThread) -> String {
    let mut lines = Vec::new();
    for message in thread.conversation.messages().iter() {
        let Message::Assistant(blocks) = &***message else { continue };
        for block in blocks {
            match block {
                AnswerBlock::Text { text } => lines.push(text.trim().to_owned()),
                AnswerBlock::ToolUse(call) => {
                    lines.push(format!("{} {}", call.name, shorten(&call.input.to_string(), MAX_INPUT)))
                }
                AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => {}
            }
        }
    }
    lines.join("\n")
}
