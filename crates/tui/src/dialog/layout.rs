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
    /// The choices in a row, for a window in which they would take the place of what is asked about; the first row of
    /// [`Self::below`] if nothing is said.
    pub(crate) tight: Option<Line<'static>>,
    pub(crate) cursor: Option<DialogCursor>,
}

/// Where the cursor is: row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogCursor {
    Body(usize, usize),
    Below(usize, usize),
}

impl DialogLayout<'_> {
    /// As rows, with a word about what is out of sight. What is asked about comes first: in a small window the choices
    /// shrink for it, then the title goes.
    pub(crate) fn page(mut self, scroll: &mut Scroll, ctx: RenderContext, room: usize) -> Page {
        let mut rows = self.fit(ctx, room);
        let (title, all) = (rows.len(), self.body.len());
        let space = room.saturating_sub(title + self.below.len());
        let height = if all <= space || space == 1 { space } else { space.saturating_sub(1) };
        rows.extend(scroll.window(&self.body, height, self.keep));
        match scroll.hint().filter(|_| height < space) {
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
        rows.truncate(room);
        Page { rows, cursor: cursor.filter(|(row, _)| *row < room) }
    }

    /// The rows of the title. What is below is made to fit.
    fn fit(&mut self, ctx: RenderContext, room: usize) -> Vec<Line<'static>> {
        let mut title = wrap(&self.title, ctx.width, &Indent::default());
        let least = self.body.len().min(LEAST);
        let is_tight = |title: &[Line<'_>], below: &[Line<'_>]| title.len() + below.len() + least > room;
        if is_tight(&title, &self.below) && title.len() > 1 {
            title = vec![cut(&self.title, ctx.width)];
        }
        if let Some(DialogCursor::Below(row, _)) = &mut self.cursor {
            // Words that are being written say no, or nothing yet: they may hide what is asked about.
            let hidden = (*row + 1).saturating_sub(room.saturating_sub(title.len())).min(*row);
            self.below.drain(..hidden.min(self.below.len()));
            *row -= hidden;
            return title;
        }
        if is_tight(&title, &self.below) {
            let tight = self.tight.take().or_else(|| self.below.first().cloned());
            self.below = tight.map(|row| cut(&row, ctx.width)).into_iter().collect();
        }
        if is_tight(&title, &self.below) {
            title.clear();
        }
        title
    }
}

/// So many rows of what is asked about are shown before anything else gives way.
const LEAST: usize = 2;

/// A row of it, in its own look.
fn cut(line: &Line<'static>, width: usize) -> Line<'static> {
    let style = line.spans.first().map_or(line.style, |span| line.style.patch(span.style));
    Line::styled(forelook_wording::truncate_columns(&line.to_string(), width), style)
}
