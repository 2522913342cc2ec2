//! What a background shell or a subagent wrote, in rows that scroll.

use ratatui_core::text::Line;

use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// What a task wrote.
#[derive(Debug, Default)]
pub(super) struct OutputPane {
    text: String,
    /// Its rows, as they were made for a width: it may be long, and is drawn often.
    wrapped: Option<WrappedText>,
    /// Rows between the end and the last row that is seen.
    above_end: usize,
    /// Rows that fit.
    room: usize,
    /// Why the session does not say any more what the task writes.
    refused: Option<String>,
}

/// A text in rows.
#[derive(Debug)]
struct WrappedText {
    width: usize,
    rows: Vec<Line<'static>>,
}

impl OutputPane {
    /// It has written this by now.
    pub(super) fn set(&mut self, text: &str) {
        if self.text != text {
            text.clone_into(&mut self.text);
            self.wrapped = None;
        }
    }

    /// The session does not know what it writes; what it wrote before stays.
    pub(super) fn refuse(&mut self, why: String) {
        self.refused = Some(why);
    }

    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub(super) fn key(&mut self, key: Key) {
        let rows = self.wrapped.as_ref().map_or(0, |text| text.rows.len());
        let (page, most) = (self.room.saturating_sub(1).max(1), rows.saturating_sub(self.room));
        self.above_end = match (key.code, key.letter()) {
            (Code::Up, _) | (_, Some('k')) => self.above_end + 1,
            (Code::Down, _) | (_, Some('j')) => self.above_end.saturating_sub(1),
            (Code::PageUp, _) | (_, Some('b')) => self.above_end + page,
            (Code::PageDown, _) | (_, Some(' ')) => self.above_end.saturating_sub(page),
            (Code::Home, _) | (_, Some('g')) => most,
            (Code::End, _) | (_, Some('G')) => 0,
            _ => self.above_end,
        }
        .min(most);
    }

    pub(super) fn rows(&mut self, room: usize, ctx: RenderContext) -> Vec<Line<'static>> {
        self.room = room;
        if self.text.trim().is_empty() {
            let words = if self.refused.is_some() { "   No output" } else { "   No output yet" };
            return vec![Line::styled(words, ctx.theme.quiet)];
        }
        let wrapped = match self.wrapped.take() {
            Some(text) if text.width == ctx.width => text,
            _ => WrappedText::new(&self.text, ctx.width),
        };
        let top = wrapped.rows.len().saturating_sub(room + self.above_end);
        let shown = wrapped.rows.iter().skip(top).take(room).cloned().collect();
        self.wrapped = Some(wrapped);
        shown
    }
}

impl WrappedText {
    fn new(text: &str, width: usize) -> Self {
        let line = |line: &str| wrap(&Line::from(sanitize(line).into_owned()), width, &Indent::all(" "));
        Self { width, rows: text.lines().flat_map(line).collect() }
    }
}
