//! What a review looks like: what it is about, the plan, and below it what can be done.

use forelook_view::review::ChangesSince;
use forelook_wording::{no_plan, plan_length, plan_length_short, plan_title, truncate, visible};
use ratatui_core::layout::Size;
use ratatui_core::text::{Line, Span};

use super::ReviewDialog;
use super::form::ReviewForm;
use super::plan_pane::PaneMode;
use super::rehearsal_pane::RehearsalPane;
use super::rows::comment_rows;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};
use crate::view::Page;

/// Windows with fewer rows or columns than these get the short form of everything.
const ROOMY: Size = Size::new(60, 20);
/// Rows of the plan that are always seen.
const LEAST: usize = 2;

impl ReviewDialog {
    /// The whole window.
    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext) -> Page {
        self.width = ctx.width;
        let roomy = size.width >= ROOMY.width && size.height >= ROOMY.height;
        let all = usize::from(size.height);
        let (mut bottom, cursor) = self.bottom(ctx, roomy);
        bottom.truncate(all.saturating_sub(LEAST));
        let mut head = self.head(ctx, roomy);
        head.truncate(all.saturating_sub(bottom.len() + LEAST + 1));
        let height = all.saturating_sub(head.len() + 1 + bottom.len());
        let body = self.body(ctx, height);
        let mut rows = head;
        rows.push(self.ruler(ctx));
        rows.extend(body);
        rows.resize(all.saturating_sub(bottom.len()), Line::default());
        let above = rows.len();
        rows.extend(bottom);
        let cursor = cursor.map(|(row, column)| (above + row, column)).filter(|(row, _)| *row < all);
        Page { rows, cursor }
    }

    /// The plan by its title.
    pub(super) fn name(&self) -> String {
        let of = self.review.from().map_or_else(String::new, |from| format!(" from {}", one_line(from)));
        match plan_title(self.review.text()) {
            title if title.is_empty() => format!("Plan{of}"),
            title => format!("Plan{of}: {}", one_line(&title)),
        }
    }

    fn head(&self, ctx: RenderContext, roomy: bool) -> Vec<Line<'static>> {
        let mut rows =
            vec![Line::styled(truncate(&self.name(), ctx.width.saturating_sub(1)), ctx.theme.plan)];
        let length = match (self.review.has_plan(), roomy) {
            (false, _) => no_plan(self.review.request().problem.as_deref()),
            (true, true) => plan_length(&self.review.request().length),
            (true, false) => plan_length_short(&self.review.request().length),
        };
        if roomy {
            rows.push(Line::styled(tail(&self.review.path().to_string(), ctx.width), ctx.theme.quiet));
        }
        let style = if self.review.has_plan() { ctx.theme.quiet } else { ctx.theme.warning };
        rows.extend(wrap(&Line::styled(length, style), ctx.width, &Indent::default()));
        rows.extend(self.tried.as_ref().map(|tried| {
            let text = truncate(&tried.head(roomy), ctx.width.saturating_sub(1));
            Line::styled(text, ctx.theme.plan)
        }));
        rows
    }

    /// Between head and plan: what is looked at, and where in it.
    fn ruler(&self, ctx: RenderContext) -> Line<'static> {
        let tried = self.tried.as_ref().filter(|tried| tried.is_seen());
        let what = match (&self.form, self.plan_pane.mode(), self.review.since()) {
            (ReviewForm::List(_), ..) => "comments",
            (ReviewForm::Keys(_), ..) => "keys",
            _ if tried.is_some() => "rehearsal, not applied",
            (_, PaneMode::Plan, ChangesSince::LastReview) if !self.plan_pane.has_changes() => {
                "the plan, unchanged since the last review"
            }
            (_, PaneMode::Plan, _) => "the plan",
            (_, PaneMode::Written, _) => "the plan as Markdown source",
            (_, PaneMode::Changes, ChangesSince::Shown) => "changes since you saw it",
            (_, PaneMode::Changes, _) => "changes since the last review",
        };
        let place = tried.map_or_else(|| self.plan_pane.place(), RehearsalPane::place);
        let place = match (&self.form, place) {
            (ReviewForm::List(_) | ReviewForm::Keys(_), _) | (_, None) => String::new(),
            (_, Some((first, last, all))) => format!(" {first}-{last} of {all} "),
        };
        let left = format!("── {what} ");
        let used = Span::raw(left.as_str()).width() + Span::raw(place.as_str()).width() + 2;
        let rule = "─".repeat(ctx.width.saturating_sub(used));
        let text = if used > ctx.width { left } else { format!("{left}{rule}{place}──") };
        Line::styled(text, ctx.theme.quiet)
    }

    fn body(&mut self, ctx: RenderContext, height: usize) -> Vec<Line<'static>> {
        self.plan_pane.lay(self.review.comments(), ctx, height);
        match &mut self.form {
            ReviewForm::List(at) => {
                let at = *at;
                self.list(ctx, at, height)
            }
            ReviewForm::Keys(top) => {
                let top = *top;
                let rows = self.all_keys(ctx);
                let first = top.min(rows.len().saturating_sub(height));
                self.form = ReviewForm::Keys(first);
                rows.into_iter().skip(first).take(height).collect()
            }
            _ if self.tried.as_ref().is_some_and(RehearsalPane::is_seen) => {
                self.tried.as_mut().map(|tried| tried.shown(ctx, height)).unwrap_or_default()
            }
            _ if !self.review.has_plan() => {
                let text = "The plan is empty. You can still leave plan mode, or keep planning.";
                wrap(&Line::from(text), ctx.width, &Indent::all(" "))
            }
            ReviewForm::Found(search) => self.plan_pane.shown(ctx, Some(search)),
            _ => self.plan_pane.shown(ctx, None),
        }
    }

    fn list(&self, ctx: RenderContext, here: usize, height: usize) -> Vec<Line<'static>> {
        let inner = RenderContext { width: ctx.width.saturating_sub(2), ..ctx };
        let mut rows = Vec::new();
        let mut end = 0;
        for (at, comment) in self.review.comments().iter().enumerate() {
            let mark = if at == here { Span::styled("❯ ", ctx.theme.plan) } else { Span::raw("  ") };
            let quote = one_line(comment.quoted_line());
            let quote = truncate(&quote, inner.width.saturating_sub(3));
            rows.push(Line::from(vec![mark, Span::styled(quote, ctx.theme.quiet)]));
            let indented =
                |row: Line<'static>| Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans));
            rows.extend(comment_rows(comment, inner).into_iter().map(indented));
            if at == here {
                end = rows.len();
            }
        }
        rows.into_iter().skip(end.saturating_sub(height)).take(height).collect()
    }
}

fn one_line(text: &str) -> String {
    sanitize(&visible(text)).replace('\n', " ")
}

/// The end of a path that is too long.
fn tail(path: &str, width: usize) -> String {
    let path = one_line(path);
    let hidden = path.chars().count().saturating_sub(width.saturating_sub(1));
    match hidden {
        0 => path,
        hidden => format!("…{}", path.chars().skip(hidden).collect::<String>()),
    }
}
