//! Looking for something that was said before, backwards, while its words are typed: as in a shell.

use super::{Direction, PromptHistory};
use crate::term::{Code, Key};

/// A search that is going on. What is being written waits untouched until something is taken.
#[derive(Debug, Default)]
pub(super) struct HistorySearch {
    words: String,
    found: Option<String>,
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
        self.found.as_deref()
    }

    pub(super) fn key(&mut self, key: Key, history: &PromptHistory) -> SearchOutcome {
        match key.code {
            Code::Esc => return SearchOutcome::Nothing,
            Code::Char('g') if key.ctrl => return SearchOutcome::Nothing,
            Code::Enter | Code::Tab | Code::Left | Code::Right | Code::Home | Code::End => {
                return self.found.take().map_or(SearchOutcome::Nothing, SearchOutcome::Taken);
            }
            Code::Char('r') if key.ctrl => self.next(history, Direction::Up),
            Code::Char('s') if key.ctrl => self.next(history, Direction::Down),
            Code::Up => self.next(history, Direction::Up),
            Code::Down => self.next(history, Direction::Down),
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

    /// The next one; at the oldest and at the newest it stays.
    fn next(&mut self, history: &PromptHistory, direction: Direction) {
        let Some(shown) = &self.found else { return };
        if let Some(next) = history.find(&self.words, Some(shown), direction) {
            self.found = Some(next.to_owned());
        }
    }

    /// Looks from the newest on.
    pub(super) fn restart(&mut self, history: &PromptHistory) {
        let found =
            (!self.words.is_empty()).then(|| history.find(&self.words, None, Direction::Up)).flatten();
        self.found = found.map(str::to_owned);
    }
}
