//! How many rows of a list are above and below what is seen of it.

use ratatui_core::text::Line;

use crate::markdown::RenderContext;

/// Rows of a list that have no place in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unseen {
    pub(crate) above: usize,
    pub(crate) below: usize,
}

impl Unseen {
    /// How many are above; blank if there are none.
    pub(crate) fn row_above(self, ctx: RenderContext) -> Line<'static> {
        row(above(self.above), ctx)
    }

    /// How many are below; blank if there are none.
    pub(crate) fn row_below(self, ctx: RenderContext) -> Line<'static> {
        row(below(self.below), ctx)
    }

    /// Both in one row, if there are any.
    pub(crate) fn row(self, ctx: RenderContext) -> Option<Line<'static>> {
        let parts = [above(self.above), below(self.below)];
        let words: Vec<String> = parts.into_iter().flatten().collect();
        (!words.is_empty()).then(|| row(Some(words.join(" · ")), ctx))
    }
}

fn above(count: usize) -> Option<String> {
    (count > 0).then(|| format!("↑ {count} more"))
}

fn below(count: usize) -> Option<String> {
    (count > 0).then(|| format!("↓ {count} more"))
}

fn row(words: Option<String>, ctx: RenderContext) -> Line<'static> {
    words.map_or_else(Line::default, |words| Line::styled(format!("   {words}"), ctx.theme.quiet))
}
