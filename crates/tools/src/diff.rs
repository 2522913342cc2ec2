//! What changed in a file, as a unified diff of bounded size.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use forelook_protocol::{AbsPath, ChangePreview};
use memchr::{memchr, memchr_iter, memrchr_iter};
use serde_json::{Value, json};
use similar::{DiffOp, TextDiff};

use crate::output::shorten;

/// Lines around a change.
const CONTEXT: usize = 3;
/// What the model reads of a diff at most; it knows what it wrote.
const MAX_LINES: usize = 300;
const MAX_LINE_CHARS: usize = 500;
/// What is shown of a long line before the place where it differs.
const BEFORE: usize = 100;
/// Texts that differ over more than this are compared at their beginning only: no more would be shown anyway.
const MAX_COMPARED: usize = 32 * 1024;
/// A diff need not be the shortest: after this time a rough one will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// How much of a change is worked out.
#[derive(Clone, Copy)]
struct Limits {
    lines: usize,
    line_chars: usize,
    compared: usize,
}

/// What the model reads.
const FOR_MODEL: Limits = Limits { lines: MAX_LINES, line_chars: MAX_LINE_CHARS, compared: MAX_COMPARED };
/// What a person approves: whole, unless it is so large that nobody reads it.
const FOR_PERSON: Limits = Limits { lines: 10_000, line_chars: usize::MAX, compared: 256 * 1024 };

/// The change from one text to another.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Patch {
    hunks: Vec<Hunk>,
    /// Whether there is more than is shown.
    cut: bool,
}

#[derive(Debug, PartialEq)]
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
    /// Each with its sign before it.
    lines: Vec<String>,
}

/// The change from `old` to `new`, whatever line endings they have: those are not compared.
pub(crate) fn between(old: &str, new: &str) -> Patch {
    between_within(old, new, FOR_MODEL)
}

/// The same for whoever approves it.
pub(crate) fn between_whole(old: &str, new: &str) -> Patch {
    between_within(old, new, FOR_PERSON)
}

fn between_within(old: &str, new: &str, limits: Limits) -> Patch {
    // Most changes are in a few lines of a long file: only the part around them is compared.
    let newline = newline(old, new);
    let (start, old_part, new_part) = changed_part(old, new, newline);
    compare(&old[..start], [old_part, new_part], newline, limits)
}

/// The change when a part of `old` becomes `new`; nothing else is looked at.
pub(crate) fn around(old: &str, part: Range<usize>, new: &str) -> Patch {
    around_within(old, part, new, FOR_MODEL)
}

/// The same for whoever approves it.
pub(crate) fn around_whole(old: &str, part: Range<usize>, new: &str) -> Patch {
    around_within(old, part, new, FOR_PERSON)
}

fn around_within(old: &str, part: Range<usize>, new: &str, limits: Limits) -> Patch {
    let newline = newline(old, new);
    let start = lines_back(&old.as_bytes()[..part.start], newline);
    let end = part.end + lines_ahead(&old.as_bytes()[part.end..], newline);
    let new = [&old[start..part.start], new, &old[part.end..end]].concat();
    compare(&old[..start], [&old[start..end], &new], newline, limits)
}

/// The change of a part, with what comes before it.
fn compare(before: &str, [old_part, new_part]: [&str; 2], newline: u8, limits: Limits) -> Patch {
    let first = memchr_iter(newline, before.as_bytes()).count();
    let (old_part, old_cut) = head(old_part, newline, limits.compared);
    let (new_part, new_cut) = head(new_part, newline, limits.compared);
    let (old_part, new_part) = (plain(old_part, newline), plain(new_part, newline));
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let sides = DiffSides { old: lines(&old_part), new: lines(&new_part) };
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&sides.old, &sides.new);
    let mut hunks = diff.grouped_ops(CONTEXT);
    if old_cut || new_cut {
        drop_end(&mut hunks);
    }
    let mut patch = Patch { hunks: Vec::new(), cut: old_cut || new_cut };
    let mut room = limits.lines;
    for ops in &hunks {
        if room == 0 {
            patch.cut = true;
            break;
        }
        let mut hunk = hunk(ops, first);
        for (sign, line, partner) in ops.iter().flat_map(|op| sides.lines(op)) {
            if room == 0 {
                patch.cut = true;
                break;
            }
            room -= 1;
            let line_text = excerpt(line.trim_end_matches('\n'), partner, limits.line_chars);
            hunk.lines.push(format!("{sign}{line_text}"));
            if !line.ends_with('\n') {
                hunk.lines.push("\\ No newline at end of file".to_owned());
            }
        }
        patch.hunks.push(hunk);
    }
    patch
}

impl Patch {
    pub(crate) fn is_empty(&self) -> bool {
        self.hunks.is_empty() && !self.cut
    }

    /// For whoever approves it.
    pub(crate) fn preview(&self, path: &AbsPath, creates: bool) -> ChangePreview {
        ChangePreview { path: path.clone(), creates, diff: self.lines(), cut: self.cut }
    }

    /// The hunks as text.
    fn lines(&self) -> String {
        let mut text = String::new();
        for Hunk { old, new, lines } in &self.hunks {
            let range = |range: &Range<usize>| match range.len() {
                1 => shown_start(range).to_string(),
                count => format!("{},{count}", shown_start(range)),
            };
            text.push_str(&format!("@@ -{} +{} @@\n", range(old), range(new)));
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// For programs.
    pub(crate) fn value(&self) -> Value {
        let hunk = |hunk: &Hunk| {
            json!({
                "oldStart": shown_start(&hunk.old),
                "oldLines": hunk.old.len(),
                "newStart": shown_start(&hunk.new),
                "newLines": hunk.new.len(),
                "lines": hunk.lines,
            })
        };
        self.hunks.iter().map(hunk).collect()
    }
}

impl fmt::Display for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines())?;
        if self.cut {
            f.write_str("[the rest of the diff is left out]\n")?;
        }
        Ok(())
    }
}

/// As `diff` does: counted from 1, and an empty range names the line before it.
fn shown_start(range: &Range<usize>) -> usize {
    range.start + usize::from(!range.is_empty())
}

/// What ends a line: `\r` only where there is no `\n` at all.
fn newline(old: &str, new: &str) -> u8 {
    let has = |byte| memchr(byte, old.as_bytes()).is_some() || memchr(byte, new.as_bytes()).is_some();
    if !has(b'\n') && has(b'\r') { b'\r' } else { b'\n' }
}

/// The part of both texts that is not the same at the beginning and the end, with whole lines and the
/// context that a diff shows. Returns where it begins too.
fn changed_part<'a>(old: &'a str, new: &'a str, newline: u8) -> (usize, &'a str, &'a str) {
    let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
    let same = same_start(old_bytes, new_bytes);
    let start = lines_back(&old_bytes[..same], newline);
    let same = same_end(&old_bytes[same..], &new_bytes[same..]);
    let tail = &old_bytes[old.len() - same..];
    let end = tail.len() - lines_ahead(tail, newline);
    (start, &old[start..old.len() - end], &new[start..new.len() - end])
}

/// How many bytes are the same at the beginning. In blocks, which are compared many bytes at once.
fn same_start(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let done = blocks * BLOCK;
    done + a[done..].iter().zip(&b[done..]).take_while(|(a, b)| a == b).count()
}

fn same_end(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let done = blocks * BLOCK;
    let (a, b) = (&a[..a.len() - done], &b[..b.len() - done]);
    done + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Where the last lines of the bytes begin: the context, and the one that is under way.
fn lines_back(bytes: &[u8], newline: u8) -> usize {
    memrchr_iter(newline, bytes).nth(CONTEXT + 1).map_or(0, |at| at + 1)
}

/// Where the first lines of the bytes end.
fn lines_ahead(bytes: &[u8], newline: u8) -> usize {
    memchr_iter(newline, bytes).nth(CONTEXT + 1).map_or(bytes.len(), |at| at + 1)
}

/// The beginning of a text that is too long to be compared, in whole lines; and whether it was.
fn head(text: &str, newline: u8, most: usize) -> (&str, bool) {
    let end = text.as_bytes().get(most..).and_then(|rest| memchr(newline, rest));
    match end {
        Some(at) if most + at + 1 < text.len() => (&text[..most + at + 1], true),
        _ => (text, false),
    }
}

/// What follows the last line that both beginnings share is unknown: it may be the same again further on.
fn drop_end(hunks: &mut Vec<Vec<DiffOp>>) {
    let alone = hunks.len() == 1;
    let Some(last) = hunks.last_mut() else { return };
    let is_equal = |op: &DiffOp| matches!(op, DiffOp::Equal { .. });
    match last.iter().rposition(is_equal) {
        Some(at) if at > 0 => last.truncate(at + 1),
        // Nothing but the lines before it is the same; if there is nothing else to show, it is this.
        _ if alone => {}
        _ => {
            hunks.pop();
        }
    }
}

fn plain(text: &str, newline: u8) -> Cow<'_, str> {
    match newline {
        b'\r' => Cow::Owned(text.replace('\r', "\n")),
        _ => crate::endings::normalize(text),
    }
}

fn hunk(ops: &[DiffOp], first: usize) -> Hunk {
    let (Some(begin), Some(end)) = (ops.first(), ops.last()) else {
        return Hunk { old: first..first, new: first..first, lines: Vec::new() };
    };
    Hunk {
        old: first + begin.old_range().start..first + end.old_range().end,
        new: first + begin.new_range().start..first + end.new_range().end,
        lines: Vec::new(),
    }
}

/// The lines of both texts.
struct DiffSides<'b> {
    old: Vec<&'b str>,
    new: Vec<&'b str>,
}

impl<'b> DiffSides<'b> {
    /// The lines of one step: sign, line, and what it stands against.
    fn lines(&self, op: &DiffOp) -> Vec<(char, &'b str, &'b str)> {
        let (old, new) = (&self.old[op.old_range()], &self.new[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            return old.iter().map(|line| (' ', *line, "")).collect();
        }
        let side = |sign, lines: &[&'b str], others: &[&'b str]| {
            let line = |(at, line): (usize, &&'b str)| (sign, *line, others.get(at).copied().unwrap_or(""));
            lines.iter().enumerate().map(line).collect::<Vec<_>>()
        };
        [side('-', old, new), side('+', new, old)].concat()
    }
}

/// What is shown of a line. Of a long one it is the place where it differs from its partner.
fn excerpt(line: &str, partner: &str, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    let differs = same_start(line.as_bytes(), partner.as_bytes());
    let from = line.floor_char_boundary(differs.saturating_sub(BEFORE));
    match from {
        0 => shorten(line, most),
        from => format!(
            "[{} characters] …{}",
            line[..from].chars().count(),
            shorten(&line[from..], most - BEFORE)
        ),
    }
}

#[cfg(test)]
mod tests;
