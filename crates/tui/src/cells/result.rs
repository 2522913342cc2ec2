//! What came of a call.

use forelook_protocol::ToolCall;
use forelook_wording::counted;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::Outcome;
use crate::diff;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// Rows of a result that are shown before it folds.
const FOLD: usize = 6;
const FOLD_DIFF: usize = 40;

pub(super) fn rows(call: &ToolCall, text: &str, outcome: Outcome, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    match (outcome, call.name.as_str()) {
        (Outcome::Done, "Read") => {
            let lines = counted(u64::try_from(text.lines().count()).unwrap_or(0), "line", "lines");
            vec![Line::styled(format!("  ⎿ {lines}"), theme.quiet)]
        }
        (Outcome::Done, "Edit" | "Write" | "NotebookEdit") => {
            let path = call.input["file_path"].as_str().or_else(|| call.input["notebook_path"].as_str());
            changes(path.unwrap_or_default(), text, look)
        }
        (Outcome::Done, _) => self::text(text, theme.quiet, look),
        (Outcome::Interrupted, _) => self::text(text, theme.warning, look),
        (Outcome::Failed | Outcome::Refused, _) => self::text(text, theme.bad, look),
    }
}

fn hang(look: Look) -> Hang {
    Hang { first: vec![Span::styled("  ⎿ ", look.theme.quiet)], rest: vec![Span::raw("    ")] }
}

/// What was said of a change, and the change.
fn changes(path: &str, text: &str, look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    let (said, diff) = match text.split_once("\n@@ ") {
        Some((said, diff)) => (said, format!("@@ {diff}")),
        None => (text, String::new()),
    };
    let said = harmless(said);
    let mut rows: Vec<Line<'static>> = said
        .lines()
        .take(2)
        .flat_map(|line| wrap(&Line::styled(line.to_owned(), theme.quiet), look.width, &hang(look)))
        .collect();
    let mut changed = diff::rows_of(path, &diff, look.width.saturating_sub(4), theme);
    let hidden = changed.len().saturating_sub(FOLD_DIFF);
    changed.truncate(FOLD_DIFF);
    rows.extend(changed.into_iter().map(|row| {
        let style = row.style;
        Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(style)
    }));
    rows.extend(folded(hidden, look));
    rows
}

/// The first rows of a text, and how many lines there are besides.
pub(super) fn text(text: &str, style: Style, look: Look) -> Vec<Line<'static>> {
    let text = harmless(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let hang = if at == 0 { hang(look) } else { Hang::all("    ") };
        let wrapped = wrap(&Line::styled(clipped(line).to_owned(), style), look.width, &hang);
        // A line is shown whole or not at all, unless it is the only one.
        if at > 0 && rows.len() + wrapped.len() > FOLD {
            rows.extend(folded(lines.len() - at, look));
            return rows;
        }
        rows.extend(wrapped);
    }
    if rows.len() > FOLD {
        rows.truncate(FOLD);
        rows.push(Line::styled("    … (Ctrl+R shows everything)", look.theme.quiet));
    }
    rows
}

/// A line much longer than what is shown of it is not worth breaking.
fn clipped(line: &str) -> &str {
    const MOST: usize = 4_000;
    line.get(..line.floor_char_boundary(MOST)).unwrap_or(line)
}

fn folded(hidden: usize, look: Look) -> Option<Line<'static>> {
    let lines = counted(u64::try_from(hidden).unwrap_or(0), "more line", "more lines");
    let row = || Line::styled(format!("    … {lines} (Ctrl+R shows everything)"), look.theme.quiet);
    (hidden > 0).then(row)
}
