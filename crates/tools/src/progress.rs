//! How far a call is, for whoever watches one that takes long.

use std::sync::{Arc, Mutex, PoisonError};

/// A place for a few words about how far a call is. The session looks at it once a second; saying something costs next
/// to nothing and wakes nobody.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<Option<String>>>);

impl Progress {
    /// How far it is now, such as `12,000 files searched`.
    pub fn say(&self, words: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.into());
    }

    /// What was said last.
    pub fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
