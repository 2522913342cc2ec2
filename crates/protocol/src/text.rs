//! Text made to fit where it is read.

/// The beginning of a text, with a note of what was cut.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… [+{} characters]", &text[..end], text[end..].chars().count()),
    }
}

/// The same with a capital letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
