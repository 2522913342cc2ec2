//! Lines that are too long, broken where that reads well.

use forelook_wording::{char_width, display_width};

/// Breaks a line into pieces of at most `width` columns, at spaces where there are any. Nothing is lost but the
/// space at a break.
pub(crate) fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(end) = overflow(rest, width) {
        // The space may stand just behind the last column. One that only indents is no place to break.
        let space = if rest[end..].starts_with(' ') { Some(end) } else { rest[..end].rfind(' ') };
        let space = space.filter(|&at| !rest[..at].trim().is_empty());
        let (piece, next) = match space {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => rest.split_at(end),
        };
        pieces.push(piece.to_owned());
        rest = next;
    }
    pieces.push(rest.to_owned());
    pieces
}

/// Breaks a line at spaces so that each piece begins below the first one's words. A word that fits on no line has one of its
/// own and stays whole: a terminal that breaks it lets a path or an address be copied.
pub(crate) fn fold(line: &str, width: usize) -> Vec<String> {
    let body = line.trim_start_matches(' ');
    let indent = &line[..line.len() - body.len()];
    let room = width.saturating_sub(indent.len());
    if display_width(line) <= width {
        return vec![line.to_owned()];
    }
    let mut pieces: Vec<String> = Vec::new();
    for word in body.split(' ') {
        match pieces.last_mut().filter(|piece| display_width(piece) + 1 + display_width(word) <= room) {
            Some(piece) => *piece = format!("{piece} {word}"),
            None => pieces.push(word.to_owned()),
        }
    }
    pieces.iter().map(|piece| format!("{indent}{piece}")).collect()
}

/// Where the first character stands that does not fit; never the first one, so that each piece has something.
fn overflow(line: &str, width: usize) -> Option<usize> {
    let mut used = 0;
    line.char_indices().find_map(|(at, c)| {
        used += char_width(c);
        (used > width && at > 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_spaces() {
        for (line, width, expected) in [
            ("", 5, vec![""]),
            ("short", 5, vec!["short"]),
            ("two words", 5, vec!["two", "words"]),
            ("two words", 4, vec!["two", "word", "s"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("  - indented item", 10, vec!["  -", "indented", "item"]),
            ("日本語テキスト", 4, vec!["日本", "語テ", "キス", "ト"]),
        ] {
            assert_eq!(wrap(line, width), expected, "{line:?} at {width}");
        }
    }

    #[test]
    fn folded_lines_keep_their_indent_and_long_words() {
        for (line, expected) in [
            ("  two words", vec!["  two words"]),
            ("  three more words", vec!["  three more", "  words"]),
            ("in /a/long/path", vec!["in", "/a/long/path"]),
            ("  see /a/long/path", vec!["  see", "  /a/long/path"]),
            ("and see /a/very/long/path, or it", vec!["and see", "/a/very/long/path,", "or it"]),
            ("日本語 テキスト", vec!["日本語", "テキスト"]),
        ] {
            assert_eq!(fold(line, 12), expected, "{line:?}");
        }
    }
}
