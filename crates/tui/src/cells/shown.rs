//! What the person asked to see about plans: `/plan` and its relatives.

use forelook_protocol::{PlanReply, PlanRevision, PlanState, PlanSummary};
use forelook_wording::{NOT_REHEARSED, age, counted, plan_revisions, rehearsal_head, truncate, visible};
use jiff::Timestamp;
use ratatui_core::text::{Line, Span};

use super::plan::open;
use crate::diff;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// Windows narrower than this get a row less beside the others and one more below.
const WIDE: usize = 60;

pub(super) fn rows(shown: &PlanReply, now: Timestamp, ctx: RenderContext) -> Vec<Line<'static>> {
    let head = |text: String| wrap(&Line::styled(text, ctx.theme.plan), ctx.width, &Indent::default());
    match shown {
        PlanReply::Entered { path } => {
            let mut rows = head("⏸ plan mode on".to_owned());
            rows.extend(quiet("Nothing changes until you approve a plan. It will be saved to", ctx));
            rows.extend(quiet(&path.to_string(), ctx));
            rows
        }
        PlanReply::Current { path, plan, problem, editor } => {
            let mut rows = head("Current plan".to_owned());
            rows.extend(quiet(&path.to_string(), ctx));
            rows.push(Line::default());
            match (plan.as_deref().filter(|plan| !plan.trim().is_empty()), problem) {
                (Some(plan), _) => rows.extend(open(&visible(plan), ctx)),
                (None, Some(why)) => {
                    let line = Line::styled("The plan cannot be read", ctx.theme.warning);
                    rows.extend(wrap(&line, ctx.width, &Indent::all("  ")));
                    rows.extend(why.lines().flat_map(|line| quiet(line, ctx)));
                }
                (None, None) => rows.extend(quiet("No plan yet", ctx)),
            }
            if let Some(editor) = editor {
                rows.push(Line::default());
                rows.extend(quiet(&format!("Edit it in {editor} with /plan open"), ctx));
            }
            rows
        }
        PlanReply::Diff { from, to, diff } => {
            let mut rows = head(plan_revisions(*from, *to));
            match diff.is_empty() {
                true => rows.extend(quiet("No changes", ctx)),
                false => rows.extend(diff::rows(&visible(diff), ctx.width, ctx.theme)),
            }
            rows
        }
        PlanReply::Rehearsal(None) => NOT_REHEARSED.iter().flat_map(|text| quiet(text, ctx)).collect(),
        PlanReply::Rehearsal(Some(rehearsal)) => {
            let mut rows = head(rehearsal_head(rehearsal));
            rows.extend(super::rehearsal::rows(rehearsal, ctx));
            rows
        }
        PlanReply::History(revisions) if revisions.is_empty() => {
            quiet("No saved revisions of the plan yet", ctx)
        }
        PlanReply::History(revisions) => {
            let mut rows = head("Plan revisions".to_owned());
            rows.extend(revisions.iter().flat_map(|revision| revision_rows(revision, now, ctx)));
            rows.extend(quiet("/plan restore N restores one of them", ctx));
            rows
        }
        PlanReply::Restored { revision, path } => {
            let mut rows = head(format!("Restored revision {revision} of the plan"));
            rows.extend(quiet(&path.to_string(), ctx));
            rows
        }
        PlanReply::List(plans) if plans.is_empty() => quiet("No plans yet", ctx),
        PlanReply::List(plans) => {
            let mut rows = head(counted(plans.len() as u64, "plan", "plans"));
            rows.extend(plans.iter().flat_map(|plan| summary_rows(plan, now, ctx)));
            rows
        }
    }
}

pub(super) fn quiet(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    wrap(&Line::styled(sanitize(text).into_owned(), ctx.theme.quiet), ctx.width, &Indent::all("  "))
}

/// A row of a table where there is room for it, else two.
fn revision_rows(revision: &PlanRevision, now: Timestamp, ctx: RenderContext) -> Vec<Line<'static>> {
    let (age, lines) = (age(now, revision.time), counted(revision.lines as u64, "line", "lines"));
    let number = Span::styled(format!("  {:>3}  ", revision.number), ctx.theme.heading);
    let title = |room: usize| truncate(&sanitize(&revision.title), room.saturating_sub(1));
    match ctx.width >= WIDE {
        true => {
            let about = format!("{age:<12}  {lines:>11}  ");
            let room = ctx.width.saturating_sub(7 + about.chars().count());
            vec![Line::from(vec![number, Span::styled(about, ctx.theme.quiet), Span::raw(title(room))])]
        }
        false => vec![
            Line::from(vec![number, Span::raw(title(ctx.width.saturating_sub(7)))]),
            Line::styled(format!("       {age}, {lines}"), ctx.theme.quiet),
        ],
    }
}

fn summary_rows(plan: &PlanSummary, now: Timestamp, ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let state = match plan.state {
        PlanState::Draft => theme.warning,
        PlanState::Approved => theme.good,
        PlanState::Rejected => theme.bad,
        PlanState::Parked | PlanState::Abandoned => theme.quiet,
    };
    let title = if plan.title.is_empty() { &plan.slug } else { &plan.title };
    let title = truncate(&sanitize(title), ctx.width.saturating_sub(14));
    let head = Line::from(vec![
        Span::styled(format!("  {:<9}  ", plan.state.name()), state),
        Span::styled(title, theme.heading),
    ]);
    let project = plan.project.as_ref().map_or_else(String::new, |project| format!(" in {project}"));
    let about = format!("{}, {}{project}", age(now, plan.time), plan.slug);
    let lead = if ctx.width >= WIDE { " ".repeat(13) } else { "    ".to_owned() };
    let mut rows = vec![head];
    rows.extend(wrap(
        &Line::styled(sanitize(&about).into_owned(), theme.quiet),
        ctx.width,
        &Indent::all(lead),
    ));
    rows
}
