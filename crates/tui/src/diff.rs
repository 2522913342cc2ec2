//! A unified diff as rows: line numbers, signs, and the words that changed.

mod files;

use std::ops::Range;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::syntax::Painter;
use crate::text::{Hang, harmless, wrap};
use crate::theme::Theme;
pub(crate) use files::rows_of_files;

/// Lines less alike than this are two lines, not one that changed.
const ALIKE: f32 = 0.4;

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry<'a> {
    /// Where a part begins: the line in the old and in the new text.
    Part(usize, usize),
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
    /// Anything else, as it stands.
    Note(&'a str),
}

/// The rows of a diff in a window of this width.
pub(crate) fn rows(diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, Numbers::Shown, Painter::default()).rows
}

/// The same without numbers, for a change of which nobody knows where it stands.
pub(crate) fn rows_without_numbers(diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, Numbers::Unknown, Painter::default()).rows
}

/// Whether lines have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Shown,
    Unknown,
}

/// The rows of a diff of this file, with the colours of its language.
pub(crate) fn rows_of(file: &str, diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, Numbers::Shown, Painter::file(file)).rows
}

/// The rows, each with the line of the new text that it is, or that follows where it was.
pub(crate) fn placed(diff: &str, width: usize, theme: Theme) -> Vec<(Line<'static>, usize)> {
    let page = painted(diff, width, theme, Numbers::Shown, Painter::default());
    page.rows.into_iter().zip(page.lines).collect()
}

fn painted(diff: &str, width: usize, theme: Theme, numbers: Numbers, fresh: Painter) -> Page {
    let text = harmless(diff);
    let entries: Vec<Entry<'_>> = text.lines().map(entry).collect();
    let digits = match numbers {
        Numbers::Shown => Some(last_line(&entries).to_string().len()),
        Numbers::Unknown => None,
    };
    let (before, after) = (fresh, fresh);
    let mut page = Page {
        rows: Vec::new(),
        lines: Vec::new(),
        old: 1,
        new: 1,
        digits,
        width,
        theme,
        fresh,
        before,
        after,
    };
    let mut rest = entries.as_slice();
    while let Some((first, more)) = rest.split_first() {
        let removed = rest.iter().take_while(|it| matches!(it, Entry::Removed(_))).count();
        let added = rest[removed..].iter().take_while(|it| matches!(it, Entry::Added(_))).count();
        if removed + added > 0 {
            let (changed, later) = rest.split_at(removed + added);
            page.changed(changed, removed);
            rest = later;
            continue;
        }
        page.plain(first);
        rest = more;
    }
    page
}

fn entry(line: &str) -> Entry<'_> {
    if let Some(part) = line.strip_prefix("@@ -").and_then(part) {
        return part;
    }
    match line.split_at_checked(1) {
        Some((" ", text)) => Entry::Same(text),
        Some(("-", text)) => Entry::Removed(text),
        Some(("+", text)) => Entry::Added(text),
        _ => Entry::Note(line),
    }
}

/// `12,3 +14,4 @@`
fn part(text: &str) -> Option<Entry<'static>> {
    let (old, rest) = text.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    // No file has more lines; whatever says so is no diff.
    let first = |range: &str| range.split(',').next()?.parse().ok().filter(|line| *line < u32::MAX as usize);
    Some(Entry::Part(first(old)?, first(new)?))
}

/// The greatest line number that is shown.
fn last_line(entries: &[Entry<'_>]) -> usize {
    let (mut old, mut new, mut last) = (1, 1, 1);
    for entry in entries {
        match entry {
            Entry::Part(from, to) => (old, new) = (*from, *to),
            Entry::Same(_) => (old, new) = (old + 1, new + 1),
            Entry::Removed(_) => old += 1,
            Entry::Added(_) => new += 1,
            Entry::Note(_) => {}
        }
        last = last.max(old.saturating_sub(1)).max(new.saturating_sub(1));
    }
    last
}

struct Page {
    rows: Vec<Line<'static>>,
    /// The line of the new text at each row.
    lines: Vec<usize>,
    old: usize,
    new: usize,
    /// How wide the numbers are, if there are any.
    digits: Option<usize>,
    width: usize,
    theme: Theme,
    /// Colours for code at the beginning of a part; it is not known what that is inside of.
    fresh: Painter,
    /// Colours for the old and for the new lines, each with what it is inside of.
    before: Painter,
    after: Painter,
}

impl Page {
    fn plain(&mut self, entry: &Entry<'_>) {
        match entry {
            Entry::Part(old, new) => {
                if !self.rows.is_empty() {
                    let blanks = " ".repeat(self.digits.unwrap_or_default());
                    self.put(vec![Line::styled(blanks + " ⋮", self.theme.quiet)]);
                }
                (self.old, self.new) = (*old, *new);
                (self.before, self.after) = (self.fresh, self.fresh);
            }
            Entry::Same(text) => {
                let spans = match self.fresh.knows_the_language() {
                    true => {
                        self.before.line(text, self.theme);
                        self.after.line(text, self.theme)
                    }
                    false => vec![Span::raw((*text).to_owned())],
                };
                self.row(self.new, ' ', [Style::new(); 2], spans);
                (self.old, self.new) = (self.old + 1, self.new + 1);
            }
            Entry::Note(text) => self.put(vec![Line::styled((*text).to_owned(), self.theme.quiet)]),
            Entry::Removed(_) | Entry::Added(_) => {}
        }
    }

    /// Lines that were removed and lines that came instead, in pairs as far as they are alike.
    fn changed(&mut self, entries: &[Entry<'_>], removed: usize) {
        let texts: Vec<&str> = entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Removed(text) | Entry::Added(text) => Some(*text),
                _ => None,
            })
            .collect();
        let (old, new) = texts.split_at(removed);
        let pairs: Vec<_> = old.iter().zip(new).map(|(old, new)| words(old, new)).collect();
        let ground = self.theme.ground.filter(|_| self.fresh.knows_the_language());
        for (at, text) in old.iter().enumerate() {
            let ranges = pairs.get(at).and_then(|pair| pair.as_ref()).map(|(old, _)| old.as_slice());
            let spans = match ground {
                Some(_) => self.before.line(text, self.theme),
                None => vec![Span::raw((*text).to_owned())],
            };
            let style = ground.map_or(self.theme.bad, |it| it.removed);
            let spans = marked(spans, ranges.unwrap_or_default(), self.theme);
            self.row(self.old, '-', [self.theme.bad, style], spans);
            self.old += 1;
        }
        for (at, text) in new.iter().enumerate() {
            let ranges = pairs.get(at).and_then(|pair| pair.as_ref()).map(|(_, new)| new.as_slice());
            let spans = match ground {
                Some(_) => self.after.line(text, self.theme),
                None => vec![Span::raw((*text).to_owned())],
            };
            let style = ground.map_or(self.theme.good, |it| it.added);
            let spans = marked(spans, ranges.unwrap_or_default(), self.theme);
            self.row(self.new, '+', [self.theme.good, style], spans);
            self.new += 1;
        }
    }

    /// A line behind its number and its sign; the styles are those of the sign and of the line.
    fn row(&mut self, number: usize, sign: char, styles: [Style; 2], spans: Vec<Span<'static>>) {
        let number = self.digits.map(|digits| format!("{number:>digits$} "));
        let blanks = number.as_ref().map_or(0, String::len) + 2;
        let number = number.map(|number| Span::styled(number, self.theme.quiet));
        let hang = Hang {
            first: number.into_iter().chain([Span::styled(format!("{sign} "), styles[0])]).collect(),
            rest: vec![Span::raw(" ".repeat(blanks))],
        };
        let line = Line::from(spans).style(styles[1]);
        self.put(wrap(&line, self.width, &hang));
    }

    fn put(&mut self, rows: Vec<Line<'static>>) {
        self.lines.extend(rows.iter().map(|_| self.new));
        self.rows.extend(rows);
    }
}

type Ranges = Vec<Range<usize>>;

/// Where two lines that are alike differ.
fn words(old: &str, new: &str) -> Option<(Ranges, Ranges)> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_word_bounds().collect(), new.split_word_bounds().collect());
    let diff = TextDiff::from_slices(&old, &new);
    if diff.ratio() < ALIKE {
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

/// The spans with these parts of their text marked.
fn marked(spans: Vec<Span<'static>>, ranges: &[Range<usize>], theme: Theme) -> Vec<Span<'static>> {
    if ranges.is_empty() {
        return spans;
    }
    let mark = Style::new().add_modifier(theme.changed);
    let (mut out, mut start) = (Vec::new(), 0);
    let mut ranges = ranges.iter().peekable();
    for span in spans {
        let (mut at, end) = (start, start + span.content.len());
        while at < end {
            while ranges.next_if(|range| range.end <= at).is_some() {}
            let (next, style) = match ranges.peek() {
                Some(range) if range.start <= at => (range.end.min(end), span.style.patch(mark)),
                Some(range) => (range.start.min(end), span.style),
                None => (end, span.style),
            };
            out.push(Span::styled(span.content[at - start..next - start].to_owned(), style));
            at = next;
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests;
