//! Where the letters of a text stand in a window.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Direction;

/// A text in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Laid {
    pub(crate) rows: Vec<Row>,
    /// Row and column of the cursor.
    pub(crate) cursor: (usize, usize),
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) text: String,
    /// Where it begins in the whole, in bytes.
    start: usize,
}

/// Lays a text out. Rows are broken at letters, not at words: what one types stays where it is.
pub(super) fn lay(text: &str, cursor: usize, width: usize) -> Laid {
    let width = width.max(2);
    let mut rows = vec![Row { text: String::new(), start: 0 }];
    let (mut column, mut place) = (0, (0, 0));
    for (at, grapheme) in text.grapheme_indices(true) {
        if at == cursor {
            place = (rows.len() - 1, column);
        }
        if grapheme == "\n" || grapheme == "\r\n" {
            rows.push(Row { text: String::new(), start: at + grapheme.len() });
            column = 0;
            continue;
        }
        let shown = if grapheme == "\t" { "    " } else { grapheme };
        if column + shown.width() > width {
            rows.push(Row { text: String::new(), start: at });
            column = 0;
            if at == cursor {
                place = (rows.len() - 1, 0);
            }
        }
        column += shown.width();
        if let Some(row) = rows.last_mut() {
            row.text.push_str(shown);
        }
    }
    if cursor >= text.len() {
        // A cursor behind a full row stands at the beginning of the next one.
        if column >= width {
            rows.push(Row { text: String::new(), start: text.len() });
            column = 0;
        }
        place = (rows.len() - 1, column);
    }
    Laid { rows, cursor: place }
}

impl Laid {
    /// The place one row up or down, in the column that is aimed at; nothing beyond the first and the last.
    pub(super) fn beside(&self, direction: Direction, column: &mut Option<usize>) -> Option<usize> {
        let (row, now) = self.cursor;
        let there = match direction {
            Direction::Up => row.checked_sub(1)?,
            Direction::Down => row + 1,
        };
        let row = self.rows.get(there)?;
        let aim = *column.get_or_insert(now);
        let (mut width, mut at) = (0, row.start);
        for grapheme in row.text.graphemes(true) {
            if width + grapheme.width() > aim {
                break;
            }
            width += grapheme.width();
            at += grapheme.len();
        }
        Some(at)
    }
}
