//! Half characters: some programs cut a text between the two escapes of one character, and JSON knows no half ones.

use std::borrow::Cow;

/// As it stands in JSON: what is read where a character should be and is none.
const REPLACEMENT: &str = r"\ufffd";

/// The same JSON text, but every escape in it is a character: half a character must not cost a whole line. Borrowed, if
/// nothing had to change.
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let start = at + found;
        at = match escaped(json, start) {
            // Whatever is escaped: a backslash there begins nothing.
            None => {
                start + 1 + json.get(start + 1..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8)
            }
            Some(0xd800..=0xdbff) if matches!(escaped(json, start + 6), Some(0xdc00..=0xdfff)) => start + 12,
            Some(0xd800..=0xdfff) => {
                mended.push_str(json.get(kept..start).unwrap_or_default());
                mended.push_str(REPLACEMENT);
                kept = start + 6;
                kept
            }
            Some(_) => start + 6,
        };
    }
    if mended.is_empty() {
        return Cow::Borrowed(json);
    }
    mended.push_str(json.get(kept..).unwrap_or_default());
    Cow::Owned(mended)
}

/// The number of the `\uXXXX` that stands here, if one does.
fn escaped(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(r"\u")?;
    // A sign is a digit for the parser, but not in JSON.
    let digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_characters_are_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00 a""#, r#""\ufffd a""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D\uDE00é\n""#, r#""\uD83D\uDE00é\n""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud83dx\u0041""#, r#""\ufffdx\u0041""#),
            (r#""\"#, r#""\"#),
            (r#""\ud8"#, r#""\ud8"#),
            (r#""\é""#, r#""\é""#),
            (r#""\é\ud83d""#, r#""\é\ufffd""#),
            (r#""\u+d83\ud83d""#, r#""\u+d83\ufffd""#),
            ("", ""),
        ] {
            assert_eq!(without_lone_surrogates(json), expected);
        }
    }

    proptest! {
        /// What was JSON stays as it is, and whatever was only no JSON for its halves is JSON afterwards.
        #[test]
        fn every_text_of_escapes_is_json_afterwards(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "a", "é", "😀", r"\n", r"\\", r#"\""#, r"\u0041", r"\ud83d", r"\uDE00", r"\udfff", r"\ud800",
            ]), 0..12),
        ) {
            let json = format!("\"{}\"", pieces.concat());
            let mended = without_lone_surrogates(&json);
            let read = serde_json::from_str::<String>(&mended);
            prop_assert!(read.is_ok(), "{json} {mended}");
            if let Ok(whole) = serde_json::from_str::<String>(&json) {
                prop_assert_eq!(whole, read.unwrap());
            }
        }
    }
}
