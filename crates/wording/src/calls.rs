//! Calls, in a line.

use serde_json::Value;

use crate::{counted, visible};

/// Fields that say what a call is about, the most telling first.
const SUMMARY_FIELDS: [&str; 9] = [
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
pub fn call_summary(input: &Value) -> String {
    let field = |name: &&str| input[*name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let what = trial(input)
        .or_else(|| SUMMARY_FIELDS.iter().find_map(field))
        .or_else(|| input["questions"][0]["question"].as_str().map(str::to_owned))
        .or_else(|| input["todos"].as_array().map(|todos| format!("{} items", todos.len())))
        .unwrap_or_else(|| match input.as_object() {
            Some(fields) if fields.is_empty() => String::new(),
            _ => input.to_string(),
        });
    let mut lines = what.lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { "…" } else { "" };
    // What is only tried must not read as if it were done.
    let how = if input["rehearse"] == true { "rehearsed: " } else { "" };
    format!("{how}{}{more}", visible(first))
}

/// Trial edits, and what is run on top of them. Tools of others may have fields of these names beside their own.
fn trial(input: &Value) -> Option<String> {
    let ours = |name: &String| matches!(name.as_str(), "edits" | "command" | "description" | "timeout");
    input.as_object().filter(|fields| fields.keys().all(ours))?;
    let edits = input["edits"].as_array().filter(|edits| !edits.is_empty())?;
    let edits = counted(edits.len() as u64, "edit", "edits");
    Some(match input["command"].as_str().filter(|command| !command.is_empty()) {
        Some(command) => format!("{edits}, then {command}"),
        None => edits,
    })
}

/// Whether a call may run, as a question.
pub fn permission_title(tool: &str) -> String {
    let what = match tool {
        "Bash" => "this command",
        "Edit" => "this edit",
        "Write" => "this file write",
        "NotebookEdit" => "this notebook edit",
        "Read" => "this file read",
        "WebFetch" => "this fetch",
        "Agent" => "this agent",
        tool => tool,
    };
    format!("Allow {what}?")
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
            (json!({"command": "cargo test", "rehearse": true}), "rehearsed: cargo test"),
            (json!({"command": "cargo test", "rehearse": false}), "cargo test"),
            (json!({"edits": [{}, {}], "command": "cargo test"}), "2 edits, then cargo test"),
            (json!({"edits": [{}]}), "1 edit"),
            (json!({"edits": [], "path": "/a"}), r#"{"edits":[],"path":"/a"}"#),
            (json!({"edits": [], "command": "make"}), "make"),
            (json!({"pattern": "\u{1b}[31mx"}), "␛[31mx"),
            (json!({"todos": [1, 2]}), "2 items"),
            (json!({"questions": [{"question": "Which?"}]}), "Which?"),
            (json!({}), ""),
            (json!({"to": "ada"}), r#"{"to":"ada"}"#),
        ] {
            assert_eq!(call_summary(&input), expected, "{input}");
        }
    }
}
