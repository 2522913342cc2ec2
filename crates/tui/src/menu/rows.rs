//! The rows of a menu.

use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::matching::Match;
use crate::markdown::RenderContext;

/// A row of the menu. The chosen one is told by its mark too, for those who see no colours.
pub(super) fn choice(words: Vec<Span<'static>>, chosen: bool, ctx: RenderContext) -> Line<'static> {
    let mark = if chosen { Span::styled("▸ ", ctx.theme.plan) } else { Span::raw("  ") };
    let style = if chosen { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    Line::from(std::iter::once(mark).chain(words).collect::<Vec<_>>()).style(style)
}

/// As much of the text as fits.
pub(super) fn beginning(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = text.graphemes(true).take_while(|letter| {
        used += letter.width();
        used <= width
    });
    format!("{}…", fits.collect::<String>())
}

/// The path with the letters marked that were typed. Of a long one the end is shown, which tells more.
pub(super) fn path(found: &Match, width: usize) -> Vec<Span<'static>> {
    let letters: Vec<&str> = found.path.graphemes(true).collect();
    let whole: usize = letters.iter().map(|letter| letter.width()).sum();
    let (mut hidden, mut left) = (0, whole);
    while left > width.saturating_sub(usize::from(whole > width)) && hidden < letters.len() {
        left -= letters[hidden].width();
        hidden += 1;
    }
    let mut spans = Vec::new();
    if hidden > 0 {
        spans.push(Span::raw("…"));
    }
    let marked = |at: &usize| found.letters.binary_search(at).is_ok();
    let places: Vec<usize> = (hidden..letters.len()).collect();
    for run in places.chunk_by(|a, b| marked(a) == marked(b)) {
        let text: String = run.iter().map(|at| letters[*at]).collect();
        let style = match run.first().is_some_and(marked) {
            true => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            false => Style::new(),
        };
        spans.push(Span::styled(crate::text::sanitize(&text).into_owned(), style));
    }
    spans
}
