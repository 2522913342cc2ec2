//! What is typed in one go with an answer: whoever types `yes` and Enter where `y` answers has said nothing to the model.

use super::App;
use crate::dialog::KeyGuard;
use crate::term::{Code, Key};

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

    /// Whether the key would send words that were typed in one go with an answer. The rest of a word goes; words of their
    /// own stay in the composer, and are sent with another Enter.
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
        let is_rest = !burst.had_words && !self.composer.text().contains(char::is_whitespace);
        if is_rest {
            self.clear();
        } else {
            self.hint("Not sent: typed right after your answer");
        }
        true
    }
}
