//! What is typed in one go with an answer: whoever types `yes` and Enter where `y` answers has said nothing to the model.

use super::App;
use crate::dialog::KeyGuard;
use crate::term::{Code, Key};

/// What is left of yes, no, yep, nope, always, and allow behind the letter that answered. Nobody means these by
/// themselves; any other word may be one, and nobody should have to type it twice.
const REST_OF_ANSWERS: [&str; 6] = ["es", "o", "ep", "ope", "lways", "llow"];

/// Keys that follow an answer without a pause.
#[derive(Debug)]
pub(super) struct AnswerBurst {
    guard: KeyGuard,
    /// Whether there were words in the composer before.
    had_words: bool,
}

impl App {
    /// A question was answered with a key.
    pub(super) fn begin_answer_burst(&mut self) {
        let guard = KeyGuard::begin(self.now.ms);
        self.answer_burst = Some(AnswerBurst { guard, had_words: !self.composer.is_empty() });
    }

    /// Whether the key would send words that were typed in one go with an answer. The rest of the answer goes; other words
    /// stay in the composer, and are sent with another Enter.
    pub(super) fn ends_answer_burst(&mut self, key: Key) -> bool {
        let now = self.now.ms;
        let Some(burst) = &mut self.answer_burst else { return false };
        if burst.guard.allows(now) {
            self.answer_burst = None;
            return false;
        }
        // No answer goes on with a slash: a command is meant, however fast it was typed.
        if !matches!(key.code, Code::Enter | Code::Tab) || self.composer.text().starts_with('/') {
            return false;
        }
        let is_rest = !burst.had_words && REST_OF_ANSWERS.contains(&self.composer.text().trim());
        if is_rest {
            self.clear();
        } else {
            self.hint("Not sent: typed right after your answer");
        }
        true
    }
}
