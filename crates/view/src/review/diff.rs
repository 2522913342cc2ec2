//! Diffs, line by line, with the words that changed within lines.

mod files;
#[cfg(test)]
mod tests;

use std::ops::Range;

use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

pub use files::{DiffSection, diff_sections};

/// Lines that are less similar than this count as two different lines, not as one that changed.
const MIN_SIMILARITY: f32 = 0.4;

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine<'a> {
    /// Its kind.
    pub kind: DiffKind,
    /// Its line number in the old text, starting at 1; for an added line, the number of the next line there.
    pub old: usize,
    /// Its line number in the new text, starting at 1; for a removed line, the number of the next line there.
    pub new: usize,
    /// The line without its sign.
    pub text: &'a str,
    /// The parts that differ from the line it replaces or is replaced by, as byte ranges.
    pub words: Vec<Range<usize>>,
}

/// The kind of a diff line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffKind {
    /// A hunk starts; the numbers are those of its first line.
    Hunk,
    /// In both texts.
    Same,
    /// Only in the old text.
    Removed,
    /// Only in the new text.
    Added,
    /// Anything else, unchanged.
    Note,
}

impl DiffKind {
    /// The sign before a line of this kind.
    pub fn sign(self) -> Option<char> {
        match self {
            DiffKind::Same => Some(' '),
            DiffKind::Removed => Some('-'),
            DiffKind::Added => Some('+'),
            DiffKind::Hunk | DiffKind::Note => None,
        }
    }
}

/// Longer texts are not compared line by line: the time grows with the square of the length, and there is no clock here
/// to set a limit.
const MAX_LINES: usize = 4_000;

/// The change from one text to another, as a unified diff without a header; empty if there is none.
pub fn unified(old: &str, new: &str) -> String {
    let (from, to) = (old.lines().count(), new.lines().count());
    if old == new || from + to <= MAX_LINES {
        return TextDiff::from_lines(old, new).unified_diff().context_radius(CONTEXT).to_string();
    }
    let signed =
        |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    format!("@@ -1,{from} +1,{to} @@\n{}{}", signed('-', old), signed('+', new))
}

/// The lines of a unified diff of one file.
pub fn diff_lines(diff: &str) -> Vec<DiffLine<'_>> {
    let mut lines = Vec::new();
    let (mut old, mut new) = (1, 1);
    for line in diff.lines() {
        let (kind, text) = match line.strip_prefix("@@ -").and_then(hunk_start) {
            Some(begins) => {
                (old, new) = begins;
                (DiffKind::Hunk, line)
            }
            None => split(line),
        };
        lines.push(DiffLine { kind, old, new, text, words: Vec::new() });
        old += usize::from(matches!(kind, DiffKind::Same | DiffKind::Removed));
        new += usize::from(matches!(kind, DiffKind::Same | DiffKind::Added));
    }
    mark_words(&mut lines);
    lines
}

/// The highest line number in a diff.
pub fn last_line(lines: &[DiffLine<'_>]) -> usize {
    let numbers = lines.iter().map(|line| match line.kind {
        DiffKind::Same => line.old.max(line.new),
        DiffKind::Removed => line.old.max(line.new.saturating_sub(1)),
        DiffKind::Added => line.new.max(line.old.saturating_sub(1)),
        DiffKind::Hunk | DiffKind::Note => line.old.max(line.new).saturating_sub(1),
    });
    numbers.fold(1, usize::max)
}

fn split(line: &str) -> (DiffKind, &str) {
    match line.split_at_checked(1) {
        Some((" ", text)) => (DiffKind::Same, text),
        Some(("-", text)) => (DiffKind::Removed, text),
        Some(("+", text)) => (DiffKind::Added, text),
        _ => (DiffKind::Note, line),
    }
}

/// `12,3 +14,4 @@`
fn hunk_start(text: &str) -> Option<(usize, usize)> {
    let (old, rest) = text.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    // No file has that many lines; this cannot be a diff.
    let first = |range: &str| range.split(',').next()?.parse().ok().filter(|line| *line < u32::MAX as usize);
    Some((first(old)?, first(new)?))
}

/// Pairs removed lines with the added lines that replace them, and marks the words that differ if they are similar.
fn mark_words(lines: &mut [DiffLine<'_>]) {
    let count = |lines: &[DiffLine<'_>], kind| lines.iter().take_while(|line| line.kind == kind).count();
    let mut at = 0;
    while at < lines.len() {
        let removed = count(&lines[at..], DiffKind::Removed);
        let added = count(&lines[at + removed..], DiffKind::Added);
        let (before, after) = lines[at..at + removed + added].split_at_mut(removed);
        for (old, new) in before.iter_mut().zip(after) {
            if let Some(ranges) = words(old.text, new.text) {
                (old.words, new.words) = ranges;
            }
        }
        at += (removed + added).max(1);
    }
}

type Ranges = Vec<Range<usize>>;

/// Longer lines are machine-generated; their changed words are not marked.
const MAX_LINE_BYTES: usize = 4_000;

/// Where two similar lines differ.
fn words(old: &str, new: &str) -> Option<(Ranges, Ranges)> {
    if old.len().max(new.len()) > MAX_LINE_BYTES {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_word_bounds().collect(), new.split_word_bounds().collect());
    let diff = TextDiff::from_slices(&old, &new);
    if diff.ratio() < MIN_SIMILARITY {
        return None;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        if change.tag() != ChangeTag::Insert {
            old_at += length;
        }
        if change.tag() != ChangeTag::Delete {
            new_at += length;
        }
        match change.tag() {
            ChangeTag::Equal => {}
            ChangeTag::Delete => before.push(old_at - length..old_at),
            ChangeTag::Insert => after.push(new_at - length..new_at),
        }
    }
    Some((before, after))
}
