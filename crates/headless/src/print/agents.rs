//! Subagents on the wire: told with the call that started them, so that a host can keep them apart.

use forelook_protocol::{AnswerBlock, Entry, EntryBody};
use forelook_view::SubagentView;

use super::out::{OutputClosed, PrintOutput};
use crate::wire::agents::{self, Progress};
use crate::wire::outgoing;

/// Tells what an agent did.
pub(super) fn tell(out: &mut PrintOutput, agent: &SubagentView, entry: &Entry) -> Result<(), OutputClosed> {
    let (id, started) = (&agent.id, &agent.started);
    let parent = Some(&started.call);
    match &entry.body {
        EntryBody::AgentStarted(started) => {
            let uuid = out.id();
            out.stream(|session| agents::started(uuid, session, id, started))
        }
        EntryBody::ModelAnswered(answered) => {
            out.stream(|session| outgoing::assistant(entry, session, parent, answered))?;
            let uuid = out.id();
            let progress = Progress { usage: agent.usage, calls: agent.calls, took_ms: agent.took_ms };
            let last = last_tool(&answered.blocks);
            out.stream(|session| agents::progress(uuid, session, (id, started), progress, last))
        }
        EntryBody::ToolFinished(finished) => {
            out.stream(|session| outgoing::tool_result(entry, session, parent, finished))
        }
        EntryBody::AgentEnded(ended) => {
            let uuid = out.id();
            out.stream(|session| agents::ended(uuid, session, (id, started), ended))
        }
        _ => Ok(()),
    }
}

/// The tool that an answer asks for last.
fn last_tool(blocks: &[AnswerBlock]) -> Option<&str> {
    blocks.iter().rev().find_map(|block| match block {
        AnswerBlock::ToolUse(call) => Some(call.name.as_str()),
        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => None,
    })
}
