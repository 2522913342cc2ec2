//! Tables: as wide as they need to be, and no wider than the window.

use std::ops::Range;

use pulldown_cmark::Alignment;
use ratatui_core::text::{Line, Span};

use super::render::align;
use crate::text::{Indent, wrap};
use crate::theme::Theme;

/// Words longer than this may be broken; shorter ones stay whole, and a table in which they cannot is shown as a list.
const WORD: usize = 24;
/// Between columns.
const BETWEEN: &str = " │ ";

/// A table on its way.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line<'static>>>,
    row: Vec<Line<'static>>,
    /// Where each row comes from.
    places: Vec<Range<usize>>,
}

/// A row of the window, and the part of the text that it comes from.
type TableRow = (Line<'static>, Option<Range<usize>>);

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new(), places: Vec::new() }
    }

    pub(super) fn cell(&mut self, words: Line<'static>) {
        self.row.push(words);
    }

    pub(super) fn end_row(&mut self, place: Range<usize>) {
        self.rows.push(std::mem::take(&mut self.row));
        self.places.push(place);
    }

    /// The table in at most `width` columns.
    pub(super) fn rows(&self, width: usize, theme: Theme) -> Vec<TableRow> {
        match self.widths(width) {
            Some(widths) => self.grid(&widths, theme),
            None => self.list(width, theme),
        }
    }

    /// How wide each column is; nothing if they do not fit.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let room = width.checked_sub(BETWEEN.chars().count() * count.saturating_sub(1))?;
        let wanted =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(Line::width).max();
        let mut widths: Vec<usize> = (0..count).map(|column| wanted(column).unwrap_or(0).max(1)).collect();
        let least: Vec<usize> = (0..count).map(|column| self.longest_word(column)).collect();
        // The widest gives way first, so that short columns stay whole.
        while widths.iter().sum::<usize>() > room {
            let gives = widths.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
            let (widest, _) = gives.max_by_key(|(width, _)| **width)?;
            *widest -= 1;
        }
        Some(widths)
    }

    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let longest = |cell: &Line<'static>| {
            cell.to_string().split(' ').map(forelook_wording::display_width).max().unwrap_or(0)
        };
        cells.map(longest).max().unwrap_or(0).clamp(1, WORD)
    }

    fn grid(&self, widths: &[usize], theme: Theme) -> Vec<TableRow> {
        let mut out = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = widths
                .iter()
                .enumerate()
                .map(|(column, width)| match row.get(column) {
                    Some(words) => wrap(words, *width, &Indent::default()),
                    None => vec![Line::default()],
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            let place = self.places.get(at).cloned();
            out.extend((0..height).map(|line| (self.grid_row(&cells, line, widths, theme), place.clone())));
            if at == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                // It stands for the line of dashes below the head.
                let place = self.places.first().map(|head| head.end + 1..head.end + 1);
                out.push((Line::styled(rule.join("─┼─"), theme.quiet), place));
            }
        }
        out
    }

    fn grid_row(
        &self,
        cells: &[Vec<Line<'static>>],
        line: usize,
        widths: &[usize],
        theme: Theme,
    ) -> Line<'static> {
        let mut spans = Vec::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                spans.push(Span::styled(BETWEEN, theme.quiet));
            }
            let words = cell.get(line).cloned().unwrap_or_default();
            let alignment = self.alignments.get(column).copied().unwrap_or(Alignment::None);
            let (before, after) = align(alignment, words.width(), *width);
            spans.push(Span::raw(" ".repeat(before)));
            spans.extend(words.spans);
            spans.push(Span::raw(" ".repeat(after)));
        }
        Line::from(spans)
    }

    /// Each row as lines of `heading: words`.
    fn list(&self, width: usize, theme: Theme) -> Vec<TableRow> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut out = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            // The head is told with the first row.
            let from = self.places.get(if at == 0 { 0 } else { at + 1 }).map(|place| place.start);
            let place = from.zip(self.places.get(at + 1)).map(|(from, place)| from..place.end);
            if at > 0 {
                out.push((Line::default(), None));
            }
            for (heading, words) in head.iter().zip(row) {
                let mut spans: Vec<Span<'static>> = vec![Span::styled(format!("{heading}: "), theme.heading)];
                spans.extend(words.spans.iter().cloned());
                let indent = Indent { rest: vec![Span::raw("  ")], first: vec![] };
                let rows = wrap(&Line::from(spans), width, &indent);
                out.extend(rows.into_iter().map(|row| (row, place.clone())));
            }
        }
        out
    }
}
