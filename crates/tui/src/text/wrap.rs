//! Breaks styled lines at words, so that each fits into the window.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What stands before each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Indent {
    /// Before the first.
    pub(crate) first: Vec<Span<'static>>,
    /// Before the others.
    pub(crate) rest: Vec<Span<'static>>,
}

impl Indent {
    /// The same before every row.
    pub(crate) fn all(span: impl Into<Span<'static>>) -> Self {
        let span = span.into();
        Self { first: vec![span.clone()], rest: vec![span] }
    }

    /// This before the first row, and blanks as wide before the others.
    pub(crate) fn first(span: impl Into<Span<'static>>) -> Self {
        let span = span.into();
        let blanks = Span::raw(" ".repeat(span.width()));
        Self { first: vec![span], rest: vec![blanks] }
    }
}

/// A grapheme, as one reads it, with its style.
struct Piece<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

/// The line as rows of at most `width` columns. Rows are broken at blanks, which go; a word longer than a row is broken
/// where it must be. Blanks at the beginning of the line stay.
pub(crate) fn wrap(line: &Line<'_>, width: usize, indent: &Indent) -> Vec<Line<'static>> {
    let mut pieces = Vec::with_capacity(line.spans.iter().map(|span| span.content.len()).sum());
    for span in &line.spans {
        push_pieces(&mut pieces, &span.content, line.style.patch(span.style));
    }
    let mut rows = Vec::new();
    let mut start = 0;
    loop {
        let before = if rows.is_empty() { &indent.first } else { &indent.rest };
        let taken: usize = before.iter().map(Span::width).sum();
        // Something fits in always, or this would not end.
        let room = width.saturating_sub(taken).max(2);
        let (end, next) = cut(&pieces[start..], room);
        rows.push(row(before, &pieces[start..start + end]));
        start += next;
        if start >= pieces.len() {
            return rows;
        }
    }
}

/// Adds the graphemes of a text. Most texts are plain letters, which need no tables to be told apart.
fn push_pieces<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str, style: Style) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        let letters = (0..text.len()).filter_map(|at| text.get(at..=at));
        pieces.extend(letters.map(|text| Piece { text, style, width: 1 }));
    } else {
        pieces.extend(text.graphemes(true).map(|text| Piece { text, style, width: text.width() }));
    }
}

/// How many pieces the next row has, and where the one after it begins.
fn cut(pieces: &[Piece<'_>], room: usize) -> (usize, usize) {
    let (mut used, mut word) = (0, None);
    for (at, piece) in pieces.iter().enumerate() {
        if used + piece.width > room {
            return match word {
                _ if is_blank(piece) => (before_blanks(pieces, at), behind_blanks(pieces, at)),
                Some((end, next)) => (end, next),
                None => (at.max(1), at.max(1)),
            };
        }
        used += piece.width;
        // Blanks at the beginning are no place to break.
        let blanks_only = word.is_none() && pieces[..at].iter().all(is_blank);
        if is_blank(piece) && !blanks_only {
            let end = word.filter(|(_, next)| *next == at).map_or(at, |(end, _)| end);
            word = Some((end, at + 1));
        }
    }
    (pieces.len(), pieces.len())
}

/// Blanks before the break go too, unless there is nothing else.
fn before_blanks(pieces: &[Piece<'_>], at: usize) -> usize {
    pieces[..at].iter().rposition(|piece| !is_blank(piece)).map_or(at, |last| last + 1)
}

fn behind_blanks(pieces: &[Piece<'_>], at: usize) -> usize {
    at + pieces[at..].iter().take_while(|piece| is_blank(piece)).count()
}

fn is_blank(piece: &Piece<'_>) -> bool {
    piece.text == " "
}

fn row(before: &[Span<'static>], pieces: &[Piece<'_>]) -> Line<'static> {
    let mut spans = before.to_vec();
    for run in pieces.chunk_by(|a, b| a.style == b.style) {
        let text: String = run.iter().map(|piece| piece.text).collect();
        spans.push(Span::styled(text, run[0].style));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui_core::style::Stylize;

    fn rows(text: &str, width: usize, indent: &Indent) -> Vec<String> {
        wrap(&Line::from(text), width, indent).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rows_are_broken_at_words() {
        let none = Indent::default();
        assert_eq!(rows("the quick brown fox", 10, &none), ["the quick", "brown fox"]);
        assert_eq!(rows("the quick", 9, &none), ["the quick"]);
        assert_eq!(rows("  indented text here", 10, &none), ["  indented", "text here"]);
        assert_eq!(rows("abcdefghijkl", 5, &none), ["abcde", "fghij", "kl"]);
        assert_eq!(rows("a  b   c", 3, &none), ["a", "b", "c"]);
        assert_eq!(rows("漢字漢字 漢字", 5, &none), ["漢字", "漢字", "漢字"]);
        assert_eq!(rows("", 5, &none), [""]);
        assert_eq!(rows("one two three", 9, &Indent::first("- ")), ["- one two", "  three"]);
        assert_eq!(rows("one two three", 9, &Indent::all("> ")), ["> one two", "> three"]);
        assert_eq!(rows("abc", 1, &Indent::all("> ")), ["> ab", "> c"]);
    }

    #[test]
    fn styles_stay_with_their_words() {
        let line = Line::from(vec!["one ".into(), "two three".bold()]);
        let rows = wrap(&line, 7, &Indent::default());
        assert_eq!(rows, [Line::from(vec!["one ".into(), "two".bold()]), Line::from("three".bold())]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_everything_fits(text in "([a-z]| |漢|é|🙂){0,60}", width in 4usize..20) {
            let rows = rows(&text, width, &Indent::default());
            prop_assert!(rows.iter().all(|row| row.width() <= width), "{rows:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&rows.concat()), letters(&text));
        }
    }
}
