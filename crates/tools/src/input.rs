//! The input of a call as text: where it becomes a value, and how deep it may be nested.
//!
//! What is recorded must be readable again. Readers of JSON stop at some depth (128 levels), and an entry of a journal adds
//! levels of its own: an input that was just not too deep to be understood would make an entry that cannot be loaded.

use serde_json::{Map, Value};

use crate::tool::BadInput;

/// How many levels an input may have. No tool takes more than a handful.
const MAX_DEPTH: usize = 64;

/// The value of an input's text. No text at all is an empty input. What is no JSON, or nested too deeply, is kept as a string:
/// the check of the call refuses it in words, and nothing the model sent is lost.
pub fn parse_input(json: String) -> Value {
    if json.trim().is_empty() {
        return Value::Object(Map::new());
    }
    if is_text_too_deep(&json) {
        return Value::String(json);
    }
    serde_json::from_str(&json).unwrap_or(Value::String(json))
}

/// Refuses an input that is nested too deeply, be it still a text.
pub fn check_depth(input: &Value) -> Result<(), BadInput> {
    let too_deep = match input {
        Value::String(text) => is_text_too_deep(text),
        value => is_too_deep(value),
    };
    if too_deep {
        return Err(BadInput(format!(
            "The input is nested more than {MAX_DEPTH} levels deep. Send the same in fewer levels."
        )));
    }
    Ok(())
}

/// Whether a value is nested too deeply to be recorded.
pub fn is_too_deep(value: &Value) -> bool {
    exceeds(value, MAX_DEPTH)
}

fn exceeds(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| exceeds(item, levels - 1)),
        Value::Object(fields) => levels == 0 || fields.values().any(|value| exceeds(value, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The same of JSON text, before it is read.
pub(crate) fn is_text_too_deep(json: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}1{}", r#"{"a":["#.repeat(levels / 2), "]}".repeat(levels / 2))
    }

    #[test]
    fn what_is_no_json_is_kept_as_text() {
        assert_eq!(parse_input(" \n".into()), json!({}));
        assert_eq!(parse_input(r#"{"a":1}"#.into()), json!({"a": 1}));
        assert_eq!(parse_input(r#"{"a":"#.into()), json!(r#"{"a":"#));
    }

    #[test]
    fn an_input_may_have_so_many_levels() {
        for (levels, deep) in [(2, false), (64, false), (66, true), (126, true), (5000, true)] {
            let input = parse_input(nested(levels));
            assert_eq!((input.is_string(), check_depth(&input).is_err()), (deep, deep), "{levels}");
        }
        // Brackets in a text are no levels.
        let text = json!({"content": "[{".repeat(100), "more": "\\\"[".repeat(100)});
        assert_eq!((parse_input(text.to_string()), check_depth(&text).is_ok()), (text.clone(), true));
    }

    proptest! {
        #[test]
        fn a_text_and_its_value_are_equally_deep(shape in "[\\[{]{55,75}") {
            let open: String = shape.chars().map(|it| if it == '[' { "[" } else { r#"{"\"[":"# }).collect();
            let close: String = shape.chars().rev().map(|it| if it == '[' { "]" } else { "}" }).collect();
            let json = format!("{open}0{close}");
            let value: Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(is_text_too_deep(&json), is_too_deep(&value));
            prop_assert_eq!(is_too_deep(&value), shape.len() > MAX_DEPTH);
        }
    }
}
