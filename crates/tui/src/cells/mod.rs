//! What is finished, as rows: each kind of thing that happens has its look.

mod call;
mod editor;
mod plan;
mod rehearsal;
mod result;
mod shown;

use forelook_protocol::{
    Notice, NoticeLevel, PlanEditor, PlanShown, RehearsalApplied, Reviewed, ShellEnded, ToolCall, ToolResult,
};
use forelook_view::CallOutcome;
use jiff::Timestamp;
use ratatui_core::text::{Line, Span};

use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

pub(crate) use rehearsal::rows as rehearsal_rows;
#[cfg(test)]
pub(crate) use rehearsal::sample as rehearsal_sample;

/// Something that is finished.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// What the person said.
    Prompt(String),
    /// Rows of an answer, made while it came.
    Answer { rows: Vec<Line<'static>>, begins: bool },
    /// A call and what came of it.
    Call { call: ToolCall, result: ToolResult, outcome: CallOutcome },
    /// A line of the person's own for the shell, and what came of it.
    Shell(ShellEnded),
    /// Something to know.
    Notice(Notice),
    /// A plan that was answered.
    Plan(Box<Reviewed>),
    /// Something about plans that the person asked for at this time.
    Shown { shown: Box<PlanShown>, now: Timestamp },
    /// How far the person's editor is with the plan.
    Editor(Box<PlanEditor>),
    /// What was made of a rehearsal.
    Applied(Box<RehearsalApplied>),
    /// Rows as they are.
    Rows(Vec<Line<'static>>),
}

impl Cell {
    /// Its rows. A blank one stands before it, unless it goes on with the one before.
    pub(crate) fn rows(&self, look: Look) -> Vec<Line<'static>> {
        let mut rows = match self {
            Cell::Answer { begins: false, .. } => Vec::new(),
            _ => vec![Line::default()],
        };
        match self {
            Cell::Prompt(text) => rows.extend(prompt(text, look)),
            Cell::Answer { rows: answer, begins } => rows.extend(marked(answer, *begins)),
            Cell::Call { call, result, outcome } => rows.extend(call::rows(call, result, *outcome, look)),
            Cell::Shell(shell) => rows.extend(call::shell(shell, look)),
            Cell::Notice(notice) => rows.extend(self::notice(notice, look)),
            Cell::Plan(reviewed) => rows.extend(plan::rows(reviewed, look)),
            Cell::Shown { shown, now } => rows.extend(shown::rows(shown, *now, look)),
            Cell::Editor(editor) => rows.extend(editor::rows(editor, look)),
            Cell::Applied(applied) => rows.extend(rehearsal::applied(applied, look)),
            Cell::Rows(lines) => rows.extend(lines.iter().cloned()),
        }
        rows
    }
}

/// An answer stands two columns in, its first row behind a mark.
pub(crate) fn marked(rows: &[Line<'static>], begins: bool) -> Vec<Line<'static>> {
    let lead = |at: usize| if at == 0 && begins { "● " } else { "  " };
    let with_lead = |(at, row): (usize, &Line<'static>)| {
        let spans = std::iter::once(Span::raw(lead(at))).chain(row.spans.iter().cloned());
        Line::from_iter(spans).style(row.style)
    };
    rows.iter().enumerate().map(with_lead).collect()
}

fn prompt(text: &str, look: Look) -> Vec<Line<'static>> {
    let text = harmless(text);
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let hang = if at == 0 { Hang::first("> ") } else { Hang::all("  ") };
        rows.extend(wrap(&Line::styled(line.to_owned(), look.theme.person), look.width, &hang));
    }
    rows
}

fn notice(notice: &Notice, look: Look) -> Vec<Line<'static>> {
    let (mark, style) = match notice.level {
        NoticeLevel::Info => ("  ", look.theme.quiet),
        NoticeLevel::Warning => ("! ", look.theme.warning),
        NoticeLevel::Error => ("✗ ", look.theme.bad),
    };
    let text = harmless(&notice.text);
    let row = |line: &str| {
        wrap(&Line::styled(line.to_owned(), style), look.width, &Hang::first(Span::styled(mark, style)))
    };
    text.lines().flat_map(row).collect()
}

#[cfg(test)]
mod tests;
