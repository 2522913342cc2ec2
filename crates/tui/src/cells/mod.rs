//! What is finished, as rows: each kind of thing that happens has its look.

mod call;
mod editor;
mod plan;
mod rehearsal;
mod result;
mod shown;

use forelook_protocol::{
    FilesAttached, Notice, NoticeLevel, PlanEditor, PlanReply, PlanReviewed, RehearsalApplied, ToolCall,
    UserShellEnded,
};
use forelook_view::CallOutcome;
use forelook_wording::{AttachedLine, attached_lines};
use jiff::Timestamp;
use ratatui_core::text::{Line, Span};

use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

pub(crate) use rehearsal::rows as rehearsal_rows;
#[cfg(test)]
pub(crate) use rehearsal::sample as rehearsal_sample;

/// Rows of a prompt that are shown before it folds.
const PROMPT_ROWS: usize = 20;

/// Something that is finished.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// What the person said.
    Prompt(String),
    /// The files that a prompt named.
    Attached(FilesAttached),
    /// Rows of an answer, made while it came.
    Answer { rows: Vec<Line<'static>>, begins: bool },
    /// A call and what came of it.
    Call { call: ToolCall, text: String, outcome: CallOutcome },
    /// A line of the person's own for the shell, and what came of it.
    Shell(UserShellEnded),
    /// Something to know.
    Notice(Notice),
    /// A plan that was answered.
    Plan(Box<PlanReviewed>),
    /// Something about plans that the person asked for at this time.
    Shown { shown: Box<PlanReply>, now: Timestamp },
    /// How far the person's editor is with the plan.
    Editor(Box<PlanEditor>),
    /// What was made of a rehearsal.
    Applied(Box<RehearsalApplied>),
    /// Rows as they are.
    Rows(Vec<Line<'static>>),
}

impl Cell {
    /// Its rows. A blank one stands before it, unless it goes on with the one before.
    pub(crate) fn rows(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = match self {
            Cell::Answer { begins: false, .. } | Cell::Attached(_) => Vec::new(),
            _ => vec![Line::default()],
        };
        match self {
            Cell::Prompt(text) => rows.extend(prompt(text, ctx)),
            Cell::Attached(attached) => rows.extend(self::attached(attached, ctx)),
            Cell::Answer { rows: answer, begins } => rows.extend(marked(answer, *begins)),
            Cell::Call { call, text, outcome } => rows.extend(call::rows(call, text, *outcome, ctx)),
            Cell::Shell(shell) => rows.extend(call::shell(shell, ctx)),
            Cell::Notice(notice) => rows.extend(self::notice(notice, ctx)),
            Cell::Plan(reviewed) => rows.extend(plan::rows(reviewed, ctx)),
            Cell::Shown { shown, now } => rows.extend(shown::rows(shown, *now, ctx)),
            Cell::Editor(editor) => rows.extend(editor::rows(editor, ctx)),
            Cell::Applied(applied) => rows.extend(rehearsal::applied(applied, ctx)),
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

/// Whoever wrote it knows it: of a long one the beginning says which one it was.
fn prompt(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let text = sanitize(text);
    let (mut rows, mut hidden) = (Vec::new(), 0);
    for (at, line) in text.lines().enumerate() {
        if rows.len() > PROMPT_ROWS + 1 {
            hidden += result::rows_taken(line, ctx);
            continue;
        }
        let indent = if at == 0 { Indent::first("> ") } else { Indent::all("  ") };
        rows.extend(wrap(&Line::styled(line.to_owned(), ctx.theme.person), ctx.width, &indent));
    }
    result::fold(rows, PROMPT_ROWS, hidden, ctx)
}

/// What became of the files that a prompt named, below it.
pub(crate) fn attached(attached: &FilesAttached, ctx: RenderContext) -> Vec<Line<'static>> {
    let row = |line: AttachedLine| {
        let (text, style) = match line {
            AttachedLine::Attached(text) | AttachedLine::Missing(text) => (text, ctx.theme.quiet),
            AttachedLine::Refused(text) => (text, ctx.theme.warning),
        };
        let text = sanitize(&text).replace('\n', " ");
        wrap(&Line::styled(text, style), ctx.width, &Indent::first(Span::styled("  ⎿ ", ctx.theme.quiet)))
    };
    attached_lines(attached).into_iter().flat_map(row).collect()
}

fn notice(notice: &Notice, ctx: RenderContext) -> Vec<Line<'static>> {
    let (mark, style) = match notice.level {
        NoticeLevel::Info => ("  ", ctx.theme.quiet),
        NoticeLevel::Warning => ("! ", ctx.theme.warning),
        NoticeLevel::Error => ("✗ ", ctx.theme.bad),
    };
    let text = sanitize(&notice.text);
    let row = |line: &str| {
        wrap(&Line::styled(line.to_owned(), style), ctx.width, &Indent::first(Span::styled(mark, style)))
    };
    text.lines().flat_map(row).collect()
}

#[cfg(test)]
mod tests;
