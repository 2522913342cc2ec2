//! What was tried while planning, beside the plan: which files would change, and how.

use forelook_protocol::Rehearsal;
use forelook_wording::{protected_count, rehearsal_size};
use ratatui_core::text::{Line, Span};

use super::ReviewDialog;
use super::plan_pane::PaneMode;
use crate::cells::rehearsal_rows;
use crate::markdown::RenderContext;
use crate::term::{Code, Key};

/// A rehearsal under review.
#[derive(Debug)]
pub(super) struct RehearsalPane {
    rehearsal: Rehearsal,
    /// Whether it is looked at instead of the plan.
    seen: bool,
    /// Its rows, and what they were made for.
    laid: Option<(RenderContext, Vec<Line<'static>>)>,
    top: usize,
    height: usize,
}

impl RehearsalPane {
    pub(super) fn new(rehearsal: &Rehearsal) -> Self {
        Self { rehearsal: rehearsal.clone(), seen: false, laid: None, top: 0, height: 1 }
    }

    pub(super) fn is_seen(&self) -> bool {
        self.seen
    }

    /// Exactly how much it would change.
    pub(super) fn size(&self) -> String {
        rehearsal_size(&self.rehearsal)
    }

    /// How many of its files decide what runs later.
    pub(super) fn protected(&self) -> usize {
        protected_count(&self.rehearsal)
    }

    /// That there is one, for the head of the page.
    pub(super) fn head(&self, roomy: bool) -> String {
        match roomy {
            true => format!("Rehearsed, not applied: {} (t: show)", self.size()),
            false => format!("Rehearsed: {} (t)", self.size()),
        }
    }

    /// Moves, if the key is one that moves.
    pub(super) fn key(&mut self, key: Key) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        self.top = match (key.code, key.letter()) {
            (Code::Up, _) | (_, Some('k')) => self.top.saturating_sub(1),
            (Code::Down, _) | (_, Some('j')) => self.top + 1,
            (Code::PageUp, _) => self.top.saturating_sub(page),
            (Code::PageDown, _) | (_, Some(' ')) => self.top + page,
            (Code::Home, _) | (_, Some('g')) => 0,
            (Code::End, _) | (_, Some('G')) => self.count(),
            _ => return false,
        };
        self.top = self.top.min(self.count().saturating_sub(self.height));
        true
    }

    fn count(&self) -> usize {
        self.laid.as_ref().map_or(0, |(_, rows)| rows.len())
    }

    /// The rows that are on the screen.
    pub(super) fn shown(&mut self, ctx: RenderContext, height: usize) -> Vec<Line<'static>> {
        self.height = height.max(1);
        if self.laid.as_ref().is_none_or(|(laid, _)| *laid != ctx) {
            let inner = RenderContext { width: ctx.width.saturating_sub(2).max(8), ..ctx };
            self.laid = Some((ctx, rehearsal_rows(&self.rehearsal, inner)));
        }
        self.top = self.top.min(self.count().saturating_sub(self.height));
        let rows = self.laid.as_ref().map_or(&[][..], |(_, rows)| rows);
        let indented = |row: &Line<'static>| {
            Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans.iter().cloned()))
                .style(row.style)
        };
        rows.iter().skip(self.top).take(height).map(indented).collect()
    }

    /// Which rows are on the screen, of how many.
    pub(super) fn place(&self) -> Option<(usize, usize, usize)> {
        let all = self.count();
        (all > 0).then(|| (self.top + 1, (self.top + self.height).min(all), all))
    }
}

impl ReviewDialog {
    /// What was tried, while it is looked at.
    pub(super) fn seen_tried(&mut self) -> Option<&mut RehearsalPane> {
        self.tried.as_mut().filter(|tried| tried.seen)
    }

    /// From the plan to what was tried, or back.
    pub(super) fn toggle_tried(&mut self) {
        match &mut self.tried {
            Some(tried) => tried.seen ^= true,
            None => self.say("No changes were rehearsed"),
        }
    }

    /// Back to the plan.
    pub(super) fn look_away(&mut self) {
        if let Some(tried) = &mut self.tried {
            tried.seen = false;
        }
    }

    /// Looks at the plan in this way, or again as Markdown; from what was tried, it leads there.
    pub(super) fn look_at(&mut self, mode: PaneMode) {
        let from_tried = self.seen_tried().is_some();
        self.look_away();
        if !from_tried || self.plan_pane.mode() != mode {
            self.plan_pane.look_at(mode);
        }
    }
}
