//! Cuts a text that is too long for one row.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The text in at most so many columns, with a sign if there was more.
pub(crate) fn fitted(text: &str, columns: usize) -> String {
    // A letter takes a column or two, seldom none: what is much longer need not be measured.
    if text.len() <= columns.saturating_mul(8) && text.width() <= columns {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for letter in text.graphemes(true) {
        used += letter.width();
        if used + 1 > columns {
            break;
        }
        out.push_str(letter);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_with_a_sign() {
        for (text, columns, expected) in [
            ("words", 5, "words"),
            ("words", 4, "wor…"),
            ("漢字漢字", 8, "漢字漢字"),
            ("漢字漢字", 6, "漢字…"),
            ("漢字", 1, "…"),
            ("x", 0, ""),
            ("", 0, ""),
        ] {
            assert_eq!(fitted(text, columns), expected, "{text} {columns}");
        }
        assert_eq!(fitted(&"x".repeat(1000), 3), "xx…");
    }
}
