//! Which of many is chosen.

use ratatui_core::text::Line;

use crate::markdown::RenderContext;
use crate::text::Unseen;

/// Some that can be chosen from.
#[derive(Debug, Default)]
pub(super) struct List {
    length: usize,
    chosen: Option<usize>,
}

impl List {
    pub(super) fn new(length: usize, chosen: Option<usize>) -> Self {
        Self { length, chosen: chosen.filter(|at| *at < length) }
    }

    pub(super) fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    /// The one before, and before the first the last. False if there is none.
    pub(super) fn up(&mut self) -> bool {
        self.chosen = match self.chosen {
            Some(at) if at > 0 => Some(at - 1),
            _ => self.length.checked_sub(1),
        };
        self.length > 0
    }

    /// The next one, and behind the last the first.
    pub(super) fn down(&mut self) -> bool {
        let next = self.chosen.map_or(0, |at| at + 1);
        self.chosen = (self.length > 0).then_some(if next < self.length { next } else { 0 });
        self.length > 0
    }

    /// The list in so many rows, the chosen one among them. Where not all have room, the last row says how many more there
    /// are.
    pub(super) fn rows(
        &self,
        rows: usize,
        ctx: RenderContext,
        row: impl FnMut(usize) -> Option<Line<'static>>,
    ) -> Vec<Line<'static>> {
        let room = if self.length > rows { rows.saturating_sub(1).max(1) } else { rows };
        let first = self.chosen.map_or(0, |at| (at + 1).saturating_sub(room));
        let last = (first + room).min(self.length);
        let unseen = Unseen { above: first, below: self.length - last };
        (first..last).filter_map(row).chain(unseen.row(ctx).filter(|_| rows > 1)).collect()
    }
}
