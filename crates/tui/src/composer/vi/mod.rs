//! The keys of vi, for those whose fingers know them: no visual mode, one register.

mod change;
mod motion;

use super::Direction;
use super::buffer::{Buffer, Move};
use crate::term::{Code, Key};
use change::{Op, word_end};
use motion::{Find, Motion, first_letter, line_at, resolve_motion};

/// More than this is a slip of the finger.
const MAX_COUNT: usize = 9999;

/// What is known between two keys.
#[derive(Debug, Default)]
pub(super) struct Vi {
    mode: ViMode,
    pending: Pending,
    /// What `;` looks for again.
    last_find: Option<Find>,
    /// Whether what was cut last were whole lines.
    lines: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ViMode {
    #[default]
    Insert,
    Normal,
}

/// The beginning of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pending {
    count: Option<usize>,
    /// The operator, and the count before it.
    op: Option<(Op, Option<usize>)>,
    awaited: Option<AwaitedKey>,
}

/// A key that needs another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AwaitedKey {
    /// `g`.
    G,
    /// `f`, `F`, `t`, `T`.
    Letter { forward: bool, till: bool },
    /// `r`.
    Replacement,
}

/// What a key came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViOutcome {
    /// It was ours.
    Done,
    /// It means what it means without vi.
    NotOurs,
    /// So many rows up or down, as they are shown.
    Rows(Direction, usize),
}

impl Vi {
    pub(super) fn is_normal(&self) -> bool {
        self.mode == ViMode::Normal
    }

    /// A new text begins.
    pub(super) fn renew(&mut self) {
        self.mode = ViMode::Insert;
        self.pending = Pending::default();
    }

    pub(super) fn key(&mut self, key: Key, buffer: &mut Buffer) -> ViOutcome {
        match (self.mode, key.code) {
            (ViMode::Insert, Code::Esc) => {
                self.mode = ViMode::Normal;
                let (start, _) = line_at(buffer.text(), buffer.cursor());
                if buffer.cursor() > start {
                    buffer.go(Move::Left);
                }
                ViOutcome::Done
            }
            (ViMode::Insert, _) => ViOutcome::NotOurs,
            // With nothing begun Esc is the program's.
            (ViMode::Normal, Code::Esc) if self.pending == Pending::default() => ViOutcome::NotOurs,
            (ViMode::Normal, Code::Esc) => {
                self.pending = Pending::default();
                ViOutcome::Done
            }
            (ViMode::Normal, Code::Backspace) => self.letter('h', buffer),
            (ViMode::Normal, _) => match key.letter() {
                Some(letter) => self.letter(letter, buffer),
                None => {
                    self.pending = Pending::default();
                    ViOutcome::NotOurs
                }
            },
        }
    }

    fn letter(&mut self, letter: char, buffer: &mut Buffer) -> ViOutcome {
        if let Some(awaited) = self.pending.awaited.take() {
            return self.second(awaited, letter, buffer);
        }
        match letter {
            '1'..='9' => self.digit(letter),
            '0' if self.pending.count.is_some() => self.digit(letter),
            'd' => return self.operator(Op::Delete, buffer),
            'c' => return self.operator(Op::Change, buffer),
            'y' => return self.operator(Op::Yank, buffer),
            'g' => self.pending.awaited = Some(AwaitedKey::G),
            'f' => self.pending.awaited = Some(AwaitedKey::Letter { forward: true, till: false }),
            't' => self.pending.awaited = Some(AwaitedKey::Letter { forward: true, till: true }),
            'F' => self.pending.awaited = Some(AwaitedKey::Letter { forward: false, till: false }),
            'T' => self.pending.awaited = Some(AwaitedKey::Letter { forward: false, till: true }),
            'r' if self.pending.op.is_none() => self.pending.awaited = Some(AwaitedKey::Replacement),
            'j' | 'k' if self.pending.op.is_none() => {
                let direction = if letter == 'j' { Direction::Down } else { Direction::Up };
                return ViOutcome::Rows(direction, self.take_count().unwrap_or(1));
            }
            _ => match self.motion(letter) {
                Some(motion) => self.go(motion, buffer),
                None => self.command(letter, buffer),
            },
        }
        ViOutcome::Done
    }

    fn digit(&mut self, letter: char) {
        let digit = letter.to_digit(10).map_or(0, |digit| digit as usize);
        let count = self.pending.count.unwrap_or(0).saturating_mul(10) + digit;
        self.pending.count = Some(count.min(MAX_COUNT));
    }

    /// An operator: twice, it is for whole lines.
    fn operator(&mut self, op: Op, buffer: &mut Buffer) -> ViOutcome {
        match self.pending.op {
            None => self.pending.op = Some((op, self.pending.count.take())),
            Some((first, _)) if first == op => {
                let lines = self.take_count().unwrap_or(1);
                self.pending = Pending::default();
                self.over_lines(op, lines, buffer);
            }
            Some(_) => self.pending = Pending::default(),
        }
        ViOutcome::Done
    }

    fn second(&mut self, awaited: AwaitedKey, letter: char, buffer: &mut Buffer) -> ViOutcome {
        match (awaited, letter) {
            (AwaitedKey::G, 'g') => self.go(Motion::Top, buffer),
            (AwaitedKey::G, _) => self.pending = Pending::default(),
            (AwaitedKey::Letter { forward, till }, letter) => {
                let find = Find { letter, forward, till };
                self.last_find = Some(find);
                self.go(Motion::Find(find), buffer);
            }
            (AwaitedKey::Replacement, letter) => {
                let count = self.take_count().unwrap_or(1);
                self.replace(letter, count, buffer);
            }
        }
        ViOutcome::Done
    }

    fn motion(&self, letter: char) -> Option<Motion> {
        Some(match letter {
            'h' => Motion::Left,
            'l' | ' ' => Motion::Right,
            'j' => Motion::Lines(1),
            'k' => Motion::Lines(-1),
            'w' => Motion::Word,
            'b' => Motion::WordBack,
            'e' => Motion::WordEnd,
            '0' => Motion::LineStart,
            '^' => Motion::FirstLetter,
            '$' => Motion::LineEnd,
            'G' => Motion::Bottom,
            ';' => Motion::Find(self.last_find?),
            ',' => self.last_find.map(|find| Motion::Find(Find { forward: !find.forward, ..find }))?,
            _ => return None,
        })
    }

    /// A motion: of the cursor, or what an operator is for.
    fn go(&mut self, motion: Motion, buffer: &mut Buffer) {
        let op = self.pending.op.map(|(op, _)| op);
        let count = self.take_count();
        self.pending = Pending::default();
        let (text, here) = (buffer.text(), buffer.cursor());
        let on_word = text[here..].chars().next().is_some_and(|c| !c.is_whitespace());
        let there = match (op, motion) {
            (Some(Op::Change), Motion::Word) if on_word => Some(word_end(text, here, count)),
            _ => resolve_motion(text, here, motion, count),
        };
        let Some(there) = there else { return };
        match op {
            None => {
                buffer.go_to(there.to);
                buffer.column = None;
                self.clamp_cursor(buffer);
            }
            Some(op) => self.over(op, motion, there, buffer),
        }
    }

    /// Both counts, such as 2 and 3 in `2d3w`.
    fn take_count(&mut self) -> Option<usize> {
        let before = self.pending.op.and_then(|(_, count)| count);
        let count = match (before, self.pending.count.take()) {
            (Some(a), Some(b)) => Some(a.saturating_mul(b)),
            (a, b) => a.or(b),
        };
        count.map(|count| count.clamp(1, MAX_COUNT))
    }

    /// In normal mode the cursor is on a letter, not behind the last one of a line.
    pub(super) fn clamp_cursor(&self, buffer: &mut Buffer) {
        let (start, end) = line_at(buffer.text(), buffer.cursor());
        if self.is_normal() && buffer.cursor() == end && end > start {
            let column = buffer.column;
            buffer.go(Move::Left);
            buffer.column = column;
        }
    }

    fn insert_at(&mut self, at: usize, buffer: &mut Buffer) {
        buffer.go_to(at);
        buffer.column = None;
        self.mode = ViMode::Insert;
    }

    /// The first letter of the line that the cursor is in.
    fn first(buffer: &Buffer) -> usize {
        first_letter(buffer.text(), line_at(buffer.text(), buffer.cursor()).0)
    }
}

#[cfg(test)]
mod tests;
