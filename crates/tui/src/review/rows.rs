//! Rows of the text under review, and of the comments among them.

use forelook_view::review::{Comment, CommentState, Comments};
use forelook_wording::visible;
use ratatui_core::text::{Line, Span};

use crate::markdown::{Look, Placed};
use crate::text::{Hang, harmless, wrap};

/// A row: of the text, or of the comment with this number.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) row: Line<'static>,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) comment: Option<usize>,
}

/// Comments stand below the lines they are about; those on lines before the first that is shown stand above it.
pub(super) fn with_comments(base: &[Placed], comments: &Comments, look: Look, gutter: usize) -> Vec<Row> {
    let look = Look { width: look.width.saturating_sub(gutter), ..look };
    let mut below: Vec<(usize, &Comment)> = comments.iter().enumerate().collect();
    below.sort_by_key(|(number, it)| (it.comment.last, *number));
    let mut below = below.into_iter().peekable();
    let mut rows = Vec::with_capacity(base.len());
    for (at, Placed { row, first, last }) in base.iter().enumerate() {
        while let Some((number, it)) = below.next_if(|(_, it)| it.comment.last < *first) {
            let beside = rows.last().map_or((*first, *first), place);
            rows.extend(rows_of(number, it, beside, look));
        }
        rows.push(Row { row: row.clone(), first: *first, last: *last, comment: None });
        if at + 1 == base.len() {
            below.by_ref().for_each(|(number, it)| rows.extend(rows_of(number, it, (*first, *last), look)));
        }
    }
    rows
}

fn place(row: &Row) -> (usize, usize) {
    (row.first, row.last)
}

fn rows_of(number: usize, it: &Comment, (first, last): (usize, usize), look: Look) -> Vec<Row> {
    let row = |row| Row { row, first, last, comment: Some(number) };
    comment_rows(it, look).into_iter().map(row).collect()
}

/// A comment with what became of it.
pub(super) fn comment_rows(comment: &Comment, look: Look) -> Vec<Line<'static>> {
    let (state, style) = match comment.state {
        CommentState::New => ("new", look.theme.warning),
        CommentState::StillOpen => ("still open", look.theme.bad),
        CommentState::Addressed => ("addressed", look.theme.good),
    };
    let head =
        format!("{state}, {}: ", forelook_wording::line_range(comment.comment.first, comment.comment.last));
    let text = visible(&comment.comment.text).into_owned();
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let head = if at == 0 { head.as_str() } else { "" };
        let line =
            Line::from(vec![Span::styled(head.to_owned(), style), Span::raw(harmless(line).into_owned())]);
        let hang = if at == 0 { Hang::first(Span::styled("╰ ", style)) } else { Hang::all("  ") };
        rows.extend(wrap(&line, look.width, &hang));
    }
    rows
}
