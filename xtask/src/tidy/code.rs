//! Rust text without its comments, strings and characters, so that a rule about code is not broken
//! by a sentence about it.

/// The code alone, line for line: what is taken out leaves a blank, line ends stay.
pub(super) fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| string(rest, &out)).or_else(|| character(rest));
        let taken = skipped.unwrap_or(first.len_utf8()).clamp(1, rest.len());
        let (part, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        if skipped.is_some() {
            out.push(' ');
            out.extend(part.chars().filter(|char| *char == '\n'));
        } else {
            out.push_str(part);
        }
        rest = after;
    }
    out
}

/// The length of a comment that begins here.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    Some(text.len())
}

/// The length of a string that begins here, raw or not. `before` tells `r"` from the end of a word.
fn string(text: &str, before: &str) -> Option<usize> {
    if text.starts_with('"') {
        return Some(quoted(text, '"'));
    }
    if before.ends_with(|char: char| char.is_alphanumeric() || char == '_') {
        return None;
    }
    let after = ["br", "cr", "r"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inner = after.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inner.len();
    Some(inner.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// The length of a character that begins here; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if inner.starts_with('\\') {
        return Some(quoted(text, '\''));
    }
    let first = inner.chars().next()?;
    inner.get(first.len_utf8()..)?.starts_with('\'').then_some(first.len_utf8() + 2)
}

/// The length up to the closing quote, which a backslash hides.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return at + char.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Whether a word stands in code, as a word of its own.
pub(super) fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |char: char| char.is_alphanumeric() || char == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_go_and_code_stays() {
        for (text, expected) in [
            ("a // b\nc", "a  \nc"),
            ("a /* b /* c */ d\n */ e", "a  \n e"),
            (r#"f("x \" y") + 1"#, "f( ) + 1"),
            (r##"f(r#"x " y"#) + 1"##, "f( ) + 1"),
            (r#"for x in r"z" {}"#, "for x in   {}"),
            (r#"bar"z""#, "bar "),
            ("'a' 'ä' '\\'' &'a str", "      &'a str"),
            ("\"open", " "),
            ("/* open", " "),
            ("let 'a", "let 'a"),
            ("a / b", "a / b"),
        ] {
            assert_eq!(code_only(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "a\n\"x\ny\"\n/* z\n */ b\n";
        assert_eq!(code_only(text).matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("unsafe {", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
        assert!(!has_word("an_unsafe", "unsafe"));
        assert!(has_word("use tokio::fs;", "tokio"));
    }
}
