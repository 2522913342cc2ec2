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
    /// Where the last word begins, if something stands before it.
    word: Option<WordStart>,
    /// Whether a blank behind the last word had no room.
    overflows: bool,
}

/// Where a word begins in a row: its place, and its first byte as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WordStart {
    place: usize,
    byte: usize,
}

impl LayoutRow {
    fn at(start: usize) -> Self {
        Self { text: String::new(), places: vec![(start, 0)], word: None, overflows: false }
    }

    fn start(&self) -> usize {
        self.places.first().map_or(0, |(start, _)| *start)
    }

    fn end(&self) -> usize {
        self.places.last().map_or(0, |(end, _)| *end)
    }

    fn width(&self) -> usize {
        self.places.last().map_or(0, |(_, column)| *column)
    }

    fn push(&mut self, shown: &str, end: usize) {
        let column = self.width() + shown.width();
        self.text.push_str(shown);
        self.places.push((end, column));
    }

    /// A blank. Behind the end of a full row it is not seen: the next word begins a row of its own.
    fn push_blank(&mut self, shown: &str, end: usize, width: usize) {
        self.overflows |= self.width() + shown.width() > width;
        self.push(if self.overflows { "" } else { shown }, end);
        // Blanks at the beginning are no place to break.
        if !self.text.trim().is_empty() {
            self.word = Some(WordStart { place: self.places.len() - 1, byte: self.text.len() });
        }
    }

    /// The word that is being written leaves for the next row; what has no word before it is broken where it ends.
    fn split(&mut self) -> Self {
        let Some(word) = self.word.take() else { return Self::at(self.end()) };
        let text = self.text.split_off(word.byte);
        let mut places = self.places.split_off(word.place);
        let (start, column) = places[0];
        places.iter_mut().for_each(|(_, it)| *it -= column);
        self.places.push((start, column));
        Self { text, places, word: None, overflows: false }
    }

    /// The column of what begins at this byte.
    fn column(&self, cursor: usize) -> usize {
        let before = self.places.iter().take_while(|(at, _)| *at <= cursor);
        before.last().map_or(0, |(_, column)| *column)
    }
}

/// Lays a text out. Rows are broken at words, as they are once the text is sent; only a word that is longer than a row is
/// broken where it must be.
pub(super) fn layout_text(text: &str, cursor: usize, width: usize) -> TextLayout {
    let width = width.max(2);
    let (mut rows, mut row) = (Vec::new(), LayoutRow::at(0));
    for (at, letter) in text.grapheme_indices(true) {
        let end = at + letter.len();
        if matches!(letter, "\n" | "\r\n") {
            rows.push(std::mem::replace(&mut row, LayoutRow::at(end)));
            continue;
        }
        let shown = shown(letter);
        if matches!(letter, " " | "\t") {
            row.push_blank(&shown, end, width);
            continue;
        }
        while row.overflows || row.width() > 0 && row.width() + shown.width() > width {
            let next = row.split();
            rows.push(std::mem::replace(&mut row, next));
        }
        row.push(&shown, end);
    }
    // A cursor behind a full row stands at the beginning of the next one.
    if cursor >= text.len() && (row.overflows || row.width() >= width) {
        rows.push(std::mem::replace(&mut row, LayoutRow::at(text.len())));
    }
    rows.push(row);
    let at = rows.iter().rposition(|row| row.start() <= cursor).unwrap_or(0);
    let column = rows[at].column(cursor);
    TextLayout { rows, cursor: (at, column) }
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
