//! A call on one line, and what came of it below.

use forelook_protocol::{ToolCall, ToolResult, Verdict};
use forelook_wording::call_about;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::diff;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// Rows of a result that are shown before it folds.
const FOLD: usize = 6;
const FOLD_DIFF: usize = 40;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Failed,
    Refused,
    Interrupted,
}

impl Outcome {
    pub(crate) fn of(verdict: Verdict, result: &ToolResult) -> Self {
        match verdict {
            Verdict::Denied => Outcome::Refused,
            Verdict::Interrupted => Outcome::Interrupted,
            Verdict::Invalid => Outcome::Failed,
            Verdict::Ran if result.is_error => Outcome::Failed,
            Verdict::Ran => Outcome::Done,
        }
    }
}

pub(super) fn rows(call: &ToolCall, result: &ToolResult, outcome: Outcome, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    let (mark, style) = match outcome {
        Outcome::Done => ("● ", theme.good),
        Outcome::Failed => ("● ", theme.bad),
        Outcome::Refused => ("✗ ", theme.bad),
        Outcome::Interrupted => ("● ", theme.warning),
    };
    let (tool, what) = (call.name.clone(), call_about(&call.input));
    let line = Line::from(vec![
        Span::styled(tool, Style::new().add_modifier(Modifier::BOLD)),
        Span::styled(if what.is_empty() { String::new() } else { format!("({what})") }, Style::new()),
    ]);
    let mut rows = wrap(&line, look.width, &Hang::first(Span::styled(mark, style)));
    rows.truncate(2);
    rows.extend(result_rows(&call.name, &result.text(), outcome, look));
    rows
}

fn result_rows(tool: &str, text: &str, outcome: Outcome, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    let text = harmless(text);
    let lines = text.lines().count();
    if outcome == Outcome::Done && tool == "Read" {
        let count = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        return vec![Line::styled(format!("  ⎿ {count}"), theme.quiet)];
    }
    let is_diff = outcome == Outcome::Done && matches!(tool, "Edit" | "Write" | "NotebookEdit");
    let hang = Hang { first: vec![Span::styled("  ⎿ ", theme.quiet)], rest: vec![Span::raw("    ")] };
    if is_diff {
        let (said, diff) = text
            .split_once("\n@@ ")
            .map_or((text.as_ref(), String::new()), |(said, diff)| (said, format!("@@ {diff}")));
        let mut rows: Vec<Line<'static>> = said
            .lines()
            .take(2)
            .flat_map(|line| wrap(&Line::styled(line.to_owned(), theme.quiet), look.width, &hang))
            .collect();
        let diff = diff::rows(&diff, look.width.saturating_sub(4), theme);
        let indented = diff.into_iter().map(|row| {
            let style = row.style;
            Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(style)
        });
        rows.extend(folded(indented.collect(), FOLD_DIFF, look));
        return rows;
    }
    let style = if outcome == Outcome::Done { theme.quiet } else { theme.bad };
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let hang = if at == 0 { hang.clone() } else { Hang::all("    ") };
        rows.extend(wrap(&Line::styled(line.to_owned(), style), look.width, &hang));
        if rows.len() > 4 * FOLD {
            break;
        }
    }
    let hidden = lines.saturating_sub(FOLD);
    if rows.len() > FOLD && hidden > 0 {
        rows.truncate(FOLD);
        rows.push(Line::styled(format!("    … {hidden} more lines (Ctrl+R shows everything)"), theme.quiet));
    }
    rows
}

fn folded(mut rows: Vec<Line<'static>>, limit: usize, look: Look) -> Vec<Line<'static>> {
    if rows.len() > limit {
        let hidden = rows.len() - limit;
        rows.truncate(limit);
        rows.push(Line::styled(
            format!("    … {hidden} more lines (Ctrl+R shows everything)"),
            look.theme.quiet,
        ));
    }
    rows
}
