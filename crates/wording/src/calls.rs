//! Calls, in a line.

use serde_json::Value;

use crate::visible;

/// Fields that say what a call is about, the most telling first.
const TELLING: [&str; 9] = [
    "file_path",
    "notebook_path",
    "command",
    "pattern",
    "url",
    "description",
    "query",
    "bash_id",
    "shell_id",
];

/// What matters of a call's input, in one line; a sign at the end if there are more lines.
pub fn call_about(input: &Value) -> String {
    let field = |name: &&str| input[*name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let what = TELLING
        .iter()
        .find_map(field)
        .or_else(|| input["questions"][0]["question"].as_str().map(str::to_owned))
        .or_else(|| input["todos"].as_array().map(|todos| format!("{} items", todos.len())))
        .unwrap_or_else(|| match input.as_object() {
            Some(fields) if fields.is_empty() => String::new(),
            _ => input.to_string(),
        });
    let mut lines = what.lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { "…" } else { "" };
    format!("{}{more}", visible(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_calls_are_about() {
        for (input, expected) in [
            (json!({"file_path": "/a", "content": "x"}), "/a"),
            (json!({"command": "ls\npwd"}), "ls…"),
            (json!({"pattern": "\u{1b}[31mx"}), "␛[31mx"),
            (json!({"todos": [1, 2]}), "2 items"),
            (json!({"questions": [{"question": "Which?"}]}), "Which?"),
            (json!({}), ""),
            (json!({"to": "ada"}), r#"{"to":"ada"}"#),
        ] {
            assert_eq!(call_about(&input), expected, "{input}");
        }
    }
}
