//! The row below the transcript.

use ratatui_core::text::{Line, Span};

use super::super::Waits;
use super::{Prompt, Transcript};
use crate::markdown::Look;

impl Transcript {
    /// Where one is, and what keys do; with the column of the cursor while something is written. `end` is the item
    /// behind the last that is seen.
    pub(super) fn status(&self, look: Look, end: usize, waits: Waits) -> (Line<'static>, Option<usize>) {
        if let Prompt::Writing(term) = &self.prompt {
            let line = Line::from(format!("/{term}"));
            let column = line.width();
            return (line, Some(column));
        }
        let place = format!(" Transcript {} of {}", end.min(self.items.len()), self.items.len());
        let left = match (&self.prompt, waits) {
            (Prompt::NotFound(words), _) => vec![Span::styled(format!(" {words}"), look.theme.warning)],
            (_, Waits::Question) => {
                vec![Span::raw(place), Span::styled("  a question waits", look.theme.warning)]
            }
            (_, Waits::Nothing) => vec![Span::raw(place)],
        };
        let used: usize = left.iter().map(Span::width).sum();
        let keys =
            ["↑↓ PgUp PgDn g G move, / searches, n N next, q closes", "/ n N search, q closes", "q closes"];
        let keys = keys.into_iter().find(|keys| used + Span::raw(*keys).width() + 3 <= look.width);
        let keys = keys.map_or_else(String::new, |keys| format!("{keys} "));
        let blanks = look.width.saturating_sub(used + Span::raw(keys.as_str()).width());
        let rest = [Span::raw(" ".repeat(blanks)), Span::styled(keys, look.theme.quiet)];
        (Line::from_iter(left.into_iter().chain(rest)), None)
    }
}
