//! What a turn came to, gathered while it runs.

use forelook_protocol::{AnswerBlock, HostAnswer, ToolCall, Verdict};

/// A turn of the main agent's. What is known of it stays until the next one begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnResult {
    /// The model's last words.
    pub words: String,
    /// Calls that were refused, a subagent's too.
    pub denials: Vec<ToolCall>,
    /// Whether something was asked and nobody was there.
    pub nobody: bool,
    /// Whether calls were running when it was interrupted.
    pub cut_calls: bool,
    /// The plan, as the last review left it.
    pub plan: Option<String>,
}

impl TurnResult {
    pub(crate) fn answered(&mut self, blocks: &[AnswerBlock]) {
        let texts = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => None,
        });
        self.words = texts.collect::<Vec<_>>().join("\n");
    }

    /// A call of the main agent's or of an agent's ended.
    pub(crate) fn finished(&mut self, verdict: Verdict, main: bool, call: Option<&ToolCall>) {
        match verdict {
            Verdict::Denied => self.denials.extend(call.cloned()),
            Verdict::Interrupted if main => self.cut_calls = true,
            Verdict::Interrupted | Verdict::Ran | Verdict::Invalid => {}
        }
    }

    pub(crate) fn replied(&mut self, answer: &HostAnswer) {
        self.nobody |= *answer == HostAnswer::Nobody;
    }
}
