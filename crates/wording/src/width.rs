//! How wide words are on a screen.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a character takes.
pub fn char_width(c: char) -> usize {
    match c {
        '\t' => 4,
        c => c.width().unwrap_or(0),
    }
}

/// The columns that a text takes.
pub fn display_width(text: &str) -> usize {
    match text.contains('\t') {
        true => text.chars().map(char_width).sum(),
        false => text.width(),
    }
}

/// The beginning of a text that fits into so many columns, with a sign if there is more.
pub fn truncate_columns(text: &str, room: usize) -> String {
    if display_width(text) <= room {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += char_width(c);
        if used + 1 > room {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        for (text, room, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 4, "漢…"),
            ("", 0, ""),
        ] {
            assert_eq!(truncate_columns(text, room), expected, "{text}");
        }
    }
}
