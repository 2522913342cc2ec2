//! Where a motion of vi leads.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    Word,
    WordBack,
    WordEnd,
    LineStart,
    FirstLetter,
    LineEnd,
    /// So many lines down, or up.
    Lines(isize),
    /// To a line by its number; without one the first.
    Top,
    /// The same; without a number the last.
    Bottom,
    Find(Find),
}

/// A letter that is looked for in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) letter: char,
    pub(super) forward: bool,
    /// Whether the place beside it is meant.
    pub(super) till: bool,
}

/// Where it leads, and what an operator takes on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MotionTarget {
    pub(super) to: usize,
    pub(super) span: MotionSpan,
}

/// What an operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MotionSpan {
    /// What lies between here and there.
    Between,
    /// The letter there too.
    LetterToo,
    /// Whole lines.
    Lines,
}

/// The letters of a text, one after the other as one sees them.
struct Letters<'a> {
    all: Vec<(usize, &'a str)>,
    length: usize,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Blank,
    Word,
    Sign,
}

/// Where a motion leads from `cursor`; nothing if it leads nowhere.
pub(super) fn resolve_motion(
    text: &str,
    cursor: usize,
    motion: Motion,
    count: Option<usize>,
) -> Option<MotionTarget> {
    let times = count.unwrap_or(1);
    let letters = Letters { all: text.grapheme_indices(true).collect(), length: text.len() };
    let here = letters.index(cursor);
    let (start, end) = line_at(text, cursor);
    let between = |to| Some(MotionTarget { to, span: MotionSpan::Between });
    match motion {
        Motion::Left => between(letters.place(here.saturating_sub(times)).max(start)),
        Motion::Right => between(letters.place(here + times).min(end)),
        Motion::Word => between(letters.place(repeat(here, times, |at| letters.word(at)))),
        Motion::WordBack => between(letters.place(repeat(here, times, |at| letters.word_back(at)))),
        Motion::WordEnd => {
            let to = letters.place(repeat(here, times, |at| letters.word_end(at)));
            Some(MotionTarget { to, span: MotionSpan::LetterToo })
        }
        Motion::LineStart => between(start),
        Motion::FirstLetter => between(first_letter(text, start)),
        Motion::LineEnd => between(end),
        Motion::Lines(by) => {
            let by = by.saturating_mul(isize::try_from(times).unwrap_or(isize::MAX));
            let line = line_number(text, cursor).checked_add_signed(by)?;
            (line < text.split('\n').count()).then(|| to_line(text, line))
        }
        Motion::Top => Some(to_line(text, times - 1)),
        Motion::Bottom => Some(to_line(text, count.map_or(usize::MAX, |count| count - 1))),
        Motion::Find(find) => letters.find(here, start..end, find, times),
    }
}

fn repeat(from: usize, times: usize, step: impl Fn(usize) -> usize) -> usize {
    let mut at = from;
    for _ in 0..times {
        let next = step(at);
        if next == at {
            break;
        }
        at = next;
    }
    at
}

/// The beginning and the end of the line at this place.
pub(super) fn line_at(text: &str, at: usize) -> (usize, usize) {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    (start, end)
}

/// The first letter of the line that begins here that is no blank.
pub(super) fn first_letter(text: &str, start: usize) -> usize {
    let (_, end) = line_at(text, start);
    start + text[start..end].find(|c: char| !c.is_whitespace()).unwrap_or(end - start)
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count()
}

/// The first letter of this line, or of the last one.
fn to_line(text: &str, line: usize) -> MotionTarget {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.take(line.saturating_add(1)).last().unwrap_or(0);
    MotionTarget { to: first_letter(text, start), span: MotionSpan::Lines }
}

impl Letters<'_> {
    fn index(&self, place: usize) -> usize {
        self.all.partition_point(|(at, _)| *at < place)
    }

    fn place(&self, index: usize) -> usize {
        self.all.get(index).map_or(self.length, |(at, _)| *at)
    }

    fn class(&self, index: usize) -> Option<Class> {
        let letter = self.all.get(index)?.1.chars().next()?;
        Some(match letter {
            c if c.is_whitespace() => Class::Blank,
            c if c.is_alphanumeric() || c == '_' => Class::Word,
            _ => Class::Sign,
        })
    }

    fn word(&self, from: usize) -> usize {
        let (mut at, class) = (from, self.class(from));
        while class != Some(Class::Blank) && at < self.all.len() && self.class(at) == class {
            at += 1;
        }
        while self.class(at) == Some(Class::Blank) {
            at += 1;
        }
        at
    }

    fn word_back(&self, from: usize) -> usize {
        let mut at = from;
        while at > 0 && self.class(at - 1) == Some(Class::Blank) {
            at -= 1;
        }
        let class = at.checked_sub(1).and_then(|before| self.class(before));
        while at > 0 && self.class(at - 1) == class {
            at -= 1;
        }
        at
    }

    fn word_end(&self, from: usize) -> usize {
        let mut at = from + 1;
        while self.class(at) == Some(Class::Blank) {
            at += 1;
        }
        if at >= self.all.len() {
            return self.all.len().saturating_sub(1).max(from);
        }
        let class = self.class(at);
        while at + 1 < self.all.len() && self.class(at + 1) == class {
            at += 1;
        }
        at
    }

    fn find(&self, here: usize, line: Range<usize>, find: Find, times: usize) -> Option<MotionTarget> {
        let is = |&(_, &(at, letter)): &(usize, &(usize, &str))| {
            line.contains(&at) && letter.starts_with(find.letter)
        };
        let all = self.all.iter().enumerate();
        let (found, beside) = match find.forward {
            true => {
                let (found, _) = all.skip(here + 1).filter(is).nth(times - 1)?;
                (found, found - 1)
            }
            false => {
                let (found, _) = all.take(here).rev().filter(is).nth(times - 1)?;
                (found, found + 1)
            }
        };
        let to = self.place(if find.till { beside } else { found });
        Some(MotionTarget {
            to,
            span: if find.forward { MotionSpan::LetterToo } else { MotionSpan::Between },
        })
    }
}
