//! What a turn has come to so far.

use forelook_protocol::{AnswerBlock, ModelAnswered, ModelUsage};

use super::words_of;

/// What a turn has come to so far.
#[derive(Default)]
pub(crate) struct TurnStats {
    pub(super) answers: u32,
    /// Something was done in it already, so that prompts that steer belong into the next request.
    pub(super) under_way: bool,
    /// How often a hook sent the model back to work.
    pub(super) sent_back: u32,
    /// Calls that were made.
    pub(super) calls: u32,
    pub(super) spent: ModelUsage,
    pub(super) model_ms: u64,
    /// How often the model paused in the middle of its answer.
    pauses: u32,
    /// The model had too much to do; for the rest of the turn its fallback is asked.
    pub(super) on_fallback: bool,
    /// The last words.
    pub(super) words: String,
}

impl TurnStats {
    pub(super) fn count(&mut self, answered: &ModelAnswered) {
        self.answers += 1;
        self.spent += ModelUsage::new(answered.usage, answered.cost);
        self.model_ms += answered.took_ms;
        let calls = answered.blocks.iter().filter(|block| matches!(block, AnswerBlock::ToolUse(_))).count();
        self.calls += u32::try_from(calls).unwrap_or(u32::MAX);
        if let Some(words) = words_of(&answered.blocks) {
            self.words = words;
        }
    }

    /// The model paused; how often it has by now.
    pub(super) fn pause(&mut self) -> u32 {
        self.pauses += 1;
        self.pauses
    }
}
