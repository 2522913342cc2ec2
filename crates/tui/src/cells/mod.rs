//! What is finished, as rows: each kind of thing that happens has its look.

mod call;
mod result;

use forelook_protocol::{Notice, NoticeLevel, ShellEnded, ToolCall, ToolResult};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::{self, Look};
use crate::text::{Hang, harmless, wrap};

pub(crate) use call::Outcome;

/// Something that is finished.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// What the person said.
    Prompt(String),
    /// Rows of an answer, made while it came.
    Answer { rows: Vec<Line<'static>>, begins: bool },
    /// A call and what came of it.
    Call { call: ToolCall, result: ToolResult, outcome: Outcome },
    /// A line of the person's own for the shell, and what came of it.
    Shell(ShellEnded),
    /// Something to know.
    Notice(Notice),
    /// A plan that was answered, as Markdown under a title.
    Plan { title: Line<'static>, plan: String, boxed: bool, words: Vec<String> },
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
            Cell::Plan { title, plan, boxed, words } => {
                rows.push(title.clone());
                rows.extend(plan_rows(plan, *boxed, look));
                rows.extend(words.iter().flat_map(|line| {
                    wrap(&Line::from(harmless(line).into_owned()), look.width, &Hang::first("  ⎿ "))
                }));
            }
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

/// A plan; one that was sent back stands in a dim box, so that it is not taken for what will be done.
fn plan_rows(plan: &str, boxed: bool, look: Look) -> Vec<Line<'static>> {
    if !boxed {
        return markdown::rows(plan, Look { width: look.width.saturating_sub(2), ..look })
            .iter()
            .map(|row| Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans.iter().cloned())))
            .collect();
    }
    let inner = look.width.saturating_sub(4).max(8);
    let (quiet, dim) = (look.theme.quiet, Style::new().add_modifier(Modifier::DIM));
    let edge =
        |left: &str, right: &str| Line::styled(format!("{left}{}{right}", "─".repeat(inner + 2)), quiet);
    let mut rows = vec![edge("╭", "╮")];
    for row in markdown::rows(plan, Look { width: inner, ..look }) {
        let blanks = " ".repeat(inner.saturating_sub(row.width()));
        let mut spans = vec![Span::styled("│ ", quiet)];
        spans.extend(row.spans.into_iter().map(|span| span.patch_style(dim)));
        spans.push(Span::styled(format!("{blanks} │"), quiet));
        rows.push(Line::from(spans));
    }
    rows.push(edge("╰", "╯"));
    rows
}

#[cfg(test)]
mod tests;
