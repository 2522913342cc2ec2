//! Something to choose from: sessions, models, agents, themes, modes. What is typed narrows the list. Nothing is chosen
//! at first, so that Enter alone does nothing.

use ratatui_core::layout::Size;
use ratatui_core::text::{Line, Span};

use super::{Page, PickAction, ViewOutcome};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, Unseen, sanitize, wrap};

/// A list.
#[derive(Debug)]
pub(crate) struct Picker {
    title: String,
    rows: Vec<PickerRow>,
    filter: String,
    /// The row that is looked at, among those that the filter leaves.
    at: Option<usize>,
    /// The first row that is seen.
    top: usize,
}

/// One thing to choose.
#[derive(Debug, Clone)]
pub(crate) struct PickerRow {
    /// What is shown of it, a column each.
    pub(crate) cells: Vec<String>,
    /// More about it, shown while it is looked at.
    pub(crate) about: Option<String>,
    /// Whether it is what holds now.
    pub(crate) current: bool,
    /// What choosing it does; nothing if it cannot be chosen.
    pub(crate) pick: Option<PickAction>,
}

impl PickerRow {
    /// A row whose cells come from anywhere.
    pub(crate) fn new<const N: usize>(cells: [&str; N], pick: Option<PickAction>) -> Self {
        let cells = cells.map(|cell| sanitize(cell).replace('\n', " "));
        Self { cells: cells.to_vec(), about: None, current: false, pick }
    }
}

impl Picker {
    pub(crate) fn new(title: impl Into<String>, rows: Vec<PickerRow>) -> Self {
        Self { title: title.into(), rows, filter: String::new(), at: None, top: 0 }
    }

    pub(crate) fn key(&mut self, key: Key) -> ViewOutcome {
        let last = self.left().len().saturating_sub(1);
        match key.code {
            Code::Esc => return ViewOutcome::Close(Vec::new()),
            Code::Enter => return self.chosen(),
            Code::Up => self.at = Some(self.at.and_then(|at| at.checked_sub(1)).unwrap_or(last)),
            Code::Down | Code::Tab => {
                self.at = Some(self.at.map_or(0, |at| if at >= last { 0 } else { at + 1 }))
            }
            Code::PageUp => self.at = Some(self.at.unwrap_or(0).saturating_sub(10)),
            Code::PageDown => self.at = Some((self.at.unwrap_or(0) + 10).min(last)),
            Code::Home => self.at = Some(0),
            Code::End => self.at = Some(last),
            Code::Backspace => {
                self.filter.pop();
                self.narrowed();
            }
            _ => {
                if let Some(letter) = key.letter() {
                    self.filter.push(letter);
                    self.narrowed();
                }
            }
        }
        ViewOutcome::Stay(Vec::new())
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.filter.push_str(text.lines().next().unwrap_or_default());
        self.narrowed();
    }

    fn narrowed(&mut self) {
        self.at = (!self.filter.is_empty()).then_some(0);
        self.top = 0;
    }

    /// The rows that have all words of the filter.
    fn left(&self) -> Vec<&PickerRow> {
        let filter = self.filter.to_lowercase();
        let fits = |row: &&PickerRow| {
            let text = row.cells.join(" ").to_lowercase();
            filter.split_whitespace().all(|word| text.contains(word))
        };
        self.rows.iter().filter(fits).collect()
    }

    fn chosen(&self) -> ViewOutcome {
        let row = self.at.and_then(|at| self.left().get(at).copied());
        match row.and_then(|row| row.pick.clone()) {
            Some(pick) => ViewOutcome::Chosen(pick),
            None => ViewOutcome::Stay(Vec::new()),
        }
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext) -> Page {
        let theme = ctx.theme;
        let left = self.left();
        let at = self.at.filter(|at| *at < left.len());
        let filter = format!(" {} ", sanitize(&self.filter));
        let mut rows = vec![Line::styled(format!(" {}", self.title), theme.heading), Line::default()];
        let widths = self.widths();
        let below = self.below(at.and_then(|at| left.get(at).copied()), &widths, ctx);
        // The title, the filter, what is below, and a row after each, which says how many more there are.
        let room = usize::from(size.height).saturating_sub(rows.len() + below.len() + 3).max(1);
        let top = at.map_or(self.top, |at| self.top.max((at + 1).saturating_sub(room)).min(at));
        let top = top.min(left.len().saturating_sub(room));
        let unseen = Unseen { above: top, below: left.len().saturating_sub(top + room) };
        rows[1] = unseen.row_above(ctx);
        for (here, row) in left.iter().enumerate().skip(top).take(room) {
            rows.push(row_line(row, &widths, at == Some(here), ctx).line);
        }
        if left.is_empty() {
            let none = if self.rows.is_empty() { "   Nothing to choose from" } else { "   No match" };
            rows.push(Line::styled(none, theme.quiet));
        }
        rows.resize(room + 2, Line::default());
        rows.push(unseen.row_below(ctx));
        let cursor = (rows.len(), forelook_wording::display_width(&filter) + 1);
        rows.push(Line::from(vec![Span::styled(" >", theme.quiet), Span::raw(filter)]));
        rows.push(Line::default());
        rows.extend(below);
        self.top = top;
        Page { rows, cursor: Some((cursor.0, cursor.1.min(ctx.width.saturating_sub(1)))) }
    }

    /// More about what is looked at, and what keys do.
    fn below(&self, row: Option<&PickerRow>, widths: &[usize], ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        if let Some(row) = row.filter(|row| row_line(row, widths, true, ctx).is_cut) {
            // What the row has no room for.
            let last = row.cells.last().map_or("", String::as_str);
            let whole = Line::styled(sanitize(last).into_owned(), ctx.theme.quiet);
            rows.extend(wrap(&whole, ctx.width, &Indent::all(" ")).into_iter().take(4));
        }
        if let Some(about) = row.and_then(|row| row.about.as_deref()) {
            let about = Line::styled(sanitize(about).replace('\n', " "), ctx.theme.warning);
            rows.extend(wrap(&about, ctx.width, &Indent::all(" ")).into_iter().take(3));
        }
        let keys = "Type to filter, ↑↓ move, Enter select, Esc close";
        rows.extend(wrap(&Line::styled(keys, ctx.theme.quiet), ctx.width, &Indent::all(" ")));
        rows
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
            cells.map(|cell| forelook_wording::display_width(cell)).max().unwrap_or_default()
        };
        (0..columns).map(widest).collect()
    }
}

/// A row as it is shown.
struct RowLine {
    line: Line<'static>,
    /// Whether it has more to say than there is room for.
    is_cut: bool,
}

fn row_line(row: &PickerRow, widths: &[usize], here: bool, ctx: RenderContext) -> RowLine {
    let mark = match (here, row.current) {
        (true, _) => " ❯ ",
        (false, true) => " ▸ ",
        (false, false) => "   ",
    };
    let mut text = String::new();
    for (cell, width) in row.cells.iter().zip(widths) {
        let blanks = width.saturating_sub(forelook_wording::display_width(cell)) + 2;
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', blanks));
    }
    let style = match (here, &row.pick) {
        (true, _) => ctx.theme.heading,
        (false, None) => ctx.theme.quiet,
        (false, Some(_)) => ratatui_core::style::Style::new(),
    };
    let fitted = forelook_wording::truncate_columns(text.trim_end(), ctx.width.saturating_sub(4));
    let is_cut = fitted != text.trim_end();
    RowLine { line: Line::from(vec![Span::raw(mark), Span::styled(fitted, style)]), is_cut }
}
