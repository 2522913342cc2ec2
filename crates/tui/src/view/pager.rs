//! Rows to read, and parts of them to jump to.

use ratatui_core::layout::Size;
use ratatui_core::text::{Line, Span};

use super::{Page, ViewOutcome};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};

/// Rows that are made for a width.
pub(crate) struct Pager {
    title: String,
    make: Box<dyn Fn(RenderContext) -> PagerRows + Send>,
    laid: Option<(RenderContext, PagerRows)>,
    top: usize,
    /// Rows for it in the window.
    room: usize,
}

/// The rows, and where each part begins.
#[derive(Debug, Default)]
pub(crate) struct PagerRows {
    pub(crate) rows: Vec<Line<'static>>,
    pub(crate) parts: Vec<usize>,
}

impl std::fmt::Debug for Pager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pager").field("title", &self.title).finish_non_exhaustive()
    }
}

impl Pager {
    pub(crate) fn new(
        title: impl Into<String>,
        make: impl Fn(RenderContext) -> PagerRows + Send + 'static,
    ) -> Self {
        Self { title: title.into(), make: Box::new(make), laid: None, top: 0, room: 1 }
    }

    pub(crate) fn key(&mut self, key: Key) -> ViewOutcome {
        let page = self.room.saturating_sub(2).max(1);
        let last = self.last_top();
        self.top = match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('q')) => return ViewOutcome::Close(Vec::new()),
            (Code::Up, _) | (_, Some('k')) => self.top.saturating_sub(1),
            (Code::Down, _) | (_, Some('j')) => self.top + 1,
            (Code::PageUp, _) | (_, Some('b')) => self.top.saturating_sub(page),
            (Code::PageDown, _) | (_, Some(' ')) => self.top + page,
            (Code::Home, _) | (_, Some('g')) => 0,
            (Code::End, _) | (_, Some('G')) => last,
            (Code::Tab, _) | (_, Some('n')) => self.part_after().unwrap_or(self.top),
            (_, Some('N' | 'p')) => self.part_before().unwrap_or(0),
            _ => self.top,
        }
        .min(last);
        ViewOutcome::Stay(Vec::new())
    }

    fn parts(&self) -> &[usize] {
        self.laid.as_ref().map_or(&[], |(_, laid)| &laid.parts)
    }

    fn part_after(&self) -> Option<usize> {
        self.parts().iter().find(|part| **part > self.top).copied()
    }

    fn part_before(&self) -> Option<usize> {
        self.parts().iter().rev().find(|part| **part < self.top).copied()
    }

    fn last_top(&self) -> usize {
        self.laid.as_ref().map_or(0, |(_, laid)| laid.rows.len()).saturating_sub(self.room)
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext) -> Page {
        if self.laid.as_ref().is_none_or(|(laid, _)| *laid != ctx) {
            self.laid = Some((ctx, (self.make)(ctx)));
        }
        // The title and a blank row above, the keys below.
        self.room = usize::from(size.height).saturating_sub(3).max(1);
        self.top = self.top.min(self.last_top());
        let title = forelook_wording::truncate_columns(&format!(" {}", self.title), ctx.width);
        let mut rows = vec![Line::styled(title, ctx.theme.heading), Line::default()];
        let all = self.laid.as_ref().map_or(&[][..], |(_, laid)| &laid.rows);
        rows.extend(all.iter().skip(self.top).take(self.room).cloned());
        rows.resize(self.room + 2, Line::default());
        rows.push(self.keys(all.len(), ctx));
        Page { rows, cursor: None }
    }

    /// Where one is, and what keys do.
    fn keys(&self, all: usize, ctx: RenderContext) -> Line<'static> {
        let place = format!(" {}-{} of {all}", (self.top + 1).min(all), (self.top + self.room).min(all));
        let keys = ["↑↓ PgUp PgDn g G move, n N next file, q close", "n N next file, q close", "q close"];
        let fits = |keys: &&str| place.len() + Span::raw(*keys).width() + 3 <= ctx.width;
        let keys = keys.into_iter().find(fits).unwrap_or_default();
        let blanks = ctx.width.saturating_sub(place.len() + Span::raw(keys).width() + 1);
        Line::from(vec![
            Span::raw(place),
            Span::raw(" ".repeat(blanks)),
            Span::styled(format!("{keys} "), ctx.theme.quiet),
        ])
    }
}
