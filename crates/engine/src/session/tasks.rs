//! What runs beside the conversation, for a person: background shells, and subagents at work.

use std::sync::Arc;
use std::time::Instant;

use forelook_protocol::{
    AgentId, AnswerBlock, CommandError, Message, Reply, Task, TaskId, TaskState, end_of, shorten,
};
use forelook_tools::MAX_TASK_OUTPUT;
use forelook_wording::call_summary;
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

/// The newest of what a subagent said and did.
fn said(thread: &AgentThread) -> String {
    let answers = thread.conversation.messages().iter().rev().map(|message| match &***message {
        Message::Assistant(blocks) => blocks.as_slice(),
        Message::User(_) => &[],
    });
    let (mut newest, mut room) = (Vec::new(), MAX_TASK_OUTPUT);
    for block in answers.flat_map(|blocks| blocks.iter().rev()) {
        let text = match block {
            AnswerBlock::Text { text } => text.trim().to_owned(),
            AnswerBlock::ToolUse(call) => {
                format!("{}({})", call.name, shorten(&call_summary(&call.input), MAX_INPUT))
            }
            AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => continue,
        };
        let kept = end_of(&text, room).to_owned();
        room = room.saturating_sub(kept.len() + 1);
        newest.push(kept);
        if room == 0 {
            break;
        }
    }
    newest.reverse();
    newest.join("\n")
}
