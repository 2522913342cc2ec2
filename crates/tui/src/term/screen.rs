//! The part of the terminal that is ours: a live area below what is finished.
//!
//! Beside it there is the page: the whole window, on the terminal's other screen, for what is looked at and put away.
//!
//! Every frame is one string. What is finished is printed where the live area began, which moves that area down and,
//! at the bottom of the window, everything else up into the terminal's scrollback. Nothing here asks the terminal
//! anything: an answer that never comes would hold up the first frame.

use std::fmt::Write;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;

use super::ansi::{ColorDepth, push_row, rows_of, same_row};

/// What the terminal does with rows that become too long for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reflow {
    /// They take as many rows as they need.
    Wraps,
    /// They are cut.
    Cuts,
}

/// Begins and ends a frame that is shown as a whole; terminals that do not know it pass over it.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?2026l";

/// The other screen. The cursor is kept with the first and put back with the second.
const ENTER_PAGE: &str = "\x1b[?1049h\x1b[2J";
const LEAVE_PAGE: &str = "\x1b[?1049l";

/// What was drawn last, and where the cursor is left.
#[derive(Debug)]
pub(crate) struct Screen {
    size: Size,
    depth: ColorDepth,
    reflow: Reflow,
    live: Buffer,
    /// How many columns each row of the live area takes.
    widths: Vec<u16>,
    /// Where the cursor is, from the beginning of the live area.
    cursor: Position,
    /// What is on the other screen, while that is shown.
    page: Option<Buffer>,
    /// Whether the window changed since the live area was drawn.
    stale: bool,
}

impl Screen {
    /// Begins where the cursor is, which must be at the beginning of a row.
    pub(crate) fn new(size: Size, depth: ColorDepth, reflow: Reflow) -> Self {
        let live = Buffer::empty(Rect::new(0, 0, size.width, 0));
        Self {
            size,
            depth,
            reflow,
            live,
            widths: Vec::new(),
            cursor: Position::ORIGIN,
            page: None,
            stale: false,
        }
    }

    /// Adds finished rows above, none wider than the window, and makes the live area this. The cursor is shown if it has
    /// a place.
    pub(crate) fn frame(&mut self, finished: &[Line<'_>], live: Buffer, cursor: Option<Position>) -> String {
        debug_assert!(live.area.height <= self.size.height.max(1), "the live area fits into the window");
        let mut out = String::from(BEGIN);
        self.uncover(&mut out);
        let same_shape = finished.is_empty() && self.live.area == live.area && live.area.height > 0;
        if same_shape {
            self.change(&mut out, &live);
        } else {
            self.whole(&mut out, finished, &live);
        }
        self.live = live;
        self.place_cursor(&mut out, cursor);
        out.push_str(END);
        out
    }

    /// The window's size.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Back to the screen with the live area; what is left of it after the window changed is taken away.
    fn uncover(&mut self, out: &mut String) {
        if self.page.take().is_some() {
            out.push_str(LEAVE_PAGE);
        }
        if self.stale {
            self.erase(out);
        }
    }

    /// Shows a page, which must be as large as the window. What is below it stays as it was.
    pub(crate) fn page(&mut self, page: Buffer, cursor: Option<Position>) -> String {
        let mut out = String::from(BEGIN);
        let before = self.page.take();
        if before.is_none() {
            out.push_str(ENTER_PAGE);
        }
        let before = before.filter(|before| before.area == page.area);
        for row in 0..page.area.height {
            if before.as_ref().is_none_or(|before| !same_row(before, &page, row)) {
                let _ = write!(out, "\x1b[{};1H\x1b[K", row + 1);
                push_row(&mut out, &page, row, self.depth);
            }
        }
        if let Some(at) = cursor {
            let _ = write!(out, "\x1b[{};{}H\x1b[?25h", at.y + 1, at.x + 1);
        }
        out.push_str(END);
        self.page = Some(page);
        out
    }

    /// Draws the rows that differ.
    fn change(&mut self, out: &mut String, live: &Buffer) {
        for row in 0..live.area.height {
            if !same_row(&self.live, live, row) {
                self.go_to(out, row);
                out.push_str("\x1b[K");
                self.widths[usize::from(row)] = push_row(out, live, row, self.depth);
            }
        }
    }

    /// Draws everything from the beginning of the live area on.
    fn whole(&mut self, out: &mut String, finished: &[Line<'_>], live: &Buffer) {
        self.go_to(out, 0);
        for line in finished {
            // Erased before it is written: behind a row that fills the window, the cursor is still on its last column.
            out.push_str("\x1b[K");
            let mut row = Buffer::empty(Rect::new(0, 0, self.size.width, 1));
            line.render(row.area, &mut row);
            push_row(out, &row, 0, self.depth);
            out.push_str("\r\n");
        }
        self.widths.clear();
        let last = live.area.height.saturating_sub(1);
        for row in 0..live.area.height {
            out.push_str(if row == last { "\x1b[J" } else { "\x1b[K" });
            self.widths.push(push_row(out, live, row, self.depth));
            out.push_str(if row == last { "\r" } else { "\r\n" });
        }
        if live.area.height == 0 {
            out.push_str("\x1b[J");
        }
        self.cursor = Position::new(0, last);
    }

    /// To the first column of a row of the live area.
    fn go_to(&mut self, out: &mut String, row: u16) {
        out.push('\r');
        match row.cmp(&self.cursor.y) {
            std::cmp::Ordering::Less => drop(write!(out, "\x1b[{}A", self.cursor.y - row)),
            std::cmp::Ordering::Greater => drop(write!(out, "\x1b[{}B", row - self.cursor.y)),
            std::cmp::Ordering::Equal => {}
        }
        self.cursor = Position::new(0, row);
    }

    fn place_cursor(&mut self, out: &mut String, cursor: Option<Position>) {
        let Some(at) = cursor else { return };
        self.go_to(out, at.y.min(self.live.area.height.saturating_sub(1)));
        let column = at.x.min(self.size.width.saturating_sub(1));
        if column > 0 {
            let _ = write!(out, "\x1b[{column}C");
        }
        self.cursor.x = column;
        out.push_str("\x1b[?25h");
    }

    /// The window has another size: the next frame takes away what is left of the live area, and draws it anew. If the
    /// other screen is shown, that happens when it is put away: until then only that one can be reached.
    pub(crate) fn resized(&mut self, size: Size) {
        self.size = size;
        self.stale = true;
        if let Some(page) = &mut self.page {
            *page = Buffer::empty(Rect::ZERO);
        }
    }

    /// Terminals keep the cursor at the text it was at, and one that is kept for the other screen too. How many rows
    /// above it belong to the live area follows from how they treat rows that became too long. Were it asked of the
    /// terminal instead, only the cursor's own row would be known.
    fn erase(&mut self, out: &mut String) {
        let above: u16 = (0..self.cursor.y).map(|row| self.rows_now(row, self.width_of(row))).sum();
        // The cursor's own row may have been broken before the cursor.
        let own = self.rows_now(self.cursor.y, self.cursor.x + 1) - 1;
        let up = (above + own).min(self.size.height.saturating_sub(1));
        out.push('\r');
        if up > 0 {
            let _ = write!(out, "\x1b[{up}A");
        }
        out.push_str("\x1b[J");
        self.begin_here();
    }

    fn width_of(&self, row: u16) -> u16 {
        self.widths.get(usize::from(row)).copied().unwrap_or(0)
    }

    /// How many rows of the window so many columns of a row of the live area take.
    fn rows_now(&self, row: u16, columns: u16) -> u16 {
        match self.reflow {
            Reflow::Wraps => rows_of(&self.live, row, columns, self.size.width),
            Reflow::Cuts => 1,
        }
    }

    /// Takes the live area away, for the end or for another program; the next frame begins here.
    pub(crate) fn leave(&mut self) -> String {
        let mut out = String::new();
        self.uncover(&mut out);
        self.go_to(&mut out, 0);
        out.push_str("\x1b[J\x1b[?25h");
        self.begin_here();
        out
    }

    /// Somebody else wrote: the next frame begins where the cursor is, at the beginning of a row.
    pub(crate) fn begin_here(&mut self) {
        *self = Self::new(self.size, self.depth, self.reflow);
    }
}

#[cfg(test)]
mod tests;
