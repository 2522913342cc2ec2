//! The composer as it is drawn, between its rules, with the menu below it.

use ratatui_core::text::{Line, Span};

use super::App;
use super::draw::rule;
use crate::composer::Mark;
use crate::markdown::Look;

impl App {
    /// Columns for words in the composer: two stand before them, and one behind for the cursor.
    pub(super) fn writing_width(&self) -> usize {
        usize::from(self.size.width).saturating_sub(3)
    }

    /// The composer between its rules, what is looked for, and the menu, with the place of the cursor.
    pub(super) fn desk(&self, look: Look) -> (Vec<Line<'static>>, (usize, usize)) {
        let mut rows = vec![rule(look)];
        let (written, at) = self.written(look);
        let mut cursor = (rows.len() + at.0, at.1);
        rows.extend(written);
        if let Some((words, found)) = self.composer.search() {
            let words = format!("search: {}", crate::text::harmless(words));
            cursor = (rows.len(), Span::raw(words.as_str()).width().min(look.width.saturating_sub(1)));
            let miss = if found || words == "search: " { "" } else { "  nothing has it" };
            rows.push(Line::from(vec![Span::raw(words), Span::styled(miss, look.theme.quiet)]));
        }
        rows.push(self.lower_rule(look));
        // The rows above the composer may all go, but not the status line.
        let room = usize::from(self.size.height).saturating_sub(rows.len() + 2);
        rows.extend(self.menus.rows(look, room));
        (rows, cursor)
    }

    /// The rule below the composer, with a few words on what Enter would do.
    fn lower_rule(&self, look: Look) -> Line<'static> {
        let words = match self.composer.mark() {
            _ if self.composer.search().is_some() => "Enter takes it · Ctrl+S: older",
            Mark::Shell => "runs as typed, in your shell",
            _ if self.composer.is_empty() || !self.scene.view.is_running() => return rule(look),
            _ => "Enter: now · Tab: after this turn",
        };
        let words = format!("── {words} ");
        let rest = look.width.saturating_sub(Span::raw(words.as_str()).width());
        Line::styled(format!("{words}{}", "─".repeat(rest)), look.theme.quiet)
    }

    /// What the person has written, at most a third of the window.
    pub(super) fn written(&self, look: Look) -> (Vec<Line<'static>>, (usize, usize)) {
        let laid = self.composer.laid(self.writing_width());
        let most = (usize::from(self.size.height) / 3).max(1);
        let first = laid.cursor.0.saturating_sub(most - 1);
        let mark = match self.composer.mark() {
            Mark::Words => Span::styled("> ", look.theme.quiet),
            Mark::Shell => Span::styled("! ", look.theme.warning),
            Mark::Normal => Span::styled("N ", look.theme.plan),
        };
        let rows = laid.rows.iter().enumerate().skip(first).take(most).map(|(at, row)| {
            let lead = if at == first { mark.clone() } else { Span::raw("  ") };
            Line::from(vec![lead, Span::raw(row.text.clone())])
        });
        (rows.collect(), (laid.cursor.0 - first, laid.cursor.1 + 2))
    }
}
