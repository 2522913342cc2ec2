//! A dialog in as many rows as there are: a title, what scrolls if it must, and what always stays.

use std::borrow::Cow;
use std::ops::Range;

use ratatui_core::text::Line;

use super::scroll::Scroll;
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};
use crate::view::Page;

/// What a dialog shows.
#[derive(Debug, Default)]
pub(crate) struct DialogLayout<'a> {
    pub(crate) title: Line<'static>,
    /// What scrolls. It may be long: whoever keeps it need not copy it.
    pub(crate) body: Cow<'a, [Line<'static>]>,
    /// Rows of the body that should be in sight.
    pub(crate) keep: Option<Range<usize>>,
    /// What is always in sight: the choices.
    pub(crate) below: Vec<Line<'static>>,
    pub(crate) cursor: Option<DialogCursor>,
}

/// Where the cursor is: row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogCursor {
    Body(usize, usize),
    Below(usize, usize),
}

impl DialogLayout<'_> {
    /// As rows, with a word about what is out of sight.
    pub(crate) fn page(self, scroll: &mut Scroll, ctx: RenderContext, room: usize) -> Page {
        let mut rows = wrap(&self.title, ctx.width, &Indent::default());
        let (title, all) = (rows.len(), self.body.len());
        let space = room.saturating_sub(title + self.below.len());
        let height = if all <= space { space } else { space.saturating_sub(1) };
        rows.extend(scroll.window(&self.body, height, self.keep));
        match scroll.hint() {
            Some(hint) => {
                let hint = forelook_wording::truncate_columns(&format!("  … {hint}"), ctx.width);
                rows.push(Line::styled(hint, ctx.theme.quiet));
            }
            None if all < space => rows.push(Line::default()),
            None => {}
        }
        let cursor = self.cursor.and_then(|cursor| match cursor {
            DialogCursor::Body(row, column) => {
                let row = row.checked_sub(scroll.top()).filter(|row| *row < height)?;
                Some((title + row, column))
            }
            DialogCursor::Below(row, column) => Some((rows.len() + row, column)),
        });
        rows.extend(self.below);
        Page { rows, cursor }
    }
}
