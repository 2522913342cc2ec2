//! A window onto rows that may be more than there is room for.

use std::ops::Range;

use ratatui_core::text::Line;

use crate::term::{Code, Key};

/// Where one is among the rows.
#[derive(Debug, Default)]
pub(crate) struct Scroll {
    top: usize,
    room: usize,
    all: usize,
}

impl Scroll {
    /// Takes the keys that move by a page; whether it was one.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        let step = self.room.saturating_sub(1).max(1);
        match key.code {
            Code::PageUp => self.top = self.top.saturating_sub(step),
            // How far down one can go is known when it is drawn.
            Code::PageDown => self.top = (self.top + step).min(self.all.saturating_sub(self.room)),
            _ => return false,
        }
        true
    }

    /// The rows that are in the window; `keep` are rows that should be among them.
    pub(crate) fn window(
        &mut self,
        rows: &[Line<'static>],
        room: usize,
        keep: Option<Range<usize>>,
    ) -> Vec<Line<'static>> {
        (self.room, self.all) = (room, rows.len());
        if let Some(keep) = keep {
            self.top = self.top.max(keep.end.saturating_sub(room)).min(keep.start);
        }
        self.top = self.top.min(self.all.saturating_sub(room));
        rows.iter().skip(self.top).take(room).cloned().collect()
    }

    /// The first row that is in the window.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// The row behind the last one that is in the window.
    pub(crate) fn end(&self) -> usize {
        self.top + self.room
    }

    /// Whether the last row is in the window.
    pub(crate) fn is_at_end(&self) -> bool {
        self.shows_some() && self.top + self.room >= self.all
    }

    /// Whether any of the rows is in the window.
    pub(crate) fn shows_some(&self) -> bool {
        self.room > 0 || self.all == 0
    }

    /// Which rows are seen, and how to see the others; nothing if all of them are.
    pub(crate) fn hint(&self) -> Option<String> {
        (self.all > self.room).then(|| {
            let last = (self.top + self.room).min(self.all);
            format!("lines {}-{last} of {}, PgUp PgDn", self.top + 1, self.all)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_reached() {
        let rows = || (1..=10).map(|row| Line::from(row.to_string())).collect::<Vec<_>>();
        let mut scroll = Scroll::default();
        let seen = |scroll: &mut Scroll, keep| {
            let rows: Vec<String> = scroll.window(&rows(), 4, keep).iter().map(ToString::to_string).collect();
            rows.join(" ")
        };
        assert_eq!(seen(&mut scroll, None), "1 2 3 4");
        assert_eq!(scroll.hint().unwrap(), "lines 1-4 of 10, PgUp PgDn");
        for expected in ["4 5 6 7", "7 8 9 10", "7 8 9 10"] {
            assert!(scroll.key(Key::plain(Code::PageDown)));
            assert!(!scroll.is_at_end() || expected.ends_with("10"));
            assert_eq!(seen(&mut scroll, None), expected);
        }
        assert!(scroll.is_at_end());
        assert_eq!(seen(&mut scroll, Some(1..3)), "2 3 4 5");
        assert_eq!(seen(&mut scroll, Some(8..9)), "6 7 8 9");
        assert!(!scroll.key(Key::plain(Code::Down)));
        scroll.window(&rows(), 20, None);
        assert_eq!(scroll.hint(), None);
    }
}
