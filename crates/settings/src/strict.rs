//! JSON with comments, and nothing looser: what the parser is told, and what it overlooks all the same.
//!
//! It takes every blank of Unicode for a blank and lets any character stand in a text. Both are looked for in its own
//! tokens, so that there is no second opinion on where a text or a comment ends.

use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseOptions, Scanner, ScannerOptions};

/// What JSON does not have, and where it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxViolation {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Comments are the one thing allowed beyond JSON.
pub(crate) fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn strict_scanner(text: &str) -> Scanner<'_> {
    let options = ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    Scanner::new(text, &options)
}

/// The first thing that the parser would overlook, up to where it cannot read on.
pub(crate) fn first_violation(text: &str) -> Option<SyntaxViolation> {
    let mut scanner = strict_scanner(text);
    let mut end = 0;
    loop {
        let token = scanner.scan();
        let start = scanner.token_start();
        if let Some(violation) = bad_whitespace(text, end, start) {
            return Some(violation);
        }
        end = scanner.token_end();
        // What the scanner refuses, the parser refuses too, and says why.
        let violation = match token.ok()?? {
            Token::String(_) => bad_string_char(text, start, end),
            Token::CommentLine(_) => bad_end(text, end),
            _ => None,
        };
        if violation.is_some() {
            return violation;
        }
    }
}

fn bad_whitespace(text: &str, from: usize, to: usize) -> Option<SyntaxViolation> {
    let (at, blank) =
        text.get(from..to)?.char_indices().find(|(_, char)| !matches!(char, ' ' | '\t' | '\r' | '\n'))?;
    let what = format!("U+{:04X} is not valid whitespace; use a space instead", u32::from(blank));
    Some(SyntaxViolation { at: from + at, what })
}

fn bad_string_char(text: &str, from: usize, to: usize) -> Option<SyntaxViolation> {
    let (at, control) = text.get(from..to)?.char_indices().find(|(_, char)| *char < ' ')?;
    let what = match control {
        '\n' | '\r' => {
            "the line ends inside a string; close it with `\"`, or write the line break as `\\n`".to_owned()
        }
        '\t' => "a tab inside a string; write it as `\\t`".to_owned(),
        other => {
            let code = u32::from(other);
            format!("U+{code:04X} inside a string; remove it, or write it as `\\u{code:04x}`")
        }
    };
    Some(SyntaxViolation { at: from + at, what })
}

/// A carriage return alone: to some programs the comment ends with it, and to others what follows is hidden in it.
fn bad_end(text: &str, end: usize) -> Option<SyntaxViolation> {
    let rest = text.get(end..)?;
    let alone = rest.starts_with('\r') && !rest.starts_with("\r\n");
    alone.then(|| SyntaxViolation {
        at: end,
        what: "not every parser ends a comment at a lone carriage return; end the line with a line feed"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Option<(usize, String)> {
        first_violation(text).map(|violation| (violation.at, violation.what))
    }

    #[test]
    fn what_json_does_not_have_is_found_where_it_stands() {
        for (text, at, what) in [
            ("{\"a\":\u{b}1}", 5, "U+000B is not valid whitespace"),
            ("\u{c}{}", 0, "U+000C is not valid whitespace"),
            ("{}\u{a0}", 2, "U+00A0 is not valid whitespace"),
            ("// \u{a0}\n\u{3000}{}", 6, "U+3000 is not valid whitespace"),
            ("{\u{2028}}", 1, "U+2028 is not valid whitespace"),
            ("{\"a\tb\": 1}", 3, "write it as `\\t`"),
            ("{\"a\": \"\\\\\u{1}\"}", 9, "write it as `\\u0001`"),
            ("{\"a\": \"b\n}", 0, ""),
            ("{\"a\": \"b,\n\"c\": 1}", 9, "close it with `\"`"),
            ("{\"a\": \"b\r\nc\"}", 8, "close it with `\"`"),
            ("// a\r{}", 4, "not every parser"),
            ("{} // a\r", 7, "not every parser"),
            // Up to what the scanner refuses, and no further.
            ("{\u{b}@ \u{c}}", 1, "U+000B is not valid whitespace"),
            ("{@ \u{c}}", 0, ""),
        ] {
            match found(text) {
                Some((place, words)) => assert!(place == at && words.contains(what), "{text:?}: {words}"),
                None => assert_eq!(what, "", "{text:?}"),
            }
        }
    }

    #[test]
    fn what_json_and_comments_do_have_is_not_odd() {
        for text in [
            "",
            " \t\r\n",
            "{}\r{}\r",
            "// a\u{b}\u{1}\tb\r\n/* \u{1}\u{a0}\r */{}",
            "{\"a\u{7f}\u{85}\u{a0}\u{2028}\": \"\\t\\u0001\\\"\"}",
        ] {
            assert_eq!(found(text), None, "{text:?}");
        }
    }

    proptest! {
        /// Without comments it is JSON itself, as another parser reads it.
        #[test]
        fn what_is_read_is_json(
            blank in "[ \t\r\n\u{b}\u{c}\u{a0}]{0,2}",
            inner in "[a\\\\nu01\t\u{1}\n\u{7f}\"]{0,6}",
            number in "[-+.0-9eE]{1,5}",
            rest in "[{}\\[\\]\",:1/ ]{0,3}",
        ) {
            let text = format!("{{\"k\":{blank}[\"{inner}\",{number}]{blank}{rest}}}{blank}");
            prop_assume!(!text.contains("//") && !text.contains("/*"));
            let read = first_violation(&text).is_none()
                && jsonc_parser::parse_to_ast(&text, &Default::default(), &strict()).is_ok();
            prop_assert_eq!(read, serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok());
        }
    }
}
