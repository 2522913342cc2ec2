//! A text with a cursor in it, and its past.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// More steps than this are not taken back.
const MAX_UNDO: usize = 500;

/// A text that is being written.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    now: BufferState,
    past: Vec<BufferState>,
    future: Vec<BufferState>,
    last: LastEdit,
    cut: String,
    /// Names of what is folded: the cursor never stands inside of one, and none is deleted by half.
    names: Vec<String>,
    /// The column that going up and down aims at.
    pub(super) column: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct BufferState {
    text: String,
    cursor: usize,
}

/// What the last change was: a word with the blanks behind it is one step, and so is a run of letters taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LastEdit {
    Letter,
    Blank,
    Erased,
    #[default]
    Other,
}

/// Where the cursor can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
}

impl Buffer {
    pub(super) fn text(&self) -> &str {
        &self.now.text
    }

    /// Where the cursor is, in bytes.
    pub(super) fn cursor(&self) -> usize {
        self.now.cursor
    }

    /// From now on this stands in the text as one letter would.
    pub(super) fn name(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// An empty text without a past; only what was cut stays.
    pub(super) fn renew(&mut self) {
        *self = Self { cut: std::mem::take(&mut self.cut), ..Self::default() };
    }

    pub(super) fn insert(&mut self, text: &str) {
        let mut letters = text.chars();
        let kind = match (letters.next(), letters.next()) {
            (Some(' '), None) => LastEdit::Blank,
            (Some(letter), None) if letter != '\n' => LastEdit::Letter,
            _ => LastEdit::Other,
        };
        self.checkpoint(kind);
        self.now.text.insert_str(self.now.cursor, text);
        self.now.cursor += text.len();
        self.normalize_cursor();
    }

    pub(super) fn replace_all(&mut self, text: &str) {
        if self.now.text != text {
            self.checkpoint(LastEdit::Other);
        }
        self.now = BufferState { text: text.to_owned(), cursor: text.len() };
    }

    /// Puts `text` in the place of the `length` bytes before the cursor.
    pub(super) fn replace_before(&mut self, length: usize, text: &str) {
        let end = self.now.cursor;
        let start = self.now.text.floor_char_boundary(end.saturating_sub(length));
        self.replace(start..end, text);
    }

    /// Puts `text` in the place of another; the cursor stands behind it.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.checkpoint(LastEdit::Other);
        self.now.text.replace_range(range.clone(), text);
        self.now.cursor = range.start + text.len();
        self.normalize_cursor();
    }

    pub(super) fn go(&mut self, to: Move) {
        self.go_to(self.place(to));
        self.column = None;
    }

    /// To a place; the column that is aimed at stays.
    pub(super) fn go_to(&mut self, cursor: usize) {
        self.now.cursor = self.outside(cursor, cursor > self.now.cursor);
        self.last = LastEdit::Other;
    }

    /// Takes away what lies between here and there.
    pub(super) fn delete(&mut self, to: Move) {
        let kind = if matches!(to, Move::Left) { LastEdit::Erased } else { LastEdit::Other };
        drop(self.remove(to, kind));
    }

    fn remove(&mut self, to: Move, kind: LastEdit) -> String {
        let there = self.place(to);
        let (start, end) = (there.min(self.now.cursor), there.max(self.now.cursor));
        if start == end {
            return String::new();
        }
        self.checkpoint(kind);
        self.now.cursor = start;
        let taken = self.now.text.drain(start..end).collect();
        self.normalize_cursor();
        taken
    }

    /// The same, to be put back elsewhere. At the end of a line it takes the line's end.
    pub(super) fn cut(&mut self, to: Move) {
        let here = self.now.cursor;
        let to = match to {
            Move::LineEnd if self.place(to) == here => Move::Right,
            Move::LineStart if self.place(to) == here => Move::Left,
            other => other,
        };
        let taken = self.remove(to, LastEdit::Other);
        self.set_register(taken);
    }

    /// What is put back next.
    pub(super) fn set_register(&mut self, taken: String) {
        if !taken.is_empty() {
            self.cut = taken;
        }
    }

    pub(super) fn register(&self) -> &str {
        &self.cut
    }

    pub(super) fn paste_register(&mut self) {
        let cut = self.cut.clone();
        if !cut.is_empty() {
            self.replace(self.now.cursor..self.now.cursor, &cut);
        }
    }

    pub(super) fn undo(&mut self) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(&mut self.now, before));
        }
        self.last = LastEdit::Other;
    }

    pub(super) fn redo(&mut self) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(&mut self.now, after));
        }
        self.last = LastEdit::Other;
    }

    /// Before a change.
    fn checkpoint(&mut self, kind: LastEdit) {
        let continuation = matches!(
            (self.last, kind),
            (LastEdit::Letter, LastEdit::Letter | LastEdit::Blank)
                | (LastEdit::Blank, LastEdit::Blank)
                | (LastEdit::Erased, LastEdit::Erased)
        );
        if !continuation {
            self.past.push(self.now.clone());
            if self.past.len() > MAX_UNDO {
                self.past.remove(0);
            }
        }
        self.future.clear();
        self.last = kind;
        self.column = None;
    }

    /// After a change: what was written or taken away may have made one letter of the two beside the cursor.
    fn normalize_cursor(&mut self) {
        self.now.cursor = self.outside(self.now.cursor, true);
    }

    /// The place itself, or the end or the beginning of the letter or the name that it is in.
    pub(super) fn outside(&self, at: usize, forward: bool) -> usize {
        let text = &self.now.text;
        let at = between_letters(text, at, forward);
        let inside = self.names.iter().find_map(|name| {
            let from = text.floor_char_boundary(at.saturating_sub(name.len()));
            let to = text.ceil_char_boundary((at + name.len()).min(text.len()));
            let start = from + text[from..to].find(name.as_str())?;
            (start < at && at < start + name.len()).then(|| (start, start + name.len()))
        });
        // A mark that was written behind a name belongs to its last letter.
        inside.map_or(at, |(start, end)| between_letters(text, if forward { end } else { start }, forward))
    }

    fn place(&self, to: Move) -> usize {
        let BufferState { text, cursor } = &self.now;
        let (before, after) = text.split_at(*cursor);
        let there = match to {
            Move::Left => before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at),
            Move::Right => cursor + after.graphemes(true).next().map_or(0, str::len),
            Move::WordLeft => before.unicode_word_indices().next_back().map_or(0, |(at, _)| at),
            Move::WordRight => {
                let word = after.unicode_word_indices().next();
                word.map_or(text.len(), |(at, word)| cursor + at + word.len())
            }
            Move::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            Move::LineEnd => after.find('\n').map_or(text.len(), |at| cursor + at),
        };
        self.outside(there, there > *cursor)
    }
}

/// The place itself, or the end or the beginning of the letter that it is in.
fn between_letters(text: &str, at: usize, forward: bool) -> usize {
    let at = text.floor_char_boundary(at.min(text.len()));
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let there = match cursor.is_boundary(text, 0) {
        Ok(false) if forward => cursor.next_boundary(text, 0),
        Ok(false) => cursor.prev_boundary(text, 0),
        _ => Ok(None),
    };
    there.ok().flatten().unwrap_or(at)
}
