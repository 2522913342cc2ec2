//! Whether a pasted text is the path of a picture: terminals paste one when a file is dropped on them.

/// How the names of pictures end that models can see.
const ENDINGS: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];

/// The path, if the text is nothing but the path of a picture: as it is, in quotes, with blanks behind backslashes, or as
/// a `file://` address.
pub(crate) fn picture_path(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains('\n') {
        return None;
    }
    let path = match (unquoted(text), text.strip_prefix("file://")) {
        (Some(inner), _) => inner.to_owned(),
        (None, Some(rest)) => decoded(&rest[rest.find('/')?..])?,
        (None, None) => unescaped(text)?,
    };
    let lower = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.len() > ending.len() && lower.ends_with(ending)).then_some(path)
}

fn unquoted(text: &str) -> Option<&str> {
    let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\''))
}

/// Without backslashes before letters. Blanks without one make it a sentence, unless it begins as a path does.
fn unescaped(text: &str) -> Option<String> {
    let begins = text.starts_with('/') || text.starts_with("~/") || text.starts_with("./");
    let mut path = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => path.push(letters.next()?),
            ' ' if !begins => return None,
            other => path.push(other),
        }
    }
    Some(path)
}

/// Without percent signs.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_texts_that_are_paths_of_pictures() {
        for (text, path) in [
            ("/tmp/a.png", Some("/tmp/a.png")),
            (" /tmp/a.PNG\n", Some("/tmp/a.PNG")),
            ("'/tmp/a b.jpg'", Some("/tmp/a b.jpg")),
            ("\"~/a b.jpeg\"", Some("~/a b.jpeg")),
            ("/tmp/a\\ b\\(1\\).gif", Some("/tmp/a b(1).gif")),
            ("/tmp/a b.webp", Some("/tmp/a b.webp")),
            ("file:///tmp/a%20b.png", Some("/tmp/a b.png")),
            ("file://localhost/tmp/%C3%A9.png", Some("/tmp/é.png")),
            ("a.png", Some("a.png")),
            ("see a.png", None),
            ("/tmp/a.txt", None),
            (".png", None),
            ("/tmp/a.png\n/tmp/b.png", None),
            ("file:///tmp/%zz.png", None),
            ("", None),
        ] {
            assert_eq!(picture_path(text).as_deref(), path, "{text:?}");
        }
    }
}
