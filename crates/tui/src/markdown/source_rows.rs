//! A whole text as rows that know the lines of the text they come from, and from which no line is missing.

use std::collections::VecDeque;
use std::ops::Range;

use ratatui_core::text::Line;

use super::blocks::{Block, BlockSplitter};
use super::{RenderContext, block_rows, render};
use crate::syntax::Highlighter;
use crate::text::{Indent, sanitize, wrap};

/// A row, and the lines of the text that it shows, counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceRow {
    pub(crate) row: Line<'static>,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// The rows of a text. Lines that Markdown would not show (the target of a link that nobody uses, a fence), or not show
/// whole (a cell too many in a table), are shown as they are written: what is approved must be seen.
pub(crate) fn source_rows(text: &str, ctx: RenderContext) -> Vec<SourceRow> {
    let text = sanitize(text);
    let mut page = SourceMapper {
        lines: text.lines().collect(),
        ctx,
        rows: Vec::new(),
        next: 0,
        highlighter: Highlighter::default(),
    };
    let mut blocks = BlockSplitter::default();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let done = blocks.push(line);
        done.iter().for_each(|block| page.block(block, at));
    }
    let last = page.lines.len().saturating_sub(1);
    blocks.finish().iter().for_each(|block| page.block(block, last));
    page.as_written(page.lines.len());
    whole(page.rows, &page.lines, ctx)
}

struct SourceMapper<'a> {
    lines: Vec<&'a str>,
    ctx: RenderContext,
    rows: Vec<SourceRow>,
    /// The first line, from 0, that no row shows yet.
    next: usize,
    highlighter: Highlighter,
}

impl SourceMapper<'_> {
    /// A block that was whole when this line had come.
    fn block(&mut self, block: &Block, now: usize) {
        match block {
            Block::Code { .. } => {
                self.as_written(now);
                let rows = block_rows(block, &mut self.highlighter, self.ctx);
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
        for (row, place) in render::source_rows(text, self.ctx) {
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
        self.rows.push(SourceRow { row, first: first + 1, last: last + 1 });
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
            let at = self.next;
            for row in written(self.lines.get(at).copied().unwrap_or_default(), self.ctx) {
                self.put(row, at..at + 1);
            }
        }
    }
}

/// A line as it is written.
fn written(line: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    wrap(&Line::styled(line.to_owned(), ctx.theme.quiet), ctx.width, &Indent::default())
}

/// Adds each line as it is written of which the rows miss a word.
fn whole(rows: Vec<SourceRow>, lines: &[&str], ctx: RenderContext) -> Vec<SourceRow> {
    let mut out: Vec<SourceRow> = Vec::with_capacity(rows.len());
    let mut seen: VecDeque<(usize, usize, String)> = VecDeque::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        let (first, last) = (row.first, row.last);
        let letters = row.row.spans.iter().flat_map(|span| span.content.chars());
        seen.push_back((first, last, letters.filter(|c| c.is_alphanumeric()).collect()));
        out.push(row);
        // No row from here on shows the lines before that of the next one.
        let next = rows.peek().map_or(usize::MAX, |row| row.first);
        for number in (first..=last).take_while(|number| *number < next) {
            let here = seen.iter().filter(|(first, last, _)| (*first..=*last).contains(&number));
            let shown: String = here.map(|(_, _, letters)| letters.as_str()).collect();
            let line = lines.get(number - 1).copied().unwrap_or_default();
            if words(line).any(|word| !shown.contains(word)) {
                let more = written(line, ctx).into_iter();
                out.extend(more.map(|row| SourceRow { row, first: number, last: number }));
            }
        }
        seen.retain(|(_, last, _)| *last >= next.min(lines.len()));
    }
    out
}

/// The words of a line that must be seen: the number of an item and the tick of a task are shown in another way.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let rest = line.trim_start_matches([' ', '>', '-', '*', '+']);
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = number.strip_prefix(['.', ')']).unwrap_or(rest);
    let task = ["[x]", "[X]"].iter().find_map(|tick| rest.trim_start().strip_prefix(tick));
    task.unwrap_or(rest).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a line shows nothing: a quote goes on over such lines.
fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || c == '>')
}
