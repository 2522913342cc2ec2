//! Going to where the words stand that one looks for.

use super::search::Search;
use super::{Prompt, Spot, Transcript};

impl Transcript {
    /// What was written is looked for, from here on.
    pub(super) fn look_for(&mut self) {
        if let Prompt::Writing(term) = std::mem::take(&mut self.prompt) {
            self.search = Search::new(&term);
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
            Some(spot) => self.show(spot),
            None => self.prompt = Prompt::NotFound("Not found".to_owned()),
        }
    }

    /// The next place in this direction.
    fn beyond(&mut self, forward: bool) -> Option<Spot> {
        let from = self.found.unwrap_or(self.top.min(self.last_top()));
        let found = self.found;
        let beyond = |spot: &Spot| match (found, forward) {
            (None, true) => *spot >= from,
            (None, false) => *spot < from,
            (Some(found), true) => *spot > found,
            (Some(found), false) => *spot < found,
        };
        let mut items: Vec<usize> = match forward {
            true => (from.item..self.items.len()).collect(),
            false => (0..=from.item.min(self.items.len().saturating_sub(1))).collect(),
        };
        if !forward {
            items.reverse();
        }
        items.into_iter().find_map(|item| self.spot(item, forward, beyond))
    }

    /// The first place of all, or the last.
    fn outermost(&mut self, forward: bool) -> Option<Spot> {
        let all = self.items.len();
        (0..all).find_map(|at| self.spot(if forward { at } else { all - 1 - at }, forward, |_| true))
    }

    /// The first place in an item that counts, or the last.
    fn spot(&mut self, item: usize, forward: bool, counts: impl Fn(&Spot) -> bool) -> Option<Spot> {
        let has = self.items.get(item).is_some_and(|item| self.search.is_in(item));
        let spots = if has { self.spots(item) } else { Vec::new() };
        let mut spots = spots.into_iter().filter(counts);
        if forward { spots.next() } else { spots.next_back() }
    }

    /// The rows of an item where it stands. Words that are broken at the window's edge are found at its beginning.
    fn spots(&mut self, item: usize) -> Vec<Spot> {
        let rows: Vec<String> = self.rows_of(item).iter().map(ToString::to_string).collect();
        let found = rows.iter().enumerate().filter(|(_, row)| self.search.is_within(row));
        let spots: Vec<Spot> = found.map(|(row, _)| Spot { item, row }).collect();
        if spots.is_empty() { vec![Spot { item, row: 0 }] } else { spots }
    }

    /// A third of the window stays above what was found.
    fn show(&mut self, spot: Spot) {
        (self.found, self.top) = (Some(spot), spot);
        self.up(self.room / 3);
    }
}
