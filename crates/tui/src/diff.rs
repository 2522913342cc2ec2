//! A unified diff as rows: line numbers, signs, and the words that changed.

mod files;

use std::ops::Range;

use forelook_view::review::{DiffKind, DiffLine, diff_lines, last_line};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::syntax::Highlighter;
use crate::text::{Indent, sanitize, wrap};
use crate::theme::Theme;
pub(crate) use files::rows_of_files;

/// The rows of a diff in a window of this width.
pub(crate) fn rows(diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, LineNumbers::Shown, Highlighter::default()).rows
}

/// The same without numbers, for a change of which nobody knows where it stands.
pub(crate) fn rows_without_numbers(diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, LineNumbers::Unknown, Highlighter::default()).rows
}

/// Whether lines have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineNumbers {
    Shown,
    Unknown,
}

/// The rows of a diff of this file, with the colours of its language.
pub(crate) fn rows_of(file: &str, diff: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    painted(diff, width, theme, LineNumbers::Shown, Highlighter::file(file)).rows
}

/// The rows, each with the line of the new text that it is, or that follows where it was.
pub(crate) fn source_rows(diff: &str, width: usize, theme: Theme) -> Vec<(Line<'static>, usize)> {
    let page = painted(diff, width, theme, LineNumbers::Shown, Highlighter::default());
    page.rows.into_iter().zip(page.lines).collect()
}

fn painted(diff: &str, width: usize, theme: Theme, numbers: LineNumbers, fresh: Highlighter) -> DiffRenderer {
    let text = sanitize(diff);
    let lines = diff_lines(&text);
    let digits = match numbers {
        LineNumbers::Shown => Some(last_line(&lines).to_string().len()),
        LineNumbers::Unknown => None,
    };
    let (before, after) = (fresh, fresh);
    let mut page = DiffRenderer {
        rows: Vec::new(),
        lines: Vec::new(),
        new: 1,
        digits,
        width,
        theme,
        fresh,
        before,
        after,
    };
    lines.iter().for_each(|line| page.line(line));
    page
}

struct DiffRenderer {
    rows: Vec<Line<'static>>,
    /// The line of the new text at each row.
    lines: Vec<usize>,
    /// The line of the new text that comes next.
    new: usize,
    /// How wide the numbers are, if there are any.
    digits: Option<usize>,
    width: usize,
    theme: Theme,
    /// Colours for code at the beginning of a part; it is not known what that is inside of.
    fresh: Highlighter,
    /// Colours for the old and for the new lines, each with what it is inside of.
    before: Highlighter,
    after: Highlighter,
}

impl DiffRenderer {
    fn line(&mut self, line: &DiffLine<'_>) {
        match line.kind {
            DiffKind::Hunk => {
                if !self.rows.is_empty() {
                    let blanks = " ".repeat(self.digits.unwrap_or_default());
                    self.put(vec![Line::styled(blanks + " ⋮", self.theme.quiet)]);
                }
                (self.before, self.after) = (self.fresh, self.fresh);
                self.new = line.new;
            }
            DiffKind::Same => {
                let spans = match self.fresh.knows_the_language() {
                    true => {
                        self.before.line(line.text, self.theme);
                        self.after.line(line.text, self.theme)
                    }
                    false => vec![Span::raw(line.text.to_owned())],
                };
                self.row(line.new, ' ', [Style::new(); 2], spans);
                self.new = line.new + 1;
            }
            DiffKind::Removed => self.changed(line, line.old, '-'),
            DiffKind::Added => {
                self.changed(line, line.new, '+');
                self.new = line.new + 1;
            }
            DiffKind::Note => self.put(vec![Line::styled(line.text.to_owned(), self.theme.quiet)]),
        }
    }

    /// A line that was removed, or one that came.
    fn changed(&mut self, line: &DiffLine<'_>, number: usize, sign: char) {
        let theme = self.theme;
        let ground = theme.ground.filter(|_| self.fresh.knows_the_language());
        let (color, style, highlighter) = match line.kind {
            DiffKind::Removed => (theme.bad, ground.map(|it| it.removed), &mut self.before),
            _ => (theme.good, ground.map(|it| it.added), &mut self.after),
        };
        let spans = match style {
            Some(_) => highlighter.line(line.text, theme),
            None => vec![Span::raw(line.text.to_owned())],
        };
        let spans = marked(spans, &line.words, theme);
        self.row(number, sign, [color, style.unwrap_or(color)], spans);
    }

    /// A line behind its number and its sign; the styles are those of the sign and of the line.
    fn row(&mut self, number: usize, sign: char, styles: [Style; 2], spans: Vec<Span<'static>>) {
        let number = self.digits.map(|digits| format!("{number:>digits$} "));
        let blanks = number.as_ref().map_or(0, String::len) + 2;
        let number = number.map(|number| Span::styled(number, self.theme.quiet));
        let indent = Indent {
            first: number.into_iter().chain([Span::styled(format!("{sign} "), styles[0])]).collect(),
            rest: vec![Span::raw(" ".repeat(blanks))],
        };
        let line = Line::from(spans).style(styles[1]);
        self.put(wrap(&line, self.width, &indent));
    }

    fn put(&mut self, rows: Vec<Line<'static>>) {
        self.lines.extend(rows.iter().map(|_| self.new));
        self.rows.extend(rows);
    }
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
