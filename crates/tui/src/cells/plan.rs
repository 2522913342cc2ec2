//! A plan that was answered: one that was approved is shown, one that was sent back stands in a dim box, so that it is
//! not taken for what will be done.

use forelook_protocol::{PlanAnswer, PlanComment, Reviewed, Reviewer};
use forelook_wording::{goes_on, line_range, title, visible};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::{self, Look};
use crate::text::{Hang, harmless, wrap};

/// The mark of what was approved.
const BULLET: &str = if cfg!(target_os = "macos") { "⏺" } else { "●" };

pub(super) fn rows(reviewed: &Reviewed, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    let by = match reviewed.by {
        Reviewer::Person => "",
        Reviewer::Lead => " by the lead",
        Reviewer::Policy => " as `--on-plan` says",
        Reviewer::Command => " by the command",
    };
    let plan = visible(reviewed.plan.as_deref().unwrap_or_default()).into_owned();
    let named = Some(title(&plan)).filter(|title| !title.is_empty());
    let named = named.map_or_else(String::new, |title| format!(": {title}"));
    let mut rows = Vec::new();
    let mut head = |mark: &str, text: String, style: Style| {
        let line = Line::styled(text, style);
        rows.extend(wrap(&line, look.width, &Hang::first(Span::styled(format!("{mark} "), style))));
    };
    match &reviewed.answer {
        PlanAnswer::Approve(approval) => {
            let edited = if approval.edited.is_some() { " with your changes" } else { "" };
            let fresh = if approval.fresh_context { ", with a fresh context" } else { "" };
            let mode = goes_on(reviewed.standing.mode());
            let what = if plan.is_empty() { "Leaving plan mode approved" } else { "Plan approved" };
            head(BULLET, format!("{what}{edited}{by}; going on {mode}{fresh}"), theme.plan);
            rows.extend(open(&plan, look));
            rows.extend(words(approval.note.as_deref(), look));
        }
        PlanAnswer::KeepPlanning { feedback, comments } => {
            head("✗", format!("Plan sent back{by}"), theme.bad);
            rows.extend(boxed(&plan, look));
            rows.extend(words(feedback.as_deref(), look));
            rows.extend(comments.iter().flat_map(|comment| comment_rows(comment, look)));
        }
        PlanAnswer::Park => head(BULLET, format!("Plan parked{named}"), theme.quiet),
        PlanAnswer::Abandon => head(BULLET, format!("Plan abandoned{named}"), theme.quiet),
        PlanAnswer::HandOver => {
            head(BULLET, format!("The plan is the result{by}"), theme.plan);
            rows.extend(open(&plan, look));
        }
    }
    // Whoever answered has seen where it is, and goes on with it.
    let goes_on = matches!(reviewed.answer, PlanAnswer::Approve(_) | PlanAnswer::KeepPlanning { .. });
    if !goes_on || reviewed.question.is_none() {
        rows.extend(wrap(
            &Line::styled(reviewed.path.to_string(), theme.quiet),
            look.width,
            &Hang::all("  "),
        ));
    }
    rows
}

/// Two columns in.
pub(super) fn open(plan: &str, look: Look) -> Vec<Line<'static>> {
    let rows = markdown::rows(plan, Look { width: look.width.saturating_sub(2), ..look });
    let indented = |row: Line<'static>| {
        let style = row.style;
        Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans)).style(style)
    };
    rows.into_iter().map(indented).collect()
}

fn boxed(plan: &str, look: Look) -> Vec<Line<'static>> {
    if plan.is_empty() {
        return vec![Line::styled("  There was no plan", look.theme.quiet)];
    }
    let inner = look.width.saturating_sub(4).max(8);
    let (quiet, dim) = (look.theme.quiet, Style::new().add_modifier(Modifier::DIM));
    let edge =
        |left: &str, right: &str| Line::styled(format!("{left}{}{right}", "─".repeat(inner + 2)), quiet);
    let mut rows = vec![edge("╭", "╮")];
    for row in markdown::rows(plan, Look { width: inner, ..look }) {
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
fn words(text: Option<&str>, look: Look) -> Vec<Line<'static>> {
    let text = visible(text.unwrap_or_default()).into_owned();
    let line = |line: &str| wrap(&Line::from(harmless(line).into_owned()), look.width, &Hang::first("  ⎿ "));
    text.lines().flat_map(line).collect()
}

fn comment_rows(comment: &PlanComment, look: Look) -> Vec<Line<'static>> {
    let quote = comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let quote = forelook_wording::cut(&harmless(&visible(quote)), look.width.saturating_sub(18).max(8));
    let head =
        Span::styled(format!("{}: “{quote}”", line_range(comment.first, comment.last)), look.theme.quiet);
    let mut rows = wrap(&Line::from(head), look.width, &Hang::first("  ⎿ "));
    let text = visible(&comment.text).into_owned();
    let line = |line: &str| wrap(&Line::from(harmless(line).into_owned()), look.width, &Hang::all("    "));
    rows.extend(text.lines().flat_map(line));
    rows
}
