//! The whole conversation, with nothing folded. Rows are made of what is looked at and of nothing else, so that a long
//! one opens as fast as a short one.

mod find;
mod items;
mod search;
mod show;
mod status;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::Entry;
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use super::{BehindView, Page, ViewOutcome};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use items::TranscriptItems;
pub(crate) use search::TextSearch;

/// Items whose rows are kept; making them again costs little.
const MAX_CACHED_ITEMS: usize = 200;

/// A row: of which item, and which of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RowPosition {
    item: usize,
    row: usize,
}

const START: RowPosition = RowPosition { item: 0, row: 0 };
/// Behind everything: it is settled to what fills the window.
const END: RowPosition = RowPosition { item: usize::MAX, row: 0 };

/// The transcript and where one is in it.
#[derive(Debug)]
pub(crate) struct TranscriptView {
    items: TranscriptItems,
    ctx: RenderContext,
    /// Rows for it in the window.
    room: usize,
    /// How many rows each item has at this width, as far as that was needed.
    heights: Vec<Option<usize>>,
    cached_rows: HashMap<usize, Vec<Line<'static>>>,
    top: RowPosition,
    search: TextSearch,
    /// What was found last.
    found: Option<RowPosition>,
    prompt: SearchPrompt,
}

/// The row at the bottom.
#[derive(Debug, Default)]
enum SearchPrompt {
    #[default]
    Nothing,
    /// What is to be looked for, as far as it is written.
    Writing(String),
    /// It stands nowhere.
    NotFound(String),
}

impl TranscriptView {
    /// Opens at the end.
    pub(crate) fn new(entries: &[Arc<Entry>], size: Size, ctx: RenderContext) -> Self {
        let items = TranscriptItems::new(entries);
        let heights = vec![None; items.len()];
        let (cached_rows, search) = (HashMap::new(), TextSearch::default());
        let room = usize::from(size.height).saturating_sub(1);
        Self {
            items,
            ctx,
            room,
            heights,
            cached_rows,
            top: END,
            search,
            found: None,
            prompt: SearchPrompt::Nothing,
        }
    }

    /// Something more was recorded.
    pub(crate) fn recorded(&mut self, entry: &Arc<Entry>) {
        let last = self.last_top();
        let was_at_end = self.top >= last;
        let Some(at) = self.items.push(entry) else { return };
        self.heights.insert(at, None);
        if at + 1 < self.items.len() {
            self.cached_rows.clear();
        }
        match was_at_end {
            true => self.top = END,
            false if at <= self.top.item => self.top.item += 1,
            false => {}
        }
        self.found = None;
    }

    pub(crate) fn key(&mut self, key: Key) -> ViewOutcome {
        if let SearchPrompt::Writing(term) = &mut self.prompt {
            match key.code {
                Code::Esc => self.prompt = SearchPrompt::Nothing,
                Code::Backspace => drop(term.pop()),
                Code::Enter => self.look_for(),
                _ => term.extend(key.letter()),
            }
            return ViewOutcome::Stay(Vec::new());
        }
        self.prompt = SearchPrompt::Nothing;
        let page = self.room.saturating_sub(2).max(1);
        match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('q')) => return ViewOutcome::Close(Vec::new()),
            _ if key == Key::ctrl('o') => return ViewOutcome::Close(Vec::new()),
            (Code::Up, _) | (_, Some('k')) => self.up(1),
            (Code::Down, _) | (_, Some('j')) => self.down(1),
            (Code::PageUp, _) | (_, Some('b')) => self.up(page),
            (Code::PageDown, _) | (_, Some(' ')) => self.down(page),
            (Code::Home, _) | (_, Some('g')) => self.top = START,
            (Code::End, _) | (_, Some('G')) => self.top = END,
            (_, Some('/')) => self.prompt = SearchPrompt::Writing(String::new()),
            (_, Some('n')) => self.find(true),
            (_, Some('N')) => self.find(false),
            _ => {}
        }
        ViewOutcome::Stay(Vec::new())
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if let SearchPrompt::Writing(term) = &mut self.prompt {
            term.push_str(text.lines().next().unwrap_or_default());
        }
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext, behind: BehindView) -> Page {
        if (self.ctx.width, self.ctx.theme) != (ctx.width, ctx.theme) {
            self.heights = vec![None; self.items.len()];
            self.cached_rows.clear();
            // The row is another one at another width; the item is the same.
            (self.top.row, self.found) = (0, None);
        }
        (self.ctx, self.room) = (ctx, usize::from(size.height).saturating_sub(1));
        self.top = self.top.min(self.last_top());
        let (mut rows, mut at) = (Vec::new(), self.top);
        while rows.len() < self.room && at.item < self.items.len() {
            let room = self.room;
            rows.extend(self.rows_of(at.item).iter().skip(at.row).take(room).cloned());
            at = RowPosition { item: at.item + 1, row: 0 };
        }
        rows.truncate(self.room);
        let mut rows: Vec<Line<'static>> = rows.into_iter().map(|row| self.search.marked(row)).collect();
        if rows.is_empty() {
            rows.push(Line::styled("  No messages yet", ctx.theme.quiet));
        }
        rows.resize(self.room, Line::default());
        let (status, cursor) = self.status(ctx, at.item, behind);
        rows.push(status);
        Page { rows, cursor: cursor.map(|column| (self.room, column)) }
    }

    fn rows_of(&mut self, item: usize) -> &[Line<'static>] {
        if self.cached_rows.len() > MAX_CACHED_ITEMS {
            self.cached_rows.clear();
        }
        let (items, ctx, heights) = (&self.items, self.ctx, &mut self.heights);
        self.cached_rows.entry(item).or_insert_with(|| {
            let rows = items.get(item).map(|item| show::rows(item, ctx)).unwrap_or_default();
            if let Some(height) = heights.get_mut(item) {
                *height = Some(rows.len());
            }
            rows
        })
    }

    fn height(&mut self, item: usize) -> usize {
        match self.heights.get(item) {
            Some(Some(height)) => *height,
            _ => self.rows_of(item).len(),
        }
    }

    /// Where the window begins if it ends with the last row.
    fn last_top(&mut self) -> RowPosition {
        let mut missing = self.room;
        for item in (0..self.items.len()).rev() {
            let height = self.height(item);
            if height >= missing {
                return RowPosition { item, row: height - missing };
            }
            missing -= height;
        }
        START
    }

    fn up(&mut self, mut rows: usize) {
        self.top = self.top.min(self.last_top());
        while rows > self.top.row {
            if self.top.item == 0 {
                self.top = START;
                return;
            }
            rows -= self.top.row + 1;
            let item = self.top.item - 1;
            self.top = RowPosition { item, row: self.height(item).saturating_sub(1) };
        }
        self.top.row -= rows;
    }

    fn down(&mut self, rows: usize) {
        self.top = self.top.min(self.last_top());
        self.top.row += rows;
        while self.top.item < self.items.len() && self.top.row >= self.height(self.top.item) {
            self.top.row -= self.height(self.top.item);
            self.top.item += 1;
        }
    }
}
