//! A text with a cursor in it, and its past.

use unicode_segmentation::UnicodeSegmentation;

/// More steps than this are not taken back.
const MAX_UNDO: usize = 500;

/// A text that is being written.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    now: State,
    past: Vec<State>,
    future: Vec<State>,
    /// Whether the next letter belongs to the step before.
    joins: bool,
    cut: String,
    /// The column that going up and down aims at.
    pub(super) column: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    text: String,
    cursor: usize,
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

    pub(super) fn insert(&mut self, text: &str) {
        let letter = text.chars().count() == 1 && text != " " && text != "\n";
        self.step(letter);
        self.now.text.insert_str(self.now.cursor, text);
        self.now.cursor += text.len();
    }

    pub(super) fn replace_all(&mut self, text: &str) {
        if self.now.text != text {
            self.step(false);
        }
        self.now = State { text: text.to_owned(), cursor: text.len() };
    }

    /// Puts `text` in the place of the `length` bytes before the cursor.
    pub(super) fn replace_before(&mut self, length: usize, text: &str) {
        self.step(false);
        let end = self.now.cursor;
        let start = self.now.text.floor_char_boundary(end.saturating_sub(length));
        self.now.text.replace_range(start..end, text);
        self.now.cursor = start + text.len();
    }

    pub(super) fn go(&mut self, to: Move) {
        self.go_to(self.place(to));
        self.column = None;
    }

    /// To a place; the column that is aimed at stays.
    pub(super) fn go_to(&mut self, cursor: usize) {
        self.now.cursor = self.now.text.floor_char_boundary(cursor);
        self.joins = false;
    }

    /// Takes away what lies between here and there.
    pub(super) fn delete(&mut self, to: Move) {
        drop(self.remove(to));
    }

    fn remove(&mut self, to: Move) -> String {
        let there = self.place(to);
        let (start, end) = (there.min(self.now.cursor), there.max(self.now.cursor));
        if start == end {
            return String::new();
        }
        self.step(false);
        self.now.cursor = start;
        self.now.text.drain(start..end).collect()
    }

    /// The same, to be put back elsewhere. At the end of a line it takes the line's end.
    pub(super) fn cut(&mut self, to: Move) {
        let here = self.now.cursor;
        let to = match to {
            Move::LineEnd if self.place(to) == here => Move::Right,
            Move::LineStart if self.place(to) == here => Move::Left,
            other => other,
        };
        let taken = self.remove(to);
        if !taken.is_empty() {
            self.cut = taken;
        }
    }

    pub(super) fn put_back(&mut self) {
        let cut = self.cut.clone();
        if !cut.is_empty() {
            self.step(false);
            self.now.text.insert_str(self.now.cursor, &cut);
            self.now.cursor += cut.len();
        }
    }

    pub(super) fn undo(&mut self) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(&mut self.now, before));
        }
        self.joins = false;
    }

    pub(super) fn redo(&mut self) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(&mut self.now, after));
        }
        self.joins = false;
    }

    /// Before a change. Letters that follow each other are one step.
    fn step(&mut self, letter: bool) {
        if !(letter && self.joins) {
            self.past.push(self.now.clone());
            if self.past.len() > MAX_UNDO {
                self.past.remove(0);
            }
        }
        self.future.clear();
        self.joins = letter;
        self.column = None;
    }

    fn place(&self, to: Move) -> usize {
        let State { text, cursor } = &self.now;
        let (before, after) = text.split_at(*cursor);
        match to {
            Move::Left => before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at),
            Move::Right => cursor + after.graphemes(true).next().map_or(0, str::len),
            Move::WordLeft => before.unicode_word_indices().next_back().map_or(0, |(at, _)| at),
            Move::WordRight => {
                let word = after.unicode_word_indices().next();
                word.map_or(text.len(), |(at, word)| cursor + at + word.len())
            }
            Move::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            Move::LineEnd => after.find('\n').map_or(text.len(), |at| cursor + at),
        }
    }
}
