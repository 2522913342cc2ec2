//! Where the rows of a line come from.

use std::ops::Range;

use ratatui_core::text::{Line, Span};

use crate::text::Indent;

/// Where the rows of a line come from, by counting letters: blanks are the only thing that wrapping takes away.
pub(super) fn source_ranges(
    line: &Line<'_>,
    parts: &[Range<usize>],
    rows: &[Line<'_>],
    indent: &Indent,
) -> Vec<Option<Range<usize>>> {
    let letters = |span: &Span<'_>| span.content.chars().filter(|c| *c != ' ').count();
    let ends: Vec<usize> = line
        .spans
        .iter()
        .scan(0, |sum, span| {
            *sum += letters(span);
            Some(*sum)
        })
        .collect();
    let part = |letter: usize| parts.get(ends.partition_point(|end| *end <= letter)).or(parts.last());
    let mut seen = 0;
    let mut places = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let lead = if at == 0 { indent.first.len() } else { indent.rest.len() };
        let count: usize = row.spans.iter().skip(lead).map(letters).sum();
        let (first, last) = (part(seen), part((seen + count).saturating_sub(1).max(seen)));
        places.push(first.zip(last).map(|(first, last)| first.start..last.end.max(first.start)));
        seen += count;
    }
    places
}
