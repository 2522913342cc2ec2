//! The text under review on the screen: rows that know their lines, comments below them, and a cursor.

use forelook_view::review::Comments;
use forelook_wording::visible;
use ratatui_core::text::{Line, Span};

use super::rows::{ReviewRow, with_comments};
use super::search::{Direction, PlanSearch};
use crate::diff;
use crate::markdown::{RenderContext, SourceRow, source_rows};
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// How the text is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PaneMode {
    /// As Markdown.
    Plan,
    /// As it is written.
    Written,
    /// What changed.
    Changes,
}

/// The text under review.
#[derive(Debug)]
pub(super) struct PlanPane {
    plan: String,
    changes: String,
    lines: usize,
    mode: PaneMode,
    /// The text alone, and what it was laid out for.
    laid: Option<(RenderContext, PaneMode, Vec<SourceRow>)>,
    rows: Vec<ReviewRow>,
    /// The comments among the rows.
    comments: Comments,
    at: usize,
    top: usize,
    height: usize,
    /// Where a range begins.
    mark: Option<(usize, usize)>,
}

impl PlanPane {
    pub(super) fn new(plan: &str, changes: &str) -> Self {
        // The end of a line hides nothing, however it is written.
        let shown = |text: &str| visible(&text.replace("\r\n", "\n")).into_owned();
        Self {
            plan: shown(plan),
            changes: shown(changes),
            lines: plan.lines().count(),
            mode: if changes.is_empty() { PaneMode::Plan } else { PaneMode::Changes },
            laid: None,
            rows: Vec::new(),
            comments: Comments::default(),
            at: 0,
            top: 0,
            height: 1,
            mark: None,
        }
    }

    pub(super) fn mode(&self) -> PaneMode {
        self.mode
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The other sight, or back to the plan.
    pub(super) fn look_at(&mut self, mode: PaneMode) {
        self.mode = if self.mode == mode { PaneMode::Plan } else { mode };
    }

    /// Lays the rows out anew where that is needed; the cursor stays on its line.
    pub(super) fn lay(&mut self, comments: &Comments, ctx: RenderContext, height: usize) {
        self.height = height.max(1);
        let stale = !self.laid.as_ref().is_some_and(|(laid, mode, _)| (*laid, *mode) == (ctx, self.mode));
        if stale {
            self.laid = Some((ctx, self.mode, self.base(ctx)));
        }
        if stale || self.comments != *comments {
            let line = self.rows.get(self.at).map_or(1, |row| row.first);
            let base = self.laid.as_ref().map_or(&[][..], |(_, _, base)| base);
            self.rows = with_comments(base, comments, ctx, self.gutter());
            self.comments = comments.clone();
            self.go_to(line);
        }
        self.follow();
    }

    fn base(&self, ctx: RenderContext) -> Vec<SourceRow> {
        let ctx = RenderContext { width: ctx.width.saturating_sub(self.gutter()).max(8), ..ctx };
        let clamp = |line: usize| line.clamp(1, self.lines.max(1));
        match self.mode {
            PaneMode::Plan => source_rows(&self.plan, ctx),
            PaneMode::Written => {
                let text = sanitize(&self.plan);
                let line = |(at, line): (usize, &str)| {
                    let rows = wrap(&Line::from(line.to_owned()), ctx.width, &Indent::default());
                    rows.into_iter().map(move |row| SourceRow { row, first: at + 1, last: at + 1 })
                };
                text.lines().enumerate().flat_map(line).collect()
            }
            PaneMode::Changes => diff::source_rows(&self.changes, ctx.width, ctx.theme)
                .into_iter()
                .map(|(row, line)| SourceRow { row, first: clamp(line), last: clamp(line) })
                .collect(),
        }
    }

    fn digits(&self) -> usize {
        self.lines.max(1).to_string().len()
    }

    /// Columns before the text: a mark and the number of the line, which a diff brings along.
    fn gutter(&self) -> usize {
        match self.mode {
            PaneMode::Changes => 2,
            PaneMode::Plan | PaneMode::Written => self.digits() + 3,
        }
    }

    fn follow(&mut self) {
        self.at = self.at.min(self.rows.len().saturating_sub(1));
        // One row more is seen on both sides, where there is room: a comment below its line.
        let margin = usize::from(self.height > 4);
        let lowest = (self.at + 1 + margin).saturating_sub(self.height);
        self.top = self.top.clamp(lowest, self.at.saturating_sub(margin).max(lowest));
        self.top = self.top.min(self.rows.len().saturating_sub(self.height));
    }

    /// Moves, if the key is one that moves.
    pub(super) fn key(&mut self, key: Key) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        let last = self.rows.len().saturating_sub(1);
        self.at = match (key.code, key.letter()) {
            (Code::Up, _) | (_, Some('k')) => self.at.saturating_sub(1),
            (Code::Down, _) | (_, Some('j')) => self.at + 1,
            (Code::PageUp, _) => self.at.saturating_sub(page),
            (Code::PageDown, _) | (_, Some(' ')) => self.at + page,
            (Code::Home, _) | (_, Some('g')) => 0,
            (Code::End, _) | (_, Some('G')) => last,
            _ => return false,
        };
        self.follow();
        true
    }

    /// The cursor to this line.
    pub(super) fn go_to(&mut self, line: usize) {
        // A line that takes many rows: its first is where one reads on.
        let text = |row: &ReviewRow| row.comment.is_none() && row.first <= line;
        let first = self.rows.iter().rev().find(|row| text(row)).map(|row| row.first);
        let there = |row: &ReviewRow| row.comment.is_none() && first.is_none_or(|first| row.first == first);
        self.at = self.rows.iter().position(there).unwrap_or(0);
        self.follow();
    }

    /// The first place where this stands, from the cursor on, or else from the beginning; whether there is one.
    pub(super) fn find_here(&mut self, search: &PlanSearch) -> bool {
        let places = self.places(search);
        let here = places.iter().copied().find(|at| *at >= self.at).or(places.first().copied());
        here.map(|at| self.move_to(at)).is_some()
    }

    /// The next place where this stands, or the one before; behind the last comes the first again.
    pub(super) fn find(&mut self, search: &PlanSearch, direction: Direction) {
        let places = self.places(search);
        let found = match direction {
            Direction::Next => places.iter().find(|at| **at > self.at).or(places.first()),
            Direction::Previous => places.iter().rev().find(|at| **at < self.at).or(places.last()),
        };
        if let Some(at) = found.copied() {
            self.move_to(at);
        }
    }

    /// At which of how many places the cursor is; 0 where it is between them.
    pub(super) fn found(&self, search: &PlanSearch) -> (usize, usize) {
        let places = self.places(search);
        let here = places.iter().position(|at| *at == self.at).map_or(0, |at| at + 1);
        (here, places.len())
    }

    /// The rows where this stands. Words that are broken at the window's edge are found at the row they begin in.
    fn places(&self, search: &PlanSearch) -> Vec<usize> {
        let texts: Vec<String> = self.rows.iter().map(|row| row.row.to_string().trim().to_owned()).collect();
        let same = |a: &ReviewRow, b: &ReviewRow| (a.first, a.comment) == (b.first, b.comment);
        let broken = |at: usize| {
            let next = self.rows.get(at + 1).filter(|next| same(next, &self.rows[at]));
            next.is_some_and(|_| {
                let both = format!("{} {}", texts[at], texts[at + 1]);
                search.is_within(&both) && !search.is_within(&texts[at + 1])
            })
        };
        (0..texts.len()).filter(|at| search.is_within(&texts[*at]) || broken(*at)).collect()
    }

    fn move_to(&mut self, at: usize) {
        self.at = at;
        self.follow();
    }

    /// The comment under the cursor.
    pub(super) fn comment(&self) -> Option<usize> {
        self.rows.get(self.at)?.comment
    }

    /// A range begins here, or is given up; whether there is one now.
    pub(super) fn toggle_mark(&mut self) -> bool {
        self.mark = match self.mark {
            Some(_) => None,
            None => self.rows.get(self.at).map(|row| (row.first, row.last)),
        };
        self.mark.is_some()
    }

    pub(super) fn has_mark(&self) -> bool {
        self.mark.is_some()
    }

    pub(super) fn unmark(&mut self) {
        self.mark = None;
    }

    /// The lines of the range, or those under the cursor.
    pub(super) fn chosen(&self) -> Option<(usize, usize)> {
        let row = self.rows.get(self.at)?;
        let (first, last) = self.mark.unwrap_or((row.first, row.last));
        Some((first.min(row.first), last.max(row.last)))
    }

    #[cfg(test)]
    pub(super) fn cursor(&self) -> usize {
        self.at
    }

    /// Which lines are on the screen, of how many.
    pub(super) fn place(&self) -> Option<(usize, usize, usize)> {
        let shown = self.rows.get(self.top..(self.top + self.height).min(self.rows.len()))?;
        let last = shown.iter().map(|row| row.last).max()?;
        Some((shown.first()?.first, last, self.lines))
    }

    /// The rows on the screen.
    pub(super) fn shown(&self, ctx: RenderContext, search: Option<&PlanSearch>) -> Vec<Line<'static>> {
        let range = self.mark.and(self.chosen());
        let mut before = 0;
        let mut out = Vec::new();
        for (at, row) in self.rows.iter().enumerate().skip(self.top).take(self.height) {
            let inside = range.is_some_and(|(first, last)| row.first <= last && row.last >= first);
            let mark = match (at == self.at, inside && row.comment.is_none()) {
                (true, _) => Span::styled("❯", ctx.theme.plan),
                (false, true) => Span::styled("┃", ctx.theme.plan),
                (false, false) => Span::raw(" "),
            };
            let digits = self.digits();
            let number = match self.mode {
                PaneMode::Changes => " ".to_owned(),
                _ if row.comment.is_some() || row.first == before => " ".repeat(digits + 2),
                _ => format!("{:>digits$}  ", row.first),
            };
            let style = if at == self.at || inside { ctx.theme.plan } else { ctx.theme.quiet };
            if row.comment.is_none() {
                before = row.first;
            }
            let lead = [mark, Span::styled(number, style)];
            let text = search.map_or_else(|| row.row.clone(), |search| search.marked(row.row.clone()));
            out.push(Line::from_iter(lead.into_iter().chain(text.spans)).style(row.row.style));
        }
        out
    }
}
