//! Where the person writes: many lines, undo, history, pastes that fold.

mod buffer;
mod history;
mod layout;
mod pastes;

use crate::term::{Code, Key};
use buffer::{Buffer, Move};
pub(crate) use history::History;
pub(crate) use layout::Laid;
use pastes::Pastes;

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Did {
    /// The text or the cursor changed, or could have.
    Edited,
    /// This is to be sent; the composer is empty again.
    Sent(String),
    /// The key means nothing here.
    Nothing,
}

/// The text on its way.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    buffer: Buffer,
    pastes: Pastes,
    history: History,
}

impl Composer {
    /// What was said in sessions before, oldest first.
    pub(crate) fn remember(&mut self, said: Vec<String>) {
        self.history.before(said);
    }

    /// The text as it is shown: folded pastes as their names.
    pub(crate) fn text(&self) -> &str {
        self.buffer.text()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.text().is_empty()
    }

    /// The rows of the text in a window of this width, with the place of the cursor.
    pub(crate) fn laid(&self, width: usize) -> Laid {
        layout::lay(self.buffer.text(), self.buffer.cursor(), width)
    }

    /// Another text instead, such as what an editor gave back.
    pub(crate) fn set(&mut self, text: &str) {
        self.buffer.replace_all(text);
    }

    /// Takes everything away; gives what it was, pastes unfolded.
    pub(crate) fn take(&mut self) -> String {
        let text = self.pastes.unfold(self.buffer.text());
        self.buffer.replace_all("");
        self.history.forget_place();
        text
    }

    /// Text that was put in at once: a long one is folded.
    pub(crate) fn paste(&mut self, text: &str) {
        let shown = self.pastes.fold(text);
        self.buffer.insert(&shown);
    }

    /// Puts text in at the cursor, instead of the letters before it.
    pub(crate) fn complete(&mut self, before: usize, text: &str) {
        self.buffer.replace_before(before, text);
    }

    /// The text before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        &self.buffer.text()[..self.buffer.cursor()]
    }

    /// A key, in a window of this width.
    pub(crate) fn key(&mut self, key: Key, width: usize) -> Did {
        match key.code {
            Code::Enter if key.shift || key.alt || key.ctrl => self.buffer.insert("\n"),
            Code::Enter if self.before_cursor().ends_with('\\') => {
                self.buffer.replace_before(1, "\n");
            }
            Code::Enter => return self.send(),
            Code::Char(letter) if key.ctrl => return self.ctrl(letter),
            Code::Char(letter) if key.alt => return self.alt(letter),
            Code::Char(letter) => self.buffer.insert(letter.encode_utf8(&mut [0; 4])),
            Code::Backspace if key.alt || key.ctrl => self.buffer.delete(Move::WordLeft),
            Code::Backspace => self.backspace(),
            Code::Delete if key.alt || key.ctrl => self.buffer.delete(Move::WordRight),
            Code::Delete => self.buffer.delete(Move::Right),
            Code::Left if key.alt || key.ctrl => self.buffer.go(Move::WordLeft),
            Code::Right if key.alt || key.ctrl => self.buffer.go(Move::WordRight),
            Code::Left => self.buffer.go(Move::Left),
            Code::Right => self.buffer.go(Move::Right),
            Code::Home => self.buffer.go(Move::LineStart),
            Code::End => self.buffer.go(Move::LineEnd),
            Code::Up => self.up_or_down(width, Direction::Up),
            Code::Down => self.up_or_down(width, Direction::Down),
            Code::Esc | Code::Tab | Code::PageUp | Code::PageDown => return Did::Nothing,
        }
        Did::Edited
    }

    fn ctrl(&mut self, letter: char) -> Did {
        match letter {
            'a' => self.buffer.go(Move::LineStart),
            'e' => self.buffer.go(Move::LineEnd),
            'b' => self.buffer.go(Move::Left),
            'f' => self.buffer.go(Move::Right),
            'j' => self.buffer.insert("\n"),
            'k' => self.buffer.cut(Move::LineEnd),
            'u' => self.buffer.cut(Move::LineStart),
            'w' => self.buffer.cut(Move::WordLeft),
            'h' => self.backspace(),
            'y' => self.buffer.put_back(),
            '_' | '7' | 'z' => self.buffer.undo(),
            _ => return Did::Nothing,
        }
        Did::Edited
    }

    fn alt(&mut self, letter: char) -> Did {
        match letter {
            'b' => self.buffer.go(Move::WordLeft),
            'f' => self.buffer.go(Move::WordRight),
            'd' => self.buffer.cut(Move::WordRight),
            'z' | '_' => self.buffer.redo(),
            _ => return Did::Nothing,
        }
        Did::Edited
    }

    /// A folded paste goes as a whole.
    fn backspace(&mut self) {
        match self.pastes.name_before(self.before_cursor()) {
            Some(length) => self.buffer.replace_before(length, ""),
            None => self.buffer.delete(Move::Left),
        }
    }

    fn send(&mut self) -> Did {
        if self.buffer.text().trim().is_empty() {
            return Did::Nothing;
        }
        let text = self.take();
        self.history.add(&text);
        self.pastes = Pastes::default();
        Did::Sent(text)
    }

    /// Inside of the text as rows are shown; beyond its first and last row through what was said before.
    fn up_or_down(&mut self, width: usize, direction: Direction) {
        let laid = self.laid(width);
        if let Some(cursor) = laid.beside(direction, &mut self.buffer.column) {
            return self.buffer.go_to(cursor);
        }
        let said = match direction {
            Direction::Up => self.history.older(self.buffer.text()),
            Direction::Down => self.history.newer(),
        };
        if let Some(said) = said {
            self.buffer.replace_all(&said);
        }
    }
}

/// Up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

#[cfg(test)]
mod tests;
