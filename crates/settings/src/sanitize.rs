//! Foreign text made fit to be shown: names in a project's file are a stranger's words, and a
//! terminal obeys what it is sent.

use forelook_protocol::AbsPath;

/// At most this many characters of a name are repeated in a message.
const MAX_LENGTH: usize = 80;

/// At most this many characters of a sentence that quotes foreign text.
const MAX_SENTENCE_LENGTH: usize = 400;

/// A foreign text without control characters, cut when long.
pub(crate) fn sanitized(text: &str) -> String {
    cut(text, MAX_LENGTH)
}

/// The same for what a person is to judge: never cut, or the end could be what they would not agree to.
pub(crate) fn sanitized_item(text: &str) -> String {
    escaped(text.chars())
}

/// A sentence of ours that quotes foreign text, made to follow a colon.
pub(crate) fn sanitized_sentence(sentence: &str) -> String {
    if sentence.starts_with("Forelook") {
        return cut(sentence, MAX_SENTENCE_LENGTH);
    }
    let mut letters = sentence.chars();
    let lower = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters);
    cut(&lower.collect::<String>(), MAX_SENTENCE_LENGTH)
}

fn cut(text: &str, longest: usize) -> String {
    let mut out = escaped(text.chars().take(longest));
    if text.chars().nth(longest).is_some() {
        out.push('…');
    }
    out
}

/// A path without control characters; never cut, because a person must find the file.
pub(crate) fn sanitized_path(path: &AbsPath) -> String {
    escaped(path.to_string().chars())
}

fn escaped(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for char in chars {
        // Direction marks and other invisible characters let a name look like another one.
        if char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            out.extend(char.escape_default());
        } else {
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(sanitized("a\u{1b}[2Jb\nc\u{202e}d"), "a\\u{1b}[2Jb\\nc\\u{202e}d");
        assert_eq!(sanitized("käse"), "käse");
        assert_eq!(sanitized(&"x".repeat(100)), format!("{}…", "x".repeat(80)));
        assert_eq!(sanitized(&"x".repeat(80)), "x".repeat(80));
    }
}
