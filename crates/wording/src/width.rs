//! How wide words are on a screen.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a character takes.
pub fn columns(c: char) -> usize {
    match c {
        '\t' => 4,
        c => c.width().unwrap_or(0),
    }
}

/// The columns that a text takes.
pub fn measure(text: &str) -> usize {
    match text.contains('\t') {
        true => text.chars().map(columns).sum(),
        false => text.width(),
    }
}
