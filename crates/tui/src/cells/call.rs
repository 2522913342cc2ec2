//! A call on one line, and what came of it below.

use forelook_protocol::{ShellEnded, ToolCall, ToolResult};
use forelook_view::CallOutcome;
use forelook_wording::call_about;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::result;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// Rows that a call may take before its result.
const HEAD_ROWS: usize = 3;

fn mark(outcome: CallOutcome, look: Look) -> Span<'static> {
    match outcome {
        CallOutcome::Done => Span::styled("● ", look.theme.good),
        CallOutcome::Failed => Span::styled("✗ ", look.theme.bad),
        CallOutcome::Refused => Span::styled("⊘ ", look.theme.bad),
        CallOutcome::Interrupted => Span::styled("■ ", look.theme.warning),
    }
}

pub(super) fn rows(
    call: &ToolCall,
    result: &ToolResult,
    outcome: CallOutcome,
    look: Look,
) -> Vec<Line<'static>> {
    let about = harmless(&call_about(&call.input)).into_owned();
    let what = match (call.input["subagent_type"].as_str(), about) {
        (_, what) if what.is_empty() => String::new(),
        (Some(kind), what) => format!("({}: {what})", harmless(kind)),
        (None, what) => format!("({what})"),
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let line = Line::from(vec![Span::styled(harmless(&call.name).into_owned(), bold), Span::raw(what)]);
    let mut rows = head(&line, mark(outcome, look), look);
    rows.extend(result::rows(call, &result.text(), outcome, look));
    rows
}

/// A line of the person's own.
pub(super) fn shell(shell: &ShellEnded, look: Look) -> Vec<Line<'static>> {
    let outcome = if shell.failed.is_some() { CallOutcome::Failed } else { CallOutcome::Done };
    let command = harmless(&shell.command).replace('\n', " ⏎ ");
    let mark = Span::styled("! ", mark(outcome, look).style);
    let mut rows = head(&Line::styled(command, look.theme.person), mark, look);
    if !shell.output.trim().is_empty() {
        rows.extend(result::text(&shell.output, look.theme.quiet, look));
    }
    if let Some(failed) = &shell.failed {
        rows.extend(result::text(failed, look.theme.bad, look));
    }
    rows
}

/// At most so many rows; the last has a sign if there was more.
fn head(line: &Line<'static>, mark: Span<'static>, look: Look) -> Vec<Line<'static>> {
    let mut rows = wrap(line, look.width, &Hang::first(mark));
    if rows.len() > HEAD_ROWS {
        // One column is kept for the sign.
        let narrow = wrap(line, look.width.saturating_sub(1), &Hang::first(rows[0].spans[0].clone()));
        rows = narrow;
        rows.truncate(HEAD_ROWS);
        if let Some(last) = rows.last_mut() {
            last.push_span(Span::styled("…", look.theme.quiet));
        }
    }
    rows
}
