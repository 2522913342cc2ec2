//! Where the letters of a text stand in a window.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Direction;

/// A text in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLayout {
    pub(crate) rows: Vec<LayoutRow>,
    /// Row and column of the cursor.
    pub(crate) cursor: (usize, usize),
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LayoutRow {
    /// As it is shown.
    pub(crate) text: String,
    /// Where each letter begins in the whole, in bytes, and its column; at last the end of the row.
    places: Vec<(usize, usize)>,
}

impl LayoutRow {
    fn at(start: usize) -> Self {
        Self { text: String::new(), places: vec![(start, 0)] }
    }

    fn width(&self) -> usize {
        self.places.last().map_or(0, |(_, column)| *column)
    }

    fn push(&mut self, shown: &str, end: usize) {
        let column = self.width() + shown.width();
        self.text.push_str(shown);
        self.places.push((end, column));
    }
}

/// Lays a text out. Rows are broken at letters, not at words: what one types stays where it is.
pub(super) fn layout_text(text: &str, cursor: usize, width: usize) -> TextLayout {
    let width = width.max(2);
    let (mut rows, mut row) = (Vec::new(), LayoutRow::at(0));
    let mut place = None;
    for (at, letter) in text.grapheme_indices(true) {
        let end = at + letter.len();
        let breaks = matches!(letter, "\n" | "\r\n");
        let shown = shown(letter);
        if !breaks && row.width() + shown.width() > width {
            rows.push(std::mem::replace(&mut row, LayoutRow::at(at)));
        }
        if at == cursor {
            place = Some((rows.len(), row.width()));
        }
        match breaks {
            true => rows.push(std::mem::replace(&mut row, LayoutRow::at(end))),
            false => row.push(&shown, end),
        }
    }
    // A cursor behind a full row stands at the beginning of the next one.
    if cursor >= text.len() && row.width() >= width {
        rows.push(std::mem::replace(&mut row, LayoutRow::at(text.len())));
    }
    let cursor = place.unwrap_or((rows.len(), row.width()));
    rows.push(row);
    TextLayout { rows, cursor }
}

/// What is shown of a letter: nothing that a terminal would obey.
fn shown(letter: &str) -> Cow<'_, str> {
    match letter {
        "\t" => Cow::Borrowed("    "),
        letter => forelook_wording::visible(letter),
    }
}

impl TextLayout {
    /// The place one row up or down, in the column that is aimed at; nothing beyond the first and the last.
    pub(super) fn beside(&self, direction: Direction, column: &mut Option<usize>) -> Option<usize> {
        let (row, now) = self.cursor;
        let there = match direction {
            Direction::Up => row.checked_sub(1)?,
            Direction::Down => row + 1,
        };
        let row = self.rows.get(there)?;
        let aim = *column.get_or_insert(now);
        // The end of a row that goes on is the beginning of the next one: its last letter is as far as one gets.
        let continuation =
            self.rows.get(there + 1).is_some_and(|next| next.places.first() == Some(&(row.end(), 0)));
        let within = if continuation && row.places.len() > 1 {
            &row.places[..row.places.len() - 1]
        } else {
            &row.places
        };
        within.iter().take_while(|(_, column)| *column <= aim).last().map(|(at, _)| *at)
    }
}

impl LayoutRow {
    fn end(&self) -> usize {
        self.places.last().map_or(0, |(end, _)| *end)
    }
}
