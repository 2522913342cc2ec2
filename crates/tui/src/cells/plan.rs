//! A plan that was answered: one that was approved is shown, one that was sent back stands in a dim box, so that it is
//! not taken for what will be done.

use forelook_protocol::{PlanAnswer, PlanComment, PlanReviewed, Reviewer};
use forelook_wording::{continuation, line_range, plan_title, visible};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::{self, RenderContext};
use crate::text::{Indent, sanitize, wrap};

/// The mark of what was approved.
const BULLET: &str = if cfg!(target_os = "macos") { "⏺" } else { "●" };

pub(super) fn rows(reviewed: &PlanReviewed, ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let by = match reviewed.by {
        Reviewer::Person => "",
        Reviewer::Lead => " by the lead",
        Reviewer::Policy => " (`--on-plan`)",
        Reviewer::Command => " by `forelook apply`",
    };
    let plan = visible(reviewed.plan.as_deref().unwrap_or_default()).into_owned();
    let named = Some(plan_title(&plan)).filter(|title| !title.is_empty());
    let named = named.map_or_else(String::new, |title| format!(": {title}"));
    let mut rows = Vec::new();
    let mut head = |mark: &str, text: String, style: Style| {
        let line = Line::styled(text, style);
        rows.extend(wrap(&line, ctx.width, &Indent::first(Span::styled(format!("{mark} "), style))));
    };
    match &reviewed.answer {
        PlanAnswer::Approve(approval) => {
            let edited = if approval.edited.is_some() { " with your changes" } else { "" };
            let fresh = if approval.fresh_context { " · fresh context" } else { "" };
            let mode = continuation(reviewed.mode_state.mode());
            let what = if plan.is_empty() { "Left plan mode" } else { "Plan approved" };
            head(BULLET, format!("{what}{edited}{by} · {mode}{fresh}"), theme.plan);
            rows.extend(open(&plan, ctx));
            rows.extend(words(approval.note.as_deref(), ctx));
        }
        PlanAnswer::KeepPlanning { feedback, comments } => {
            head("✗", format!("Plan sent back{by}"), theme.bad);
            rows.extend(boxed(&plan, ctx));
            rows.extend(words(feedback.as_deref(), ctx));
            rows.extend(comments.iter().flat_map(|comment| comment_rows(comment, ctx)));
        }
        PlanAnswer::Park => head(BULLET, format!("Plan parked{named}"), theme.quiet),
        PlanAnswer::Abandon => head(BULLET, format!("Plan abandoned{named}"), theme.quiet),
        PlanAnswer::HandOver => {
            head(BULLET, format!("Plan returned as the result{by}"), theme.plan);
            rows.extend(open(&plan, ctx));
        }
    }
    // Whoever answered has seen where it is, and goes on with it.
    let continuation = matches!(reviewed.answer, PlanAnswer::Approve(_) | PlanAnswer::KeepPlanning { .. });
    if !continuation || reviewed.question.is_none() {
        rows.extend(wrap(
            &Line::styled(reviewed.path.to_string(), theme.quiet),
            ctx.width,
            &Indent::all("  "),
        ));
    }
    rows
}

/// Two columns in.
pub(super) fn open(plan: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let rows = markdown::rows(plan, RenderContext { width: ctx.width.saturating_sub(2), ..ctx });
    let indented = |row: Line<'static>| {
        let style = row.style;
        Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans)).style(style)
    };
    rows.into_iter().map(indented).collect()
}

fn boxed(plan: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    if plan.is_empty() {
        return vec![Line::styled("  (no plan)", ctx.theme.quiet)];
    }
    let inner = ctx.width.saturating_sub(4).max(8);
    let (quiet, dim) = (ctx.theme.quiet, Style::new().add_modifier(Modifier::DIM));
    let edge =
        |left: &str, right: &str| Line::styled(format!("{left}{}{right}", "─".repeat(inner + 2)), quiet);
    let mut rows = vec![edge("╭", "╮")];
    for row in markdown::rows(plan, RenderContext { width: inner, ..ctx }) {
        let blanks = " ".repeat(inner.saturating_sub(row.width()));
        let style = row.style.patch(dim);
        let mut spans = vec![Span::styled("│ ", quiet)];
        spans.extend(
            row.spans.into_iter().map(|span| Span::styled(span.content, style.patch(span.style).patch(dim))),
        );
        spans.push(Span::styled(format!("{blanks} │"), quiet));
        rows.push(Line::from(spans));
    }
    rows.push(edge("╰", "╯"));
    rows
}

/// What the reviewer said.
fn words(text: Option<&str>, ctx: RenderContext) -> Vec<Line<'static>> {
    let text = visible(text.unwrap_or_default()).into_owned();
    let line = |line: &str| wrap(&Line::from(sanitize(line).into_owned()), ctx.width, &Indent::first("  ⎿ "));
    text.lines().flat_map(line).collect()
}

fn comment_rows(comment: &PlanComment, ctx: RenderContext) -> Vec<Line<'static>> {
    let quote = comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let quote = forelook_wording::truncate(&sanitize(&visible(quote)), ctx.width.saturating_sub(18).max(8));
    let head =
        Span::styled(format!("{}: “{quote}”", line_range(comment.first, comment.last)), ctx.theme.quiet);
    let mut rows = wrap(&Line::from(head), ctx.width, &Indent::first("  ⎿ "));
    let text = visible(&comment.text).into_owned();
    let line = |line: &str| wrap(&Line::from(sanitize(line).into_owned()), ctx.width, &Indent::all("    "));
    rows.extend(text.lines().flat_map(line));
    rows
}
