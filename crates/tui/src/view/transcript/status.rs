//! The row below the transcript.

use ratatui_core::text::{Line, Span};

use super::super::BehindView;
use super::{SearchPrompt, TranscriptView};
use crate::markdown::RenderContext;

impl TranscriptView {
    /// Where one is, and what keys do; with the column of the cursor while something is written. `end` is the item
    /// behind the last that is seen.
    pub(super) fn status(
        &self,
        ctx: RenderContext,
        end: usize,
        behind: BehindView,
    ) -> (Line<'static>, Option<usize>) {
        if let SearchPrompt::Writing(term) = &self.prompt {
            let line = Line::from(format!("/{term}"));
            let column = line.width();
            return (line, Some(column));
        }
        let place = format!(" Transcript {} of {}", end.min(self.items.len()), self.items.len());
        let left = match (&self.prompt, behind) {
            (SearchPrompt::NotFound(words), _) => vec![Span::styled(format!(" {words}"), ctx.theme.warning)],
            (_, BehindView::Question) => {
                vec![Span::raw(place), Span::styled("  question waiting", ctx.theme.warning)]
            }
            (_, BehindView::Nothing) => vec![Span::raw(place)],
        };
        let used: usize = left.iter().map(Span::width).sum();
        let keys = ["↑↓ PgUp PgDn g G move, / search, n N next, q close", "/ n N search, q close", "q close"];
        let keys = keys.into_iter().find(|keys| used + Span::raw(*keys).width() + 3 <= ctx.width);
        let keys = keys.map_or_else(String::new, |keys| format!("{keys} "));
        let blanks = ctx.width.saturating_sub(used + Span::raw(keys.as_str()).width());
        let rest = [Span::raw(" ".repeat(blanks)), Span::styled(keys, ctx.theme.quiet)];
        (Line::from_iter(left.into_iter().chain(rest)), None)
    }
}
