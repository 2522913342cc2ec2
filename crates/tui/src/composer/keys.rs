//! What keys do to the text.

use super::buffer::Move;
use super::history::Recalled;
use super::search::{HistorySearch, SearchOutcome};
use super::vi::ViOutcome;
use super::{Composer, ComposerOutcome, Direction};
use crate::term::{Code, Key};

impl Composer {
    /// A key, in a window of this width.
    pub(crate) fn key(&mut self, key: Key, width: usize) -> ComposerOutcome {
        if self.search.is_some() {
            self.look_for(key);
            return ComposerOutcome::Edited;
        }
        let took = self.vi.as_mut().map_or(ViOutcome::NotOurs, |vi| vi.key(key, &mut self.buffer));
        let did = match took {
            ViOutcome::Done => ComposerOutcome::Edited,
            ViOutcome::Rows(direction, count) => {
                (0..count).for_each(|_| self.up_or_down(width, direction));
                ComposerOutcome::Edited
            }
            ViOutcome::NotOurs => self.edit(key, width),
        };
        if let Some(vi) = &self.vi {
            vi.clamp_cursor(&mut self.buffer);
        }
        // The `!` of a line for the shell is its mark: one writes behind it.
        if self.buffer.cursor() == 0 && self.buffer.text().starts_with('!') {
            self.buffer.go_to(1);
        }
        did
    }

    fn edit(&mut self, key: Key, width: usize) -> ComposerOutcome {
        match key.code {
            Code::Enter if key.shift || key.alt || key.ctrl => self.buffer.insert("\n"),
            Code::Enter if self.before_cursor().ends_with('\\') => {
                self.buffer.replace_before(1, "\n");
            }
            Code::Enter => return self.send().map_or(ComposerOutcome::Nothing, ComposerOutcome::Sent),
            Code::Char(letter) if key.ctrl => return self.ctrl(letter, width),
            Code::Char(letter) if key.alt => return self.alt(letter),
            Code::Char(letter) => self.buffer.insert(letter.encode_utf8(&mut [0; 4])),
            Code::Backspace if key.alt || key.ctrl => self.buffer.delete(Move::WordLeft),
            Code::Backspace => self.buffer.delete(Move::Left),
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
            Code::Esc | Code::Tab | Code::PageUp | Code::PageDown => return ComposerOutcome::Nothing,
        }
        ComposerOutcome::Edited
    }

    fn ctrl(&mut self, letter: char, width: usize) -> ComposerOutcome {
        match letter {
            'a' => self.buffer.go(Move::LineStart),
            'e' => self.buffer.go(Move::LineEnd),
            'b' => self.buffer.go(Move::Left),
            'f' => self.buffer.go(Move::Right),
            'p' => self.up_or_down(width, Direction::Up),
            'n' => self.up_or_down(width, Direction::Down),
            'j' => self.buffer.insert("\n"),
            'k' => self.buffer.cut(Move::LineEnd),
            'u' => self.buffer.cut(Move::LineStart),
            'w' => self.buffer.cut(Move::WordLeft),
            'h' => self.buffer.delete(Move::Left),
            'd' => self.buffer.delete(Move::Right),
            'y' => self.buffer.paste_register(),
            'r' => self.search = Some(HistorySearch::default()),
            '_' | '7' | '/' => self.buffer.undo(),
            _ => return ComposerOutcome::Nothing,
        }
        ComposerOutcome::Edited
    }

    fn alt(&mut self, letter: char) -> ComposerOutcome {
        match letter {
            'b' => self.buffer.go(Move::WordLeft),
            'f' => self.buffer.go(Move::WordRight),
            'd' => self.buffer.cut(Move::WordRight),
            'z' | '_' => self.buffer.redo(),
            _ => return ComposerOutcome::Nothing,
        }
        ComposerOutcome::Edited
    }

    fn look_for(&mut self, key: Key) {
        let Some(search) = &mut self.search else { return };
        match search.key(key, &self.history) {
            SearchOutcome::Searching => {}
            SearchOutcome::Nothing => self.search = None,
            SearchOutcome::Taken(said) => {
                let said = self.history.recalled(&said);
                self.set(&said.text);
                self.unnamed = said.unnamed;
            }
        }
    }

    /// Inside of the text as rows are shown; beyond its first and last row through what was said before.
    fn up_or_down(&mut self, width: usize, direction: Direction) {
        let layout = self.layout(width);
        if let Some(cursor) = layout.beside(direction, &mut self.buffer.column) {
            let mark = usize::from(self.buffer.text().starts_with('!'));
            return self.buffer.go_to(cursor + mark);
        }
        let said = match direction {
            Direction::Up => self
                .history
                .older(Recalled { text: self.buffer.text().to_owned(), unnamed: self.unnamed.clone() }),
            Direction::Down => self.history.newer(),
        };
        if let Some(said) = said {
            self.buffer.replace_all(&said.text);
            self.unnamed = said.unnamed;
        }
    }
}
