//! What a call tells while it runs: its output as it comes, and how far it is.

use std::sync::{Arc, Mutex, PoisonError};

use crate::output::shorten;

/// Characters of what is told.
const MAX_NOTE: usize = 200;

/// A place for a few words about how far a call is. The session looks at it once a second; saying something costs next
/// to nothing and wakes nobody.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<Option<String>>>);

impl Progress {
    /// How far it is now, such as `12,000 files searched`.
    pub fn say(&self, words: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.into());
    }

    /// What was said last: one line that fits on a screen.
    pub fn last(&self) -> Option<String> {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = said.as_deref()?.lines().find(|line| !line.trim().is_empty())?;
        Some(shorten(line.trim(), MAX_NOTE))
    }
}

/// Takes what a call tells while it runs, for a screen.
#[derive(Clone)]
pub struct OutputSink {
    text: Arc<dyn Fn(&str) + Send + Sync>,
    progress: Progress,
}

impl OutputSink {
    /// Running output goes to `text`, which may be called often and must not block.
    pub fn new(text: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { text: Arc::new(text), progress: Progress::default() }
    }

    /// More output.
    pub fn push(&self, text: &str) {
        (self.text)(text);
    }

    /// How far the call is now.
    pub fn say(&self, words: impl Into<String>) {
        self.progress.say(words);
    }

    /// Where it says how far it is, for who hears it from elsewhere.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Default for OutputSink {
    /// Nobody listens.
    fn default() -> Self {
        Self::new(|_| {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_count_and_are_one_line() {
        let progress = Progress::default();
        assert_eq!(progress.last(), None);
        for (said, heard) in [
            ("1 file searched", Some("1 file searched")),
            ("\n  2 files searched\nand more", Some("2 files searched")),
            (" \n", None),
        ] {
            // Whoever holds a copy sees it.
            progress.clone().say(said);
            assert_eq!(progress.last().as_deref(), heard);
        }
        progress.say("é".repeat(MAX_NOTE + 5));
        assert!(progress.last().unwrap().ends_with("é… [+5 characters]"));
    }
}
