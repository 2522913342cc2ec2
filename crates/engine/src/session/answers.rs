//! What the model answered, written down: every call gets an id of its own, and those that cannot be carried out a result.

use forelook_protocol::{
    AgentId, AnswerBlock, CallId, CallStatus, EntryBody, ModelAnswered, StopReason, ToolCall, ToolFinished,
    ToolResult,
};
use serde_json::Value;

use super::{Conversation, Session};
use crate::call::{MAX_CALLS, unwrap_calls};
use crate::handle::{RecordError, RecordedAnswer, session_ended};

impl Session {
    pub(super) async fn answered(
        &mut self,
        agent: Option<AgentId>,
        mut answered: ModelAnswered,
    ) -> Result<RecordedAnswer, RecordError> {
        let thread = self.state.thread(agent.as_ref()).ok_or_else(session_ended)?;
        let void = number_calls(&thread.conversation, &mut answered);
        unwrap_calls(&self.runtime.tools, &mut answered);
        let all: Vec<ToolCall> = answered.blocks.iter().filter_map(call_of).cloned().collect();
        let mut bodies = vec![EntryBody::ModelAnswered(answered)];
        bodies.extend(void.iter().map(|(id, text)| refused(id, text)));
        self.record_for(agent.clone(), bodies).await?;
        let total = all.len();
        let calls = all.into_iter().filter(|call| void.iter().all(|(id, _)| *id != call.id)).collect();
        Ok(RecordedAnswer { calls, total, view: self.view(agent.as_ref())? })
    }
}

fn call_of(block: &AnswerBlock) -> Option<&ToolCall> {
    match block {
        AnswerBlock::ToolUse(call) => Some(call),
        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => None,
    }
}

/// Gives every call an id that no other has, so that every provider accepts the conversation: small servers count calls
/// anew in each answer. Returns the calls that are not to be carried out, and what the model is told instead: the same
/// call twice in one answer is a call sent twice, the last call of an answer that was cut off at its limit may be half a
/// call, and no more than [`MAX_CALLS`] run. An answer that was stopped because of what it says is no order: none of its
/// calls runs.
fn number_calls(conversation: &Conversation, answered: &mut ModelAnswered) -> Vec<(CallId, &'static str)> {
    let (cut, declined) = (answered.stop == StopReason::MaxTokens, answered.stop == StopReason::Refusal);
    let mut calls: Vec<&mut ToolCall> = answered
        .blocks
        .iter_mut()
        .filter_map(|block| if let AnswerBlock::ToolUse(call) = block { Some(call) } else { None })
        .collect();
    let run = calls.len().min(MAX_CALLS);
    let twice: Vec<usize> =
        (1..run).filter(|at| calls.iter().take(*at).any(|before| **before == *calls[*at])).collect();
    let fresh = conversation.fresh_ids(calls.iter().map(|call| call.id.clone()).collect());
    for (call, id) in calls.iter_mut().zip(fresh) {
        call.id = id;
    }
    if declined {
        return calls.iter().map(|call| (call.id.clone(), DECLINED)).collect();
    }
    let mut void: Vec<_> = twice.into_iter().map(|at| (calls[at].id.clone(), SENT_TWICE)).collect();
    // What was cut off is no JSON, unless nothing of it had come.
    let is_half = |input: &Value| input.is_string() || input.as_object().is_some_and(|it| it.is_empty());
    let half = calls.get(..run).and_then(|run| run.last());
    let half = half.filter(|last| cut && run == calls.len() && is_half(&last.input));
    void.extend(half.map(|last| (last.id.clone(), CUT_OFF)));
    void.extend(calls.iter().skip(run).map(|call| (call.id.clone(), TOO_MANY)));
    void
}

/// What the model is told of a call after the [`MAX_CALLS`]th. A test holds the number.
const TOO_MANY: &str = "Not run: only the first 128 calls of one answer run, and this one came after them. Send it again \
                        in your next answer if you still need it.";

const SENT_TWICE: &str = "Not run: this answer already contains the same call with the same id. If you want it \
                          twice, send it again with its own id.";

const DECLINED: &str =
    "Not run: you or your provider stopped this answer as declined before it was complete.";

const CUT_OFF: &str = "Not run: your answer reached its length limit in the middle of this call. Work in smaller \
                       steps: write a large file in parts, or edit it piece by piece.";

fn refused(id: &CallId, text: &str) -> EntryBody {
    EntryBody::ToolFinished(ToolFinished {
        result: ToolResult::error(id.clone(), text),
        status: CallStatus::Invalid,
        effects: Vec::new(),
        output: None,
    })
}
