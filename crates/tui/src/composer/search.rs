//! Looking for something that was said before, backwards, while its words are typed.

use super::PromptHistory;
use crate::term::{Code, Key};

/// A search that is going on. What is being written waits untouched until something is taken.
#[derive(Debug, Default)]
pub(super) struct HistorySearch {
    words: String,
    found: Option<(usize, String)>,
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    Searching,
    /// This goes into the composer.
    Taken(String),
    /// Everything is as it was before.
    Nothing,
}

impl HistorySearch {
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    pub(super) fn found(&self) -> Option<&str> {
        self.found.as_ref().map(|(_, said)| said.as_str())
    }

    pub(super) fn key(&mut self, key: Key, history: &PromptHistory) -> SearchOutcome {
        match key.code {
            Code::Esc => return SearchOutcome::Nothing,
            Code::Enter | Code::Tab => {
                return self
                    .found
                    .take()
                    .map_or(SearchOutcome::Nothing, |(_, said)| SearchOutcome::Taken(said));
            }
            Code::Char('s') if key.ctrl => self.older(history),
            Code::Backspace => {
                self.words.pop();
                self.restart(history);
            }
            _ => {
                if let Some(letter) = key.letter() {
                    self.words.push(letter);
                    self.restart(history);
                }
            }
        }
        SearchOutcome::Searching
    }

    /// The next one before; another one, not the same words said twice. At the oldest it stays.
    fn older(&mut self, history: &PromptHistory) {
        let Some((mut place, shown)) = self.found.clone() else { return };
        while let Some((at, said)) = history.find(&self.words, Some(place)) {
            if said != shown {
                self.found = Some((at, said.to_owned()));
                return;
            }
            place = at;
        }
    }

    /// Looks from the newest on.
    pub(super) fn restart(&mut self, history: &PromptHistory) {
        let found = (!self.words.is_empty()).then(|| history.find(&self.words, None)).flatten();
        self.found = found.map(|(at, said)| (at, said.to_owned()));
    }
}
