//! What the person asked to see about plans: `/plan` and its relatives.

use forelook_protocol::{PlanRevision, PlanShown, PlanState, PlanSummary};
use forelook_wording::{NOT_REHEARSED, age, counted, cut, plan_revisions, rehearsal_head, visible};
use jiff::Timestamp;
use ratatui_core::text::{Line, Span};

use super::plan::open;
use crate::diff;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// Windows narrower than this get a row less beside the others and one more below.
const WIDE: usize = 60;

pub(super) fn rows(shown: &PlanShown, now: Timestamp, look: Look) -> Vec<Line<'static>> {
    let head = |text: String| wrap(&Line::styled(text, look.theme.plan), look.width, &Hang::default());
    match shown {
        PlanShown::Entered { path } => {
            let mut rows = head("⏸ plan mode on".to_owned());
            rows.extend(quiet("Nothing is changed before you approve a plan. It will be in", look));
            rows.extend(quiet(&path.to_string(), look));
            rows
        }
        PlanShown::Current { path, plan, editor } => {
            let mut rows = head("Current plan".to_owned());
            rows.extend(quiet(&path.to_string(), look));
            rows.push(Line::default());
            match plan.as_deref().filter(|plan| !plan.trim().is_empty()) {
                Some(plan) => rows.extend(open(&visible(plan), look)),
                None => rows.extend(quiet("There is no plan yet", look)),
            }
            if let Some(editor) = editor {
                rows.push(Line::default());
                rows.extend(quiet(&format!("/plan open edits it in {editor}"), look));
            }
            rows
        }
        PlanShown::Diff { from, to, diff } => {
            let mut rows = head(plan_revisions(*from, *to));
            match diff.is_empty() {
                true => rows.extend(quiet("Nothing has changed", look)),
                false => rows.extend(diff::rows(&visible(diff), look.width, look.theme)),
            }
            rows
        }
        PlanShown::Rehearsal(None) => NOT_REHEARSED.iter().flat_map(|text| quiet(text, look)).collect(),
        PlanShown::Rehearsal(Some(rehearsal)) => {
            let mut rows = head(rehearsal_head(rehearsal));
            rows.extend(super::rehearsal::rows(rehearsal, look));
            rows
        }
        PlanShown::History(revisions) if revisions.is_empty() => {
            quiet("No revision of the plan has been kept yet", look)
        }
        PlanShown::History(revisions) => {
            let mut rows = head("Revisions of the plan".to_owned());
            rows.extend(revisions.iter().flat_map(|revision| revision_rows(revision, now, look)));
            rows.extend(quiet("/plan restore N makes one of them the plan again", look));
            rows
        }
        PlanShown::Restored { revision, path } => {
            let mut rows = head(format!("Revision {revision} is the plan again"));
            rows.extend(quiet(&path.to_string(), look));
            rows
        }
        PlanShown::List(plans) if plans.is_empty() => quiet("There are no plans yet", look),
        PlanShown::List(plans) => {
            let mut rows = head(counted(plans.len() as u64, "plan", "plans"));
            rows.extend(plans.iter().flat_map(|plan| summary_rows(plan, now, look)));
            rows
        }
    }
}

pub(super) fn quiet(text: &str, look: Look) -> Vec<Line<'static>> {
    wrap(&Line::styled(harmless(text).into_owned(), look.theme.quiet), look.width, &Hang::all("  "))
}

/// A row of a table where there is room for it, else two.
fn revision_rows(revision: &PlanRevision, now: Timestamp, look: Look) -> Vec<Line<'static>> {
    let (age, lines) = (age(now, revision.time), counted(revision.lines as u64, "line", "lines"));
    let number = Span::styled(format!("  {:>3}  ", revision.number), look.theme.heading);
    let title = |room: usize| cut(&harmless(&revision.title), room.saturating_sub(1));
    match look.width >= WIDE {
        true => {
            let about = format!("{age:<12}  {lines:>11}  ");
            let room = look.width.saturating_sub(7 + about.chars().count());
            vec![Line::from(vec![number, Span::styled(about, look.theme.quiet), Span::raw(title(room))])]
        }
        false => vec![
            Line::from(vec![number, Span::raw(title(look.width.saturating_sub(7)))]),
            Line::styled(format!("       {age}, {lines}"), look.theme.quiet),
        ],
    }
}

fn summary_rows(plan: &PlanSummary, now: Timestamp, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    let state = match plan.state {
        PlanState::Draft => theme.warning,
        PlanState::Approved => theme.good,
        PlanState::Rejected => theme.bad,
        PlanState::Parked | PlanState::Abandoned => theme.quiet,
    };
    let title = if plan.title.is_empty() { &plan.slug } else { &plan.title };
    let title = cut(&harmless(title), look.width.saturating_sub(14));
    let head = Line::from(vec![
        Span::styled(format!("  {:<9}  ", plan.state.name()), state),
        Span::styled(title, theme.heading),
    ]);
    let project = plan.project.as_ref().map_or_else(String::new, |project| format!(" in {project}"));
    let about = format!("{}, {}{project}", age(now, plan.time), plan.slug);
    let lead = if look.width >= WIDE { " ".repeat(13) } else { "    ".to_owned() };
    let mut rows = vec![head];
    rows.extend(wrap(
        &Line::styled(harmless(&about).into_owned(), theme.quiet),
        look.width,
        &Hang::all(lead),
    ));
    rows
}
