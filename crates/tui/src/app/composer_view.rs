//! The composer as it is drawn, between its rules, with the menu below it.

use ratatui_core::text::{Line, Span};

use super::App;
use super::draw::rule;
use crate::composer::Mark;
use crate::markdown::RenderContext;

impl App {
    /// Columns for words in the composer: two stand before them, and one behind for the cursor.
    pub(super) fn composer_width(&self) -> usize {
        usize::from(self.size.width).saturating_sub(3)
    }

    /// The composer between its rules, what is looked for, and the menu, with the place of the cursor.
    pub(super) fn composer_view(&self, ctx: RenderContext) -> (Vec<Line<'static>>, (usize, usize)) {
        let mut rows = vec![rule(ctx)];
        let (written, at) = self.composer_rows(ctx);
        let mut cursor = (rows.len() + at.0, at.1);
        rows.extend(written);
        if let Some((words, found)) = self.composer.search() {
            let words = format!("search: {}", crate::text::sanitize(words));
            cursor = (rows.len(), Span::raw(words.as_str()).width().min(ctx.width.saturating_sub(1)));
            let miss = if found || words == "search: " { "" } else { "  no match" };
            rows.push(Line::from(vec![Span::raw(words), Span::styled(miss, ctx.theme.quiet)]));
        }
        rows.push(self.lower_rule(ctx));
        // The rows above the composer may all go, but not the status line.
        let room = usize::from(self.size.height).saturating_sub(rows.len() + 2);
        rows.extend(self.menus.rows(ctx, room));
        (rows, cursor)
    }

    /// The rule below the composer, with a few words on what Enter would do.
    fn lower_rule(&self, ctx: RenderContext) -> Line<'static> {
        let words = match self.composer.mark() {
            _ if self.composer.search().is_some() => "Enter: use it · Ctrl+R: older",
            Mark::Shell => "runs in your shell, as typed",
            _ if !self.live_area.view.is_running() => return rule(ctx),
            _ if !self.composer.is_empty() => "Enter: next step · Tab: after this turn",
            _ if self.last_queued().is_some() => "Up: edit the last message",
            _ => return rule(ctx),
        };
        let words = format!("── {words} ");
        let rest = ctx.width.saturating_sub(Span::raw(words.as_str()).width());
        Line::styled(format!("{words}{}", "─".repeat(rest)), ctx.theme.quiet)
    }

    /// What the person has written, at most a third of the window.
    pub(super) fn composer_rows(&self, ctx: RenderContext) -> (Vec<Line<'static>>, (usize, usize)) {
        let layout = self.composer.layout(self.composer_width());
        let most = (usize::from(self.size.height) / 3).max(1);
        let first = layout.cursor.0.saturating_sub(most - 1);
        let mark = match self.composer.mark() {
            Mark::Words => Span::styled("> ", ctx.theme.quiet),
            Mark::Shell => Span::styled("! ", ctx.theme.warning),
            Mark::Normal => Span::styled("N ", ctx.theme.plan),
        };
        let rows = layout.rows.iter().enumerate().skip(first).take(most).map(|(at, row)| {
            let lead = if at == first { mark.clone() } else { Span::raw("  ") };
            Line::from(vec![lead, Span::raw(row.text.clone())])
        });
        (rows.collect(), (layout.cursor.0 - first, layout.cursor.1 + 2))
    }
}
