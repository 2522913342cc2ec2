//! The result of a turn, collected while it runs.

use forelook_protocol::{AnswerBlock, CallStatus, HostAnswer, ToolCall};

/// The result of a main agent's turn. It is kept until the next turn starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnResult {
    /// The text of the model's last response.
    pub words: String,
    /// The denied calls, including those of subagents.
    pub denials: Vec<ToolCall>,
    /// Whether a question could not be answered because no one was available.
    pub nobody_to_ask: bool,
    /// Whether calls were running when it was interrupted.
    pub interrupted_calls: bool,
    /// The plan, as the last review left it.
    pub plan: Option<String>,
}

impl TurnResult {
    pub(crate) fn answered(&mut self, blocks: &[AnswerBlock]) {
        let texts = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => None,
        });
        self.words = texts.collect::<Vec<_>>().join("\n");
    }

    /// A call of the main agent or a subagent ended.
    pub(crate) fn finished(&mut self, verdict: CallStatus, main: bool, call: Option<&ToolCall>) {
        match verdict {
            CallStatus::Denied => self.denials.extend(call.cloned()),
            CallStatus::Interrupted if main => self.interrupted_calls = true,
            CallStatus::Interrupted | CallStatus::Ran | CallStatus::Invalid => {}
        }
    }

    pub(crate) fn replied(&mut self, answer: &HostAnswer) {
        self.nobody_to_ask |= *answer == HostAnswer::Nobody;
    }
}
