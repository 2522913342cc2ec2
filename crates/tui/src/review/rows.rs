//! Rows of the text under review, and of the comments among them.

use forelook_protocol::CommentState;
use forelook_view::review::{Comment, Comments};
use forelook_wording::visible;
use ratatui_core::text::{Line, Span};

use crate::markdown::{RenderContext, SourceRow};
use crate::text::{Indent, sanitize, wrap};

/// A row: of the text, or of the comment with this number.
#[derive(Debug)]
pub(super) struct ReviewRow {
    pub(super) row: Line<'static>,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) comment: Option<usize>,
}

/// Comments stand below the lines they are about; those on lines before the first that is shown stand above it.
pub(super) fn with_comments(
    base: &[SourceRow],
    comments: &Comments,
    ctx: RenderContext,
    gutter: usize,
) -> Vec<ReviewRow> {
    let ctx = RenderContext { width: ctx.width.saturating_sub(gutter), ..ctx };
    let mut below: Vec<(usize, &Comment)> = comments.iter().enumerate().collect();
    below.sort_by_key(|(number, it)| (it.comment.last, *number));
    let mut below = below.into_iter().peekable();
    let mut rows = Vec::with_capacity(base.len());
    for (at, SourceRow { row, first, last }) in base.iter().enumerate() {
        while let Some((number, it)) = below.next_if(|(_, it)| it.comment.last < *first) {
            let beside = rows.last().map_or((*first, *first), place);
            rows.extend(rows_of(number, it, beside, ctx));
        }
        rows.push(ReviewRow { row: row.clone(), first: *first, last: *last, comment: None });
        if at + 1 == base.len() {
            below.by_ref().for_each(|(number, it)| rows.extend(rows_of(number, it, (*first, *last), ctx)));
        }
    }
    rows
}

fn place(row: &ReviewRow) -> (usize, usize) {
    (row.first, row.last)
}

fn rows_of(number: usize, it: &Comment, (first, last): (usize, usize), ctx: RenderContext) -> Vec<ReviewRow> {
    let row = |row| ReviewRow { row, first, last, comment: Some(number) };
    comment_rows(it, ctx).into_iter().map(row).collect()
}

/// A comment with what became of it.
pub(super) fn comment_rows(comment: &Comment, ctx: RenderContext) -> Vec<Line<'static>> {
    let (state, style) = match comment.state {
        CommentState::New => ("new", ctx.theme.warning),
        CommentState::StillOpen => ("still open", ctx.theme.bad),
        CommentState::Addressed => ("addressed", ctx.theme.good),
    };
    let head =
        format!("{state}, {}: ", forelook_wording::line_range(comment.comment.first, comment.comment.last));
    let text = visible(&comment.comment.text).into_owned();
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let head = if at == 0 { head.as_str() } else { "" };
        let line =
            Line::from(vec![Span::styled(head.to_owned(), style), Span::raw(sanitize(line).into_owned())]);
        let indent = if at == 0 { Indent::first(Span::styled("╰ ", style)) } else { Indent::all("  ") };
        rows.extend(wrap(&line, ctx.width, &indent));
    }
    rows
}
