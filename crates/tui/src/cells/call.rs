//! A call on one line, and what came of it below.

use forelook_protocol::{ToolCall, UserShellEnded};
use forelook_view::CallOutcome;
use forelook_wording::call_summary;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::result;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// Rows that a call may take before its result.
const HEAD_ROWS: usize = 3;

fn mark(outcome: CallOutcome, ctx: RenderContext) -> Span<'static> {
    match outcome {
        CallOutcome::Done => Span::styled("● ", ctx.theme.good),
        CallOutcome::Failed => Span::styled("✗ ", ctx.theme.bad),
        CallOutcome::Refused => Span::styled("⊘ ", ctx.theme.bad),
        CallOutcome::Interrupted => Span::styled("■ ", ctx.theme.warning),
    }
}

pub(super) fn rows(
    call: &ToolCall,
    text: &str,
    outcome: CallOutcome,
    ctx: RenderContext,
) -> Vec<Line<'static>> {
    let about = sanitize(&call_summary(&call.input)).into_owned();
    let what = match (call.input["subagent_type"].as_str(), about) {
        (_, what) if what.is_empty() => String::new(),
        (Some(kind), what) => format!("({}: {what})", sanitize(kind)),
        (None, what) => format!("({what})"),
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let line = Line::from(vec![Span::styled(sanitize(&call.name).into_owned(), bold), Span::raw(what)]);
    let mut rows = head(&line, mark(outcome, ctx), ctx);
    rows.extend(result::rows(call, text, outcome, ctx));
    rows
}

/// A line of the person's own.
pub(super) fn shell(shell: &UserShellEnded, ctx: RenderContext) -> Vec<Line<'static>> {
    let outcome = if shell.failed.is_some() { CallOutcome::Failed } else { CallOutcome::Done };
    let command = sanitize(&shell.command).replace('\n', " ⏎ ");
    let mark = Span::styled("! ", mark(outcome, ctx).style);
    let mut rows = head(&Line::styled(command, ctx.theme.person), mark, ctx);
    if !shell.output.trim().is_empty() {
        rows.extend(result::text(&shell.output, ctx.theme.quiet, ctx));
    }
    if let Some(failed) = &shell.failed {
        rows.extend(result::text(failed, ctx.theme.bad, ctx));
    }
    rows
}

/// At most so many rows; the last has a sign if there was more.
fn head(line: &Line<'static>, mark: Span<'static>, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = wrap(line, ctx.width, &Indent::first(mark));
    if rows.len() > HEAD_ROWS {
        // One column is kept for the sign.
        let narrow = wrap(line, ctx.width.saturating_sub(1), &Indent::first(rows[0].spans[0].clone()));
        rows = narrow;
        rows.truncate(HEAD_ROWS);
        if let Some(last) = rows.last_mut() {
            last.push_span(Span::styled("…", ctx.theme.quiet));
        }
    }
    rows
}
