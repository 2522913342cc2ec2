//! Shortens and formats text for display.

/// The start of a text, with a note about how much was cut.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… [+{} characters]", &text[..end], text[end..].chars().count()),
    }
}

/// The end of a text, in at most so many bytes.
pub fn end_of(text: &str, max_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
}

/// The text with its first letter in uppercase.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A text of at most about `room` bytes: of one that is longer, its beginning and its end.
pub fn shorten_middle(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(room / 3 * 2);
    let tail = text.ceil_char_boundary(text.len() - room / 3);
    format!("{}\n[... {} bytes left out ...]\n{}", &text[..head], tail - head, &text[tail..])
}
