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

/// The first lines of what an agent found.
fn report(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut found = markdown::rows(text, RenderContext { width: ctx.width.saturating_sub(4), ..ctx });
    let hidden = found.len().saturating_sub(FOLD);
    found.truncate(FOLD);
    let mut rows: Vec<Line<'static>> = Vec::new();
    for row in found {
        let lead = if rows.is_empty() { "  ⎿ " } else { "    " };
        let spans = row.spans.into_iter().map(|span| {
            let style = ctx.theme.quiet.patch(span.style);
            span.style(style)
        });
        rows.push(Line::from_iter(std::iter::once(Span::styled(lead, ctx.theme.quiet)).chain(spans)));
    }
    rows.extend(folded(hidden, ctx));
    rows
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
    // What is folded away is not worth the work of showing it.
    let hidden = diff.lines().count().saturating_sub(FOLD_DIFF);
    let end = diff.match_indices('\n').nth(FOLD_DIFF - 1).map_or(diff.len(), |(at, _)| at);
    let mut changed = diff::rows_of(path, &diff[..end], ctx.width.saturating_sub(4), theme);
    changed.truncate(2 * FOLD_DIFF);
    rows.extend(indented(changed));
    rows.extend(folded(hidden, ctx));
    rows
}

/// The first lines of a file that was not there before.
fn written(path: &str, content: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let first: String = content.lines().take(FOLD).map(|line| format!("+{}\n", clipped(line))).collect();
    let hidden = content.lines().count().saturating_sub(FOLD);
    let diff = format!("@@ -0,0 +1 @@\n{first}");
    let mut rows = indented(diff::rows_of(path, &diff, ctx.width.saturating_sub(4), ctx.theme));
    rows.extend(folded(hidden, ctx));
    rows
}

fn indented(rows: Vec<Line<'static>>) -> Vec<Line<'static>> {
    let indent = |row: Line<'static>| {
        let style = row.style;
        Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(style)
    };
    rows.into_iter().map(indent).collect()
}

/// The first rows of a text, and how many lines there are besides.
pub(super) fn text(text: &str, style: Style, ctx: RenderContext) -> Vec<Line<'static>> {
    let text = sanitize(text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = if at == 0 { indent(ctx) } else { Indent::all("    ") };
        let wrapped = wrap(&Line::styled(clipped(line).to_owned(), style), ctx.width, &indent);
        // A line is shown whole or not at all, unless it is the only one.
        if at > 0 && rows.len() + wrapped.len() > FOLD {
            rows.extend(folded(lines.len() - at, ctx));
            return rows;
        }
        rows.extend(wrapped);
    }
    if rows.len() > FOLD {
        rows.truncate(FOLD);
        rows.push(more("rest of this line", ctx));
    }
    rows
}

/// A line much longer than what is shown of it is not worth breaking.
fn clipped(line: &str) -> &str {
    const MOST: usize = 4_000;
    line.get(..line.floor_char_boundary(MOST)).unwrap_or(line)
}

fn folded(hidden: usize, ctx: RenderContext) -> Option<Line<'static>> {
    let lines = counted(u64::try_from(hidden).unwrap_or(0), "more line", "more lines");
    (hidden > 0).then(|| more(&lines, ctx))
}

/// That there is more, and which key shows it.
fn more(lines: &str, ctx: RenderContext) -> Line<'static> {
    let forms = [format!("    … {lines} (Ctrl+R shows everything)"), format!("    … {lines} (Ctrl+R)")];
    let row = forms.into_iter().find(|it| display_width(it) <= ctx.width).unwrap_or_default();
    Line::styled(row, ctx.theme.quiet)
}
