//! A regular expression, ready to search with; or words about what is wrong with it.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::output::shorten;
use crate::typed::ToolFailure;

/// Bytes of a pattern.
const MAX_PATTERN: usize = 32 * 1024;
/// Bytes of a compiled pattern: repetitions of repetitions grow beyond all measure.
const MAX_COMPILED: usize = 10 * 1024 * 1024;
/// Bytes a worker may use to remember how far a pattern has matched.
const MAX_CACHE: usize = 64 * 1024 * 1024;

/// Makes a matcher of a pattern.
pub(crate) fn matcher(
    pattern: &str,
    ignore_case: bool,
    multiline: bool,
) -> Result<RegexMatcher, ToolFailure> {
    if pattern.len() > MAX_PATTERN {
        return Err(ToolFailure::new(format!(
            "`pattern` is too long: {} bytes\nSend a shorter one, or several calls",
            pattern.len()
        )));
    }
    build(pattern, ignore_case, multiline).map_err(|error| explain(pattern, &error))
}

fn build(pattern: &str, ignore_case: bool, multiline: bool) -> Result<RegexMatcher, Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(ignore_case)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_CACHE)
        .line_terminator(Some(b'\n'));
    // `$` is to match before `\r\n` too. Only then: a pattern could not ask for `\r` any more.
    if pattern.contains('$') && !pattern.contains("\\r") && !pattern.contains('\r') {
        builder.crlf(true);
    }
    if multiline {
        builder.dot_matches_new_line(true).line_terminator(None);
    }
    builder.build(pattern)
}

/// What is wrong, and what to write instead.
fn explain(pattern: &str, error: &Error) -> ToolFailure {
    let text = error.to_string();
    let backslashes = pattern.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let (what, hint) = if matches!(error.kind(), ErrorKind::NotAllowed(_)) {
        ("it spans lines", "Set `multiline` to true, which lets a pattern match across lines".to_owned())
    } else if backslashes % 2 == 1 {
        ("it ends with a `\\`, which escapes nothing", hint(pattern, &text))
    } else {
        // The lines before show the pattern with additions that nobody sent.
        (text.rsplit("error: ").next().unwrap_or(&text), hint(pattern, &text))
    };
    ToolFailure::new(format!("`pattern` is not valid: {}\n{hint}", shorten(what.trim(), 500)))
}

fn hint(pattern: &str, error: &str) -> String {
    if error.contains("size limit") || error.contains("nest") {
        return "It is too large once all its repetitions are expanded\n\
                Use smaller numbers in `{…}`, or `+` and `*`"
            .to_owned();
    }
    if error.contains("look-around") || error.contains("backreferences") {
        return "Search for a simpler pattern that matches more, or use Bash with `grep -P`".to_owned();
    }
    let plain = shorten(&escaped(pattern), 500);
    format!("To search for these characters literally, escape the special ones: `{plain}`")
}

/// The pattern that matches just this text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if r"\.+*?()|[]{}^$".contains(char) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher;

    use super::*;

    fn finds(pattern: &str, text: &str) -> bool {
        matcher(pattern, false, false).unwrap().is_match(text.as_bytes()).unwrap()
    }

    #[test]
    fn bad_patterns_say_how_to_write_them() {
        for (pattern, parts) in [
            ("interface{", ["repetition", r"`interface\{`"]),
            ("interface{}", ["repetition", r"`interface\{\}`"]),
            ("foo(", ["unclosed group", r"`foo\(`"]),
            ("[a", ["unclosed character class", r"`\[a`"]),
            ("*a", ["repetition operator missing", r"`\*a`"]),
            ("a\\", ["escapes nothing", r"`a\\`"]),
            (r"(?=a)", ["look-around", "grep -P"]),
            (r"(a)\1", ["backreferences", "grep -P"]),
            ("a\nb", ["spans lines", "`multiline`"]),
            (r"a\nb", ["spans lines", "`multiline`"]),
            (r"(\w{100}){1000}", ["size limit", "smaller numbers"]),
        ] {
            let text = matcher(pattern, false, false).unwrap_err().text;
            assert!(parts.iter().all(|part| text.contains(part)), "{pattern}: {text}");
        }
    }

    #[test]
    fn bombs_are_refused_soon() {
        for bomb in [
            "(".repeat(20_000) + &")".repeat(10_000),
            "(".repeat(10_000) + &")".repeat(10_000),
            "a{1000}{1000}{1000}".to_owned(),
            "(((((a{50}){50}){50}){50}){50})".to_owned(),
            "x".repeat(40_000),
        ] {
            let text = matcher(&bomb, true, true).unwrap_err().text;
            assert!(text.len() < 2000, "{text}");
        }
        // Slow where patterns are tried by going back; here the text is just read through.
        assert!(!finds("(a|aa)+$", &("a".repeat(100_000) + "b")));
        assert!(!finds("^(a+)+$", &("a".repeat(100_000) + "b")));
    }

    #[test]
    fn the_end_of_a_line_is_before_its_ending() {
        assert!(finds("foo$", "foo\r\n") && finds("foo$", "foo\n") && finds("foo$", "foo"));
        assert!(finds(r"foo\r$", "foo\r\n") && finds(r"^$", "a\r\n\r\n"));
    }

    #[test]
    fn the_escaped_form_means_the_text() {
        for text in ["interface{}", "a.b*c?", r"C:\dir", "(x|y)[0]^$", "plain"] {
            assert!(finds(&escaped(text), text), "{text}");
        }
    }
}
