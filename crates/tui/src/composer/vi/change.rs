//! What vi changes: operators over a motion, and commands of one letter.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::motion::{Motion, MotionSpan, MotionTarget, line_at, resolve_motion};
use super::{Pending, Vi};
use crate::composer::buffer::{Buffer, Move};

/// What waits for a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Delete,
    Change,
    Yank,
}

impl Vi {
    /// An operator over what a motion passed.
    pub(super) fn over(&mut self, op: Op, motion: Motion, there: MotionTarget, buffer: &mut Buffer) {
        let (text, here) = (buffer.text(), buffer.cursor());
        if there.span == MotionSpan::Lines {
            let (first, last) = (here.min(there.to), here.max(there.to));
            let lines = text[first..last].matches('\n').count() + 1;
            buffer.go_to(first);
            return self.over_lines(op, lines, buffer);
        }
        let end = match there.span {
            MotionSpan::LetterToo if there.to >= here => letter_end(text, there.to),
            _ if motion == Motion::Word => without_line_end(text, here, there.to),
            _ => there.to,
        };
        let range = here.min(end)..here.max(end);
        self.apply(op, range, buffer);
    }

    fn apply(&mut self, op: Op, range: Range<usize>, buffer: &mut Buffer) {
        let range = buffer.outside(range.start, false)..buffer.outside(range.end, true);
        self.lines = false;
        buffer.set_register(buffer.text()[range.clone()].to_owned());
        match op {
            Op::Yank => buffer.go_to(range.start),
            Op::Delete | Op::Change if range.is_empty() => {}
            Op::Delete | Op::Change => buffer.replace(range.clone(), ""),
        }
        match op {
            Op::Change => self.insert_at(buffer.cursor(), buffer),
            Op::Delete | Op::Yank => self.clamp_cursor(buffer),
        }
    }

    /// An operator over this line and the next ones.
    pub(super) fn over_lines(&mut self, op: Op, lines: usize, buffer: &mut Buffer) {
        let text = buffer.text();
        let (start, mut end) = line_at(text, buffer.cursor());
        for _ in 1..lines {
            if end < text.len() {
                end = line_at(text, end + 1).1;
            }
        }
        let taken = format!("{}\n", &text[start..end]);
        let range = match op {
            Op::Delete if end < text.len() => start..end + 1,
            // The last line goes with the line end before it.
            Op::Delete => start.saturating_sub(1)..end,
            Op::Change | Op::Yank => start..end,
        };
        buffer.set_register(taken);
        match op {
            Op::Yank => {}
            Op::Delete => {
                if !range.is_empty() {
                    buffer.replace(range, "");
                }
                buffer.go_to(Self::first(buffer));
                self.clamp_cursor(buffer);
            }
            Op::Change => {
                buffer.replace(range.clone(), "");
                self.insert_at(range.start, buffer);
            }
        }
        self.lines = true;
    }

    /// A command of one letter.
    pub(super) fn command(&mut self, letter: char, buffer: &mut Buffer) {
        if self.pending.op.is_some() {
            self.pending = Pending::default();
            return;
        }
        let count = self.take_count().unwrap_or(1);
        let (start, end) = line_at(buffer.text(), buffer.cursor());
        let here = buffer.cursor();
        match letter {
            'i' => self.insert_at(here, buffer),
            'a' => self.insert_at(letter_end(buffer.text(), here).min(end), buffer),
            'I' => self.insert_at(Self::first(buffer), buffer),
            'A' => self.insert_at(end, buffer),
            'o' => {
                buffer.replace(end..end, "\n");
                self.insert_at(end + 1, buffer);
            }
            'O' => {
                buffer.replace(start..start, "\n");
                self.insert_at(start, buffer);
            }
            'x' => {
                let to = resolve_motion(buffer.text(), here, Motion::Right, Some(count))
                    .map_or(here, |there| there.to);
                self.apply(Op::Delete, here..to, buffer);
            }
            'D' => self.apply(Op::Delete, here..end, buffer),
            'C' => self.apply(Op::Change, here..end, buffer),
            'p' | 'P' => self.put(letter == 'p', count, buffer),
            'u' => (0..count).for_each(|_| buffer.undo()),
            'U' => (0..count).for_each(|_| buffer.redo()),
            _ => {}
        }
        self.clamp_cursor(buffer);
    }

    /// Puts what was cut behind the letter or before it; whole lines below or above this one.
    fn put(&mut self, behind: bool, count: usize, buffer: &mut Buffer) {
        let kept = buffer.register().to_owned();
        let here = buffer.cursor();
        let (start, end) = line_at(buffer.text(), here);
        match kept.strip_suffix('\n').filter(|_| self.lines) {
            Some(lines) if behind => {
                buffer.replace(end..end, &format!("\n{lines}").repeat(count));
                buffer.go_to(end + 1);
                buffer.go_to(Self::first(buffer));
            }
            Some(lines) => {
                buffer.replace(start..start, &format!("{lines}\n").repeat(count));
                buffer.go_to(start);
                buffer.go_to(Self::first(buffer));
            }
            None if kept.is_empty() => {}
            None => {
                let at = if behind { letter_end(buffer.text(), here).min(end) } else { here };
                buffer.replace(at..at, &kept.repeat(count));
                buffer.go(Move::Left);
            }
        }
    }

    /// Writes a letter over so many.
    pub(super) fn replace(&mut self, letter: char, count: usize, buffer: &mut Buffer) {
        let here = buffer.cursor();
        let to =
            resolve_motion(buffer.text(), here, Motion::Right, Some(count)).map_or(here, |there| there.to);
        let to = buffer.outside(to, true);
        if to > here {
            let letters = buffer.text()[here..to].graphemes(true).count();
            buffer.replace(here..to, &String::from(letter).repeat(letters));
            buffer.go(Move::Left);
        }
    }
}

/// Where `cw` ends: it leaves the blank behind the word, which may have one letter only.
pub(super) fn word_end(text: &str, here: usize, count: Option<usize>) -> MotionTarget {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let next = letter_end(text, here);
    let (first, second) = (text[here..].chars().next(), text[next..].chars().next());
    let ends = match (first, second) {
        (Some(a), Some(b)) => b.is_whitespace() || word(a) != word(b),
        _ => true,
    };
    let there = MotionTarget { to: here, span: MotionSpan::LetterToo };
    let more = if ends { count.unwrap_or(1) - 1 } else { count.unwrap_or(1) };
    if more == 0 { there } else { resolve_motion(text, here, Motion::WordEnd, Some(more)).unwrap_or(there) }
}

/// A word at the end of a line is taken without the line's end.
fn without_line_end(text: &str, here: usize, to: usize) -> usize {
    let passed = &text[here..to.max(here)];
    let words = passed.trim_end().len();
    passed[words..].find('\n').map_or(to, |at| here + words + at)
}

fn letter_end(text: &str, at: usize) -> usize {
    at + text[at..].graphemes(true).next().map_or(0, str::len)
}
