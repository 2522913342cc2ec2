//! A whole text as rows that know the lines of the text they come from, and from which no line is missing.

use std::ops::Range;

use ratatui_core::text::Line;

use super::blocks::{Block, Blocks};
use super::{Look, block_rows, render};
use crate::syntax::Painter;
use crate::text::{Hang, harmless, wrap};

/// A row, and the lines of the text that it shows, counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) row: Line<'static>,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// The rows of a text. Lines that Markdown would not show (the target of a link that nobody uses, a fence) are shown as
/// they are written: what is approved must be seen.
pub(crate) fn placed(text: &str, look: Look) -> Vec<Placed> {
    let text = harmless(text);
    let mut page =
        Page { lines: text.lines().collect(), look, rows: Vec::new(), next: 0, painter: Painter::default() };
    let mut blocks = Blocks::default();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let done = blocks.push(line);
        done.iter().for_each(|block| page.block(block, at));
    }
    let last = page.lines.len().saturating_sub(1);
    blocks.finish().iter().for_each(|block| page.block(block, last));
    page.as_written(page.lines.len());
    page.rows
}

struct Page<'a> {
    lines: Vec<&'a str>,
    look: Look,
    rows: Vec<Placed>,
    /// The first line, from 0, that no row shows yet.
    next: usize,
    painter: Painter,
}

impl Page<'_> {
    /// A block that was whole when this line had come.
    fn block(&mut self, block: &Block, now: usize) {
        match block {
            Block::Code { .. } => {
                self.as_written(now);
                let rows = block_rows(block, &mut self.painter, self.look);
                rows.into_iter().for_each(|row| self.put(row, now..now + 1));
            }
            Block::Text { text, .. } => {
                let head = text.lines().next().unwrap_or_default();
                let found =
                    self.lines.iter().skip(self.next).position(|line| line.trim_end() == head.trim_end());
                self.as_written(self.next + found.unwrap_or(0));
                self.text(text, self.next);
            }
        }
    }

    fn text(&mut self, text: &str, begin: usize) {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line = |offset: usize| begin + starts.partition_point(|start| *start <= offset).max(1) - 1;
        for (row, place) in render::placed(text, self.look) {
            match place {
                Some(place) => {
                    let last = line(place.end.saturating_sub(1).max(place.start));
                    let first = line(place.start).min(last);
                    self.as_written(first);
                    self.put(row, first..last + 1);
                }
                None => {
                    let blank = self.blank();
                    self.put(row, blank);
                }
            }
        }
        self.as_written((begin + starts.len()).min(self.lines.len()));
    }

    /// The lines that follow and have nothing to show.
    fn blank(&self) -> Range<usize> {
        let count = self.lines.iter().skip(self.next).take_while(|line| is_blank(line)).count();
        self.next..self.next + count
    }

    fn put(&mut self, row: Line<'static>, lines: Range<usize>) {
        let before = self.rows.last().map_or(0, |row| row.first - 1);
        let first = lines.start.max(before).min(self.lines.len().saturating_sub(1));
        let last = lines.end.saturating_sub(1).clamp(first, self.lines.len().saturating_sub(1).max(first));
        self.rows.push(Placed { row, first: first + 1, last: last + 1 });
        self.next = self.next.max(lines.end);
    }

    /// Shows the lines before `end` that no row shows.
    fn as_written(&mut self, end: usize) {
        while self.next < end {
            let blank = self.blank();
            if !blank.is_empty() {
                // One row for all of them, as between blocks.
                self.put(Line::default(), blank.start..blank.end.min(end));
                continue;
            }
            let (at, line) = (self.next, self.lines.get(self.next).copied().unwrap_or_default());
            for row in
                wrap(&Line::styled(line.to_owned(), self.look.theme.quiet), self.look.width, &Hang::default())
            {
                self.put(row, at..at + 1);
            }
        }
    }
}

/// Whether a line shows nothing: a quote goes on over such lines.
fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || c == '>')
}
