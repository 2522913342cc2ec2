//! The line at the bottom.

use ratatui_core::text::{Line, Span};

use super::{App, modes};
use crate::markdown::Look;

/// The mode at the left, always; model and folder at the right, as far as there is room.
pub(super) fn row(app: &App, look: Look) -> Line<'static> {
    let (sign, words) = forelook_wording::mode_words(app.mode);
    let mode = Span::styled(format!(" {sign} {words}"), modes::style(app.mode, look.theme));
    let hint = match &app.note {
        Some((note, _)) => format!("  {note}"),
        None => "  (Shift+Tab changes it)".to_owned(),
    };
    let left = vec![mode, Span::styled(hint, look.theme.quiet)];
    let used: usize = left.iter().map(Span::width).sum();
    let folder = app.folder.rsplit('/').next().unwrap_or_default();
    let right = [format!("{} · {folder} ", app.model), format!("{folder} "), String::new()];
    let right = right.into_iter().find(|text| used + Span::raw(text.as_str()).width() < look.width);
    let right = right.unwrap_or_default();
    let blanks = look.width.saturating_sub(used + Span::raw(right.as_str()).width());
    let mut spans = left;
    spans.push(Span::raw(" ".repeat(blanks)));
    spans.push(Span::styled(right, look.theme.quiet));
    Line::from(spans)
}
