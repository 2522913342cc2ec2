//! Going to where the words stand that one looks for.

use super::search::TextSearch;
use super::{RowPosition, SearchPrompt, TranscriptView};

impl TranscriptView {
    /// What was written is looked for, from here on.
    pub(super) fn look_for(&mut self) {
        if let SearchPrompt::Writing(term) = std::mem::take(&mut self.prompt) {
            self.search = TextSearch::new(&term);
            self.found = None;
            self.top = self.top.min(self.last_top());
            self.find(true);
        }
    }

    /// The next place where it stands, or the one before; behind the last comes the first again.
    pub(super) fn find(&mut self, forward: bool) {
        if self.search.is_empty() {
            return;
        }
        match self.beyond(forward).or_else(|| self.outermost(forward)) {
            Some(position) => self.show(position),
            None => self.prompt = SearchPrompt::NotFound("Not found".to_owned()),
        }
    }

    /// The next place in this direction.
    fn beyond(&mut self, forward: bool) -> Option<RowPosition> {
        let from = self.found.unwrap_or(self.top.min(self.last_top()));
        let found = self.found;
        let beyond = |position: &RowPosition| match (found, forward) {
            (None, true) => *position >= from,
            (None, false) => *position < from,
            (Some(found), true) => *position > found,
            (Some(found), false) => *position < found,
        };
        let mut items: Vec<usize> = match forward {
            true => (from.item..self.items.len()).collect(),
            false => (0..=from.item.min(self.items.len().saturating_sub(1))).collect(),
        };
        if !forward {
            items.reverse();
        }
        items.into_iter().find_map(|item| self.position(item, forward, beyond))
    }

    /// The first place of all, or the last.
    fn outermost(&mut self, forward: bool) -> Option<RowPosition> {
        let all = self.items.len();
        (0..all).find_map(|at| self.position(if forward { at } else { all - 1 - at }, forward, |_| true))
    }

    /// The first place in an item that counts, or the last.
    fn position(
        &mut self,
        item: usize,
        forward: bool,
        counts: impl Fn(&RowPosition) -> bool,
    ) -> Option<RowPosition> {
        let has = self.items.get(item).is_some_and(|item| self.search.is_in(item));
        let positions = if has { self.positions(item) } else { Vec::new() };
        let mut positions = positions.into_iter().filter(counts);
        if forward { positions.next() } else { positions.next_back() }
    }

    /// The rows of an item where it stands. Words that are broken at the window's edge are found at its beginning.
    fn positions(&mut self, item: usize) -> Vec<RowPosition> {
        let rows: Vec<String> = self.rows_of(item).iter().map(ToString::to_string).collect();
        let found = rows.iter().enumerate().filter(|(_, row)| self.search.is_within(row));
        let positions: Vec<RowPosition> = found.map(|(row, _)| RowPosition { item, row }).collect();
        if positions.is_empty() { vec![RowPosition { item, row: 0 }] } else { positions }
    }

    /// A third of the window stays above what was found.
    fn show(&mut self, position: RowPosition) {
        (self.found, self.top) = (Some(position), position);
        self.up(self.room / 3);
    }
}
