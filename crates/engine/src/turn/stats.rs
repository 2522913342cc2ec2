//! What a turn has come to so far.

use forelook_protocol::{AnswerBlock, ModelAnswered, ModelUsage};

use super::words_of;

/// After so many calls in one turn, the person is told.
const MANY_CALLS: u32 = 200;

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
    /// How many calls the person was told about.
    told_calls: u32,
    pub(super) spent: ModelUsage,
    pub(super) model_ms: u64,
    /// How often the model paused in the middle of its answer.
    pauses: u32,
    /// Whether the model was asked again after an answer with nothing in it.
    pub(super) asked_again: bool,
    /// The model had too much to do; for the rest of the turn its fallback is asked.
    pub(super) on_fallback: bool,
    /// How many answers there were when the conversation was last made shorter.
    pub(super) compacted_at: Option<u32>,
    /// A summary failed; this turn does without.
    pub(super) compaction_failed: bool,
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

    /// What to tell the person about the number of calls, once for every [`MANY_CALLS`]. A turn that long may be good work, so
    /// it goes on: only whoever watches it knows.
    pub(super) fn many_calls(&mut self) -> Option<String> {
        if self.calls - self.told_calls < MANY_CALLS {
            return None;
        }
        self.told_calls = self.calls;
        Some(format!(
            "The model has made {} tool calls in this turn\nInterrupt it if it repeats itself; otherwise do nothing",
            self.calls
        ))
    }

    /// The model paused; how often it has by now.
    pub(super) fn pause(&mut self) -> u32 {
        self.pauses += 1;
        self.pauses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_hears_of_every_two_hundred_calls_once() {
        let mut stats = TurnStats::default();
        let told: Vec<u32> = (1..=450)
            .filter(|_| {
                stats.calls += 1;
                stats.many_calls().is_some()
            })
            .collect();
        assert_eq!(told, [200, 400]);
    }
}
