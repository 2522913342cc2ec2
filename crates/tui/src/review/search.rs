//! Looking for words in a plan. Afterwards `n` and `N` go on, as in the transcript; the keys below the plan say so, and what
//! they mean otherwise comes back with Esc.

use ratatui_core::text::Line;

use super::ReviewDialog;
use super::form::ReviewForm;
use crate::composer::Composer;
use crate::term::{Code, Key};
use crate::view::TextSearch;

/// What is looked for, and where it stands.
#[derive(Debug)]
pub(super) struct PlanSearch {
    pub(super) term: String,
    search: TextSearch,
}

impl PlanSearch {
    pub(super) fn new(term: &str) -> Self {
        Self { term: term.to_owned(), search: TextSearch::new(term) }
    }

    /// Whether it stands in these words.
    pub(super) fn is_within(&self, text: &str) -> bool {
        self.search.is_within(text)
    }

    /// The row with what was found marked.
    pub(super) fn marked(&self, row: Line<'static>) -> Line<'static> {
        self.search.marked(row)
    }
}

/// Which way to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Next,
    Previous,
}

impl ReviewDialog {
    pub(super) fn begin_search(&mut self) {
        self.form = ReviewForm::Search { words: Composer::default() };
    }

    /// Looks for these words, from the cursor on.
    pub(super) fn look_for(&mut self, words: &str) {
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        // What was rehearsed is another text.
        self.look_away();
        let search = PlanSearch::new(words);
        match self.plan_pane.find_here(&search) {
            true => self.form = ReviewForm::Found(search),
            false => self.say(&format!("`{words}` is not in this text")),
        }
    }

    /// A key while places are gone through.
    pub(super) fn search_key(&mut self, search: PlanSearch, key: Key) {
        if self.plan_pane.key(key) {
            self.form = ReviewForm::Found(search);
            return;
        }
        match (key.code, key.letter()) {
            (Code::Esc, _) => {}
            (_, Some('/')) => self.begin_search(),
            (_, Some('c')) => self.begin_comment(),
            (Code::Enter, _) | (_, Some('n')) => self.go_on(search, Direction::Next),
            (_, Some('N')) => self.go_on(search, Direction::Previous),
            _ => {
                self.say("Press Esc to end the search first");
                self.form = ReviewForm::Found(search);
            }
        }
    }

    fn go_on(&mut self, search: PlanSearch, direction: Direction) {
        self.plan_pane.find(&search, direction);
        self.form = ReviewForm::Found(search);
    }
}
