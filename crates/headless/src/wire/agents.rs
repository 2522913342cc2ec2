//! Subagents, as hosts know them: tasks that start, go on and end.

use forelook_protocol::{AgentEnded, AgentId, AgentStarted, EndReason, SessionId, Usage};
use serde_json::{Value, json};

use super::outgoing::explain;

/// What every line about a task has.
fn line(kind: &str, uuid: impl ToString, session: SessionId, agent: &AgentId) -> Value {
    json!({
        "type": "system", "subtype": kind, "uuid": uuid.to_string(), "session_id": session, "task_id": agent,
    })
}

/// It begins.
pub(crate) fn started(
    uuid: impl ToString,
    session: SessionId,
    agent: &AgentId,
    started: &AgentStarted,
) -> Value {
    let mut line = line("task_started", uuid, session, agent);
    line["tool_use_id"] = json!(started.call);
    line["description"] = json!(started.description);
    line["task_type"] = json!("local_agent");
    line["agent_type"] = json!(started.kind);
    line["model"] = json!(started.model);
    line
}

/// How far it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) usage: Usage,
    pub(crate) calls: u32,
    pub(crate) took_ms: u64,
}

impl Progress {
    fn value(self) -> Value {
        json!({"total_tokens": self.usage.total(), "tool_uses": self.calls, "duration_ms": self.took_ms})
    }
}

/// It has done something.
pub(crate) fn progress(
    uuid: impl ToString,
    session: SessionId,
    (agent, started): (&AgentId, &AgentStarted),
    progress: Progress,
    last_tool: Option<&str>,
) -> Value {
    let mut line = line("task_progress", uuid, session, agent);
    line["tool_use_id"] = json!(started.call);
    line["description"] = json!(started.description);
    line["usage"] = progress.value();
    line["last_tool_name"] = json!(last_tool);
    line
}

/// It has ended.
pub(crate) fn ended(
    uuid: impl ToString,
    session: SessionId,
    (agent, started): (&AgentId, &AgentStarted),
    ended: &AgentEnded,
) -> Value {
    let mut line = line("task_notification", uuid, session, agent);
    line["tool_use_id"] = json!(started.call);
    line["status"] = json!(status(&ended.reason));
    // What it said is the result of the call; there is no file of it.
    line["output_file"] = json!("");
    let what = format!("{}: {}", started.kind, started.description);
    line["summary"] = json!(match explain(&ended.reason) {
        Some(why) => format!("{what} ({why})"),
        None => what,
    });
    let progress = Progress { usage: ended.usage, calls: ended.calls, took_ms: ended.took_ms };
    line["usage"] = progress.value();
    line
}

fn status(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::Done | EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned => "completed",
        EndReason::Interrupted => "stopped",
        EndReason::MaxTokens
        | EndReason::Empty
        | EndReason::NoPlan { .. }
        | EndReason::Refusal
        | EndReason::MaxTurns { .. }
        | EndReason::Provider { .. }
        | EndReason::Stuck { .. }
        | EndReason::Hook { .. }
        | EndReason::Internal { .. } => "failed",
    }
}
