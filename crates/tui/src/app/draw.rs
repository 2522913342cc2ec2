//! What is to be drawn: the window below what is finished, or the whole of it.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;

use super::live_area::FrameMoment;
use super::{App, SPIN_MS, status};
use crate::markdown::RenderContext;
use crate::view::{BehindView, Page};

/// One frame.
pub(crate) enum Frame {
    /// Below what is finished.
    Live {
        /// Rows that go above, once.
        finished: Vec<Line<'static>>,
        live: Buffer,
        cursor: Option<Position>,
    },
    /// The whole window.
    Page { page: Buffer, cursor: Option<Position> },
}

/// So many finished rows go out with a frame. A terminal may be slower than what comes: were everything in one frame, a
/// key would be seen only behind all of it.
const ROWS: usize = 200;
/// So many with the frame that shows a key, for the same reason.
const ROWS_WITH_A_KEY: usize = 20;
/// Blank rows that may stand for what was there before.
const HELD_ROWS: usize = 4;
const SPIN: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠇"];

impl App {
    /// What is to be drawn now; what is finished is handed out once.
    pub(crate) fn frame(&mut self) -> Frame {
        let (size, ctx) = (self.size, self.render_context());
        let behind = if self.dialogs.is_empty() { BehindView::Nothing } else { BehindView::Question };
        if let Some(view) = &mut self.view {
            return page_frame(view.page(size, ctx, behind), size);
        }
        let asked = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open());
        match asked.and_then(|(dialog, _)| dialog.page(size, ctx)) {
            Some(page) => page_frame(page, size),
            None => self.live(),
        }
    }

    /// Whether another frame would show more than the last one did. A view has the window until it is put away.
    pub(crate) fn is_behind(&self) -> bool {
        self.view.is_none() && !self.has_page() && !self.waiting.is_empty()
    }

    /// All rows that are finished and in no frame yet, for when there will be none.
    pub(crate) fn take_finished(&mut self) -> Vec<Line<'static>> {
        self.finish_greeting();
        self.collect_finished();
        self.waiting.drain(..).collect()
    }

    /// What is finished becomes rows, behind the greeting.
    fn collect_finished(&mut self) {
        if self.greeting_due.is_some() {
            return;
        }
        let ctx = self.render_context();
        let cells = std::mem::take(&mut self.live_area.finished);
        self.waiting.extend(cells.iter().flat_map(|cell| cell.rows(ctx)));
    }

    fn live(&mut self) -> Frame {
        let ctx = self.render_context();
        self.collect_finished();
        let most = if std::mem::take(&mut self.key_unseen) { ROWS_WITH_A_KEY } else { ROWS };
        let finished: Vec<_> = self.waiting.drain(..self.waiting.len().min(most)).collect();
        let spin = SPIN[usize::try_from(self.now.ms / SPIN_MS).unwrap_or(0) % SPIN.len()];

        let (below, cursor) = self.below(ctx);
        let room = usize::from(self.size.height).saturating_sub(below.len());
        let moment = FrameMoment { now: self.now.ms, spin, room, asking: !self.dialogs.is_empty() };
        let mut rows = self.live_area.rows(ctx, moment);
        // The newest rows are the ones to see.
        let hidden = rows.len().saturating_sub(room);
        rows.drain(..hidden);
        self.keep_height(&mut rows, finished.len(), room);
        let above = rows.len();
        rows.extend(below);
        // The mode is always to be seen, however much there is above it.
        if let Some(status) = rows.pop() {
            rows.truncate(usize::from(self.size.height).saturating_sub(1));
            rows.push(status);
        }
        let cursor = cursor.map(|(row, column)| Position::new(fit(column), fit(above + row)));
        Frame::Live { finished, live: render_rows(&rows, self.size), cursor }
    }

    /// What is in the composer while a question is open: a row of it says that it is not lost.
    fn draft_row(&self, ctx: RenderContext) -> Option<Line<'static>> {
        (!self.dialogs.is_empty() && !self.composer.is_empty()).then(|| self.composer_rows(ctx).0.remove(0))
    }

    /// While a turn runs, what is below does not jump up when something short takes the place of something long: the
    /// rows between stay, until what comes next fills them.
    fn keep_height(&mut self, rows: &mut Vec<Line<'static>>, finished: usize, room: usize) {
        let missing = self.held.saturating_sub(finished + rows.len()).min(HELD_ROWS);
        let blanks =
            if self.live_area.view.is_running() { missing.min(room.saturating_sub(rows.len())) } else { 0 };
        rows.splice(..0, std::iter::repeat_n(Line::default(), blanks));
        self.held = rows.len();
    }

    /// The composer or a question, and the status line, with the place of the cursor.
    fn below(&mut self, ctx: RenderContext) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let mut rows = vec![Line::default()];
        let cursor;
        let draft_row = self.draft_row(ctx);
        // Blank, two rules, the status.
        let room = usize::from(self.size.height).saturating_sub(4 + draft_row.iter().len());
        match self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open()) {
            Some((dialog, _)) => {
                rows.push(rule(ctx));
                let page = dialog.rows(ctx, room);
                cursor = page.cursor.map(|(row, column)| (rows.len() + row, column));
                rows.extend(page.rows);
                rows.push(rule(ctx));
                rows.extend(draft_row);
            }
            None => {
                rows.extend(self.waiting_reviews(ctx));
                let (written, at) = self.composer_view(ctx);
                cursor = Some((rows.len() + at.0, at.1));
                rows.extend(written);
            }
        }
        let spare = usize::from(self.size.height).saturating_sub(rows.len() + 1);
        rows.extend(status::rows(self, ctx, spare));
        (rows, cursor)
    }
}

/// A page as it is drawn.
pub(crate) fn page_frame(page: Page, size: Size) -> Frame {
    let cursor = page.cursor.map(|(row, column)| Position::new(fit(column), fit(row)));
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
    for (at, row) in page.rows.iter().take(usize::from(size.height)).enumerate() {
        row.render(Rect::new(0, fit(at), size.width, 1), &mut buffer);
    }
    Frame::Page { page: buffer, cursor }
}

pub(super) fn rule(ctx: RenderContext) -> Line<'static> {
    Line::styled("─".repeat(ctx.width), ctx.theme.quiet)
}

fn render_rows(rows: &[Line<'static>], size: Size) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, fit(rows.len())));
    for (at, row) in rows.iter().enumerate() {
        row.render(Rect::new(0, fit(at), size.width, 1), &mut buffer);
    }
    buffer
}

fn fit(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
