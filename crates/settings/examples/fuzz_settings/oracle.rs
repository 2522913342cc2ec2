//! What a settings file says, read by other rules than the reader that is tested: comments are cut out by hand, and the
//! rest is left to `serde_json`.

use serde_json::Value;
use serde_json::value::RawValue;

/// What stands in a file.
pub(crate) enum OracleReading {
    /// Nothing, or comments only.
    Nothing,
    /// One object.
    Object(Object),
    /// Something else, or nothing that anybody could read.
    Broken,
}

pub(crate) struct Object {
    /// Every text in it, names among them.
    pub(crate) texts: Vec<String>,
    /// Its values; nothing if it is nested deeper than `serde_json` follows.
    pub(crate) value: Option<Value>,
}

pub(crate) fn read(bytes: &[u8]) -> OracleReading {
    let Ok(text) = std::str::from_utf8(bytes) else { return OracleReading::Broken };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((plain, texts)) = without_comments(text) else { return OracleReading::Broken };
    let plain = plain.trim_matches([' ', '\t', '\r', '\n']);
    if plain.is_empty() {
        return OracleReading::Nothing;
    }
    if !plain.starts_with('{') || serde_json::from_str::<&RawValue>(plain).is_err() {
        return OracleReading::Broken;
    }
    OracleReading::Object(Object { texts, value: serde_json::from_str(plain).ok() })
}

/// The text without its comments, and every string in it; nothing if a string is none, or a comment has no end or one
/// that is none to some.
fn without_comments(text: &str) -> Option<(String, Vec<String>)> {
    let (mut plain, mut texts) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let token = &rest[..string_length(rest)];
                // Half a character (`\ud800`) is passed over where `serde_json` only looks for the end of a text.
                texts.push(serde_json::from_str::<String>(token).ok()?);
                plain.push_str(token);
                token.len()
            }
            _ if rest.starts_with("//") => {
                let line = rest.split_inclusive('\n').next().unwrap_or_default();
                let comment = line.strip_suffix("\r\n").unwrap_or(line);
                if comment.contains('\r') {
                    return None;
                }
                plain.push('\n');
                line.len()
            }
            _ if rest.starts_with("/*") => {
                plain.push(' ');
                rest[2..].find("*/")? + 4
            }
            other => {
                plain.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Some((plain, texts))
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}
