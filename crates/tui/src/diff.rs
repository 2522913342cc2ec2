//! A unified diff as rows: line numbers, signs, and the words that changed.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::{Hang, harmless, wrap};
use crate::theme::Theme;

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
    made(diff, width, theme, Numbers::Shown)
}

/// The same without numbers, for a change of which nobody knows where it stands.
pub(crate) fn rows_without_numbers(diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    made(diff, width, theme, Numbers::Unknown)
}

/// Whether lines have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Shown,
    Unknown,
}

fn made(diff: &str, width: usize, theme: Theme, numbers: Numbers) -> Vec<Line<'static>> {
    let text = harmless(diff);
    let entries: Vec<Entry<'_>> = text.lines().map(entry).collect();
    let digits = match numbers {
        Numbers::Shown => Some(last_line(&entries).to_string().len()),
        Numbers::Unknown => None,
    };
    let mut page = Page { rows: Vec::new(), old: 1, new: 1, digits, width, theme };
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
    page.rows
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
    let first = |range: &str| range.split(',').next()?.parse().ok();
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
        last = last.max(old - 1).max(new - 1);
    }
    last
}

struct Page {
    rows: Vec<Line<'static>>,
    old: usize,
    new: usize,
    /// How wide the numbers are, if there are any.
    digits: Option<usize>,
    width: usize,
    theme: Theme,
}

impl Page {
    fn plain(&mut self, entry: &Entry<'_>) {
        match entry {
            Entry::Part(old, new) => {
                if !self.rows.is_empty() {
                    self.rows.push(Line::styled(
                        " ".repeat(self.digits.unwrap_or_default()) + " ⋮",
                        self.theme.quiet,
                    ));
                }
                (self.old, self.new) = (*old, *new);
            }
            Entry::Same(text) => {
                self.row(self.new, ' ', Style::new(), vec![Span::raw((*text).to_owned())]);
                (self.old, self.new) = (self.old + 1, self.new + 1);
            }
            Entry::Note(text) => self.rows.push(Line::styled((*text).to_owned(), self.theme.quiet)),
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
        let pairs: Vec<_> = old.iter().zip(new).map(|(old, new)| words(old, new, self.theme)).collect();
        for (at, text) in old.iter().enumerate() {
            let pair = pairs.get(at).and_then(|pair| pair.as_ref()).map(|(old, _)| old.clone());
            let spans = pair.unwrap_or_else(|| vec![Span::raw((*text).to_owned())]);
            self.row(self.old, '-', self.theme.bad, spans);
            self.old += 1;
        }
        for (at, text) in new.iter().enumerate() {
            let pair = pairs.get(at).and_then(|pair| pair.as_ref()).map(|(_, new)| new.clone());
            let spans = pair.unwrap_or_else(|| vec![Span::raw((*text).to_owned())]);
            self.row(self.new, '+', self.theme.good, spans);
            self.new += 1;
        }
    }

    fn row(&mut self, number: usize, sign: char, style: Style, spans: Vec<Span<'static>>) {
        let number = self.digits.map(|digits| format!("{number:>digits$} "));
        let blanks = number.as_ref().map_or(0, String::len) + 2;
        let number = number.map(|number| Span::styled(number, self.theme.quiet));
        let hang = Hang {
            first: number.into_iter().chain([Span::styled(format!("{sign} "), style)]).collect(),
            rest: vec![Span::raw(" ".repeat(blanks))],
        };
        let line = Line::from(spans).style(style);
        self.rows.extend(wrap(&line, self.width, &hang));
    }
}

type Spans = Vec<Span<'static>>;

/// Two lines that are alike, with the words marked in which they differ.
fn words(old: &str, new: &str, theme: Theme) -> Option<(Spans, Spans)> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_word_bounds().collect(), new.split_word_bounds().collect());
    let diff = TextDiff::from_slices(&old, &new);
    if diff.ratio() < ALIKE {
        return None;
    }
    let marked = Style::new().add_modifier(theme.changed);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value().to_owned();
        match change.tag() {
            ChangeTag::Equal => {
                before.push(Span::raw(text.clone()));
                after.push(Span::raw(text));
            }
            ChangeTag::Delete => before.push(Span::styled(text, marked)),
            ChangeTag::Insert => after.push(Span::styled(text, marked)),
        }
    }
    Some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::style::Modifier;

    const DIFF: &str =
        "@@ -9,4 +9,5 @@\n same\n-let a = one;\n+let a = two;\n+let b = 3;\n tail\n@@ -40 +41 @@\n-gone\n";

    #[test]
    fn lines_have_their_numbers_and_signs() {
        let rows: Vec<String> = rows(DIFF, 40, Theme::DARK).iter().map(ToString::to_string).collect();
        assert_eq!(
            rows,
            [
                " 9   same",
                "10 - let a = one;",
                "10 + let a = two;",
                "11 + let b = 3;",
                "12   tail",
                "   ⋮",
                "40 - gone",
            ]
        );
    }

    #[test]
    fn the_words_that_changed_are_marked() {
        let rows = rows(DIFF, 40, Theme::DARK);
        let marked = |row: &Line<'_>| {
            let spans = row.spans.iter().filter(|it| it.style.add_modifier.contains(Modifier::REVERSED));
            spans.map(|span| span.content.to_string()).collect::<String>()
        };
        assert_eq!([marked(&rows[1]), marked(&rows[2]), marked(&rows[3])], ["one", "two", ""]);
    }

    #[test]
    fn long_lines_hang_under_their_beginning() {
        let rows: Vec<String> = rows("@@ -1 +1 @@\n+one two three four", 12, Theme::DARK)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(rows, ["1 + one two", "    three", "    four"]);
    }

    #[test]
    fn what_is_no_diff_is_shown_as_it_is() {
        let rows: Vec<String> = rows("[the rest is left out]\n\u{1b}[2Jx", 40, Theme::DARK)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(rows, ["[the rest is left out]", "x"]);
    }
}
