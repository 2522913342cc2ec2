//! Which of many is chosen.

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

    /// Those that are shown in so many rows: the chosen one is among them.
    pub(super) fn shown(&self, rows: usize) -> std::ops::Range<usize> {
        let first = self.chosen.map_or(0, |at| (at + 1).saturating_sub(rows));
        first..(first + rows).min(self.length)
    }
}
