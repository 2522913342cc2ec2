//! What came of a call.

use forelook_protocol::ToolCall;
use forelook_view::CallOutcome;
use forelook_wording::{counted, display_width};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::diff;
use crate::markdown::{self, RenderContext};
use crate::text::{Indent, sanitize, wrap};

/// Rows of a result that are shown before it folds.
const FOLD: usize = 6;
const FOLD_DIFF: usize = 40;
/// Lines of a failure that are all about it.
const SHORT: usize = 3;

pub(super) fn rows(
    call: &ToolCall,
    text: &str,
    outcome: CallOutcome,
    ctx: RenderContext,
) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    match (outcome, call.name.as_str()) {
        (CallOutcome::Done, "Read") => {
            let lines = counted(u64::try_from(text.lines().count()).unwrap_or(0), "line", "lines");
            vec![Line::styled(format!("  ⎿ {lines}"), theme.quiet)]
        }
        (CallOutcome::Done, "Edit" | "Write" | "NotebookEdit") => {
            let path = call.input["file_path"].as_str().or_else(|| call.input["notebook_path"].as_str());
            let path = path.unwrap_or_default();
            let mut rows = changes(path, text, ctx);
            if let (false, Some(content)) = (text.contains("\n@@ "), call.input["content"].as_str()) {
                rows.extend(written(path, content, ctx));
            }
            rows
        }
        (CallOutcome::Done, "Agent") => report(text, ctx),
        (CallOutcome::Done, _) => self::text(text, theme.quiet, ctx),
        (CallOutcome::Interrupted, _) => self::text(text, theme.warning, ctx),
        (CallOutcome::Failed | CallOutcome::Refused, _) => failure(text, ctx),
    }
}

/// What went wrong, in its colour. Of a long output only the first line says that; the rest is what a program wrote.
fn failure(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = self::text(text, ctx.theme.bad, ctx);
    if text.lines().count() > SHORT {
        for row in rows.iter_mut().skip(1) {
            let spans = std::mem::take(&mut row.spans);
            row.spans = spans.into_iter().map(|span| span.style(ctx.theme.quiet)).collect();
        }
    }
    rows
}

/// The first rows of what an agent found.
fn report(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let found = markdown::rows(text, RenderContext { width: ctx.width.saturating_sub(4), ..ctx });
    let mut rows: Vec<Line<'static>> = Vec::new();
    for row in found {
        let lead = if rows.is_empty() { "  ⎿ " } else { "    " };
        let spans = row.spans.into_iter().map(|span| {
            let style = ctx.theme.quiet.patch(span.style);
            span.style(style)
        });
        rows.push(Line::from_iter(std::iter::once(Span::styled(lead, ctx.theme.quiet)).chain(spans)));
    }
    fold(rows, FOLD, 0, ctx)
}

fn indent(ctx: RenderContext) -> Indent {
    Indent { first: vec![Span::styled("  ⎿ ", ctx.theme.quiet)], rest: vec![Span::raw("    ")] }
}

/// What was said of a change, and the change.
fn changes(path: &str, text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let (said, diff) = match text.split_once("\n@@ ") {
        Some((said, diff)) => (said, format!("@@ {diff}")),
        None => (text, String::new()),
    };
    let said = sanitize(said);
    let mut rows: Vec<Line<'static>> = said
        .lines()
        .take(2)
        .flat_map(|line| wrap(&Line::styled(line.to_owned(), theme.quiet), ctx.width, &indent(ctx)))
        .collect();
    let most = lines_shown(diff.lines().count(), FOLD_DIFF);
    // What is folded away is not worth the work of showing it.
    let hidden = diff.lines().count() - most;
    let end = diff.match_indices('\n').nth(most.saturating_sub(1)).map_or(diff.len(), |(at, _)| at);
    let changed = diff::rows_of(path, &diff[..end], ctx.width.saturating_sub(4), theme);
    rows.extend(fold(indented(changed), FOLD_DIFF, hidden, ctx));
    rows
}

/// The first lines of a file that was not there before.
fn written(path: &str, content: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let all = content.lines().count();
    let most = lines_shown(all, FOLD);
    let first: String = content.lines().take(most).map(|line| format!("+{}\n", clipped(line))).collect();
    let diff = format!("@@ -0,0 +1 @@\n{first}");
    let rows = indented(diff::rows_of(path, &diff, ctx.width.saturating_sub(4), ctx.theme));
    fold(rows, FOLD, all - most, ctx)
}

fn indented(rows: Vec<Line<'static>>) -> Vec<Line<'static>> {
    let indent = |row: Line<'static>| {
        let style = row.style;
        Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(style)
    };
    rows.into_iter().map(indent).collect()
}

/// The first rows of a text, and how many there are besides.
pub(super) fn text(text: &str, style: Style, ctx: RenderContext) -> Vec<Line<'static>> {
    let text = sanitize(text);
    let (mut rows, mut hidden) = (Vec::new(), 0);
    for line in text.trim_end().lines() {
        if rows.len() > FOLD + 1 {
            // Only counted: what is folded away is not worth the work of showing it.
            hidden += rows_taken(line, ctx);
            continue;
        }
        let indent = if rows.is_empty() { indent(ctx) } else { Indent::all("    ") };
        let shown = clipped(line);
        let wrapped = wrap(&Line::styled(shown.to_owned(), style), ctx.width, &indent);
        if shown.len() < line.len() {
            hidden += rows_taken(line, ctx).saturating_sub(wrapped.len());
        }
        rows.extend(wrapped);
    }
    fold(rows, FOLD, hidden, ctx)
}

/// A line much longer than what is shown of it is not worth breaking.
fn clipped(line: &str) -> &str {
    const MOST: usize = 4_000;
    line.get(..line.floor_char_boundary(MOST)).unwrap_or(line)
}

/// How many rows a line takes, or a few less: where words break is not looked at.
pub(super) fn rows_taken(line: &str, ctx: RenderContext) -> usize {
    display_width(line).div_ceil(ctx.width.saturating_sub(4).max(2)).max(1)
}

/// The first `most` rows, and how many there are besides, with `hidden` ones that were not made. To say that there is one
/// more would take as much room as the row itself, so that one is shown.
pub(super) fn fold(
    mut rows: Vec<Line<'static>>,
    most: usize,
    hidden: usize,
    ctx: RenderContext,
) -> Vec<Line<'static>> {
    let besides = (rows.len() + hidden).saturating_sub(most);
    if besides > 1 {
        rows.truncate(most);
        rows.push(more(besides, ctx));
    }
    rows
}

/// Of so many lines, how many are made into rows to be folded.
fn lines_shown(all: usize, most: usize) -> usize {
    if all <= most + 1 { all } else { most }
}

/// That there is more, and which key shows it.
fn more(rows: usize, ctx: RenderContext) -> Line<'static> {
    let lines = counted(u64::try_from(rows).unwrap_or(0), "more line", "more lines");
    let forms = [format!("    … {lines} (Ctrl+O shows everything)"), format!("    … {lines} (Ctrl+O)")];
    let row = forms.into_iter().find(|it| display_width(it) <= ctx.width).unwrap_or_default();
    Line::styled(row, ctx.theme.quiet)
}
