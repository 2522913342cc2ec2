//! What a call would do, for whoever has to say whether it may.

use forelook_protocol::ChangePreview;
use forelook_view::review::{DiffKind, DiffLine, diff_lines, last_line, unified};
use serde_json::Value;

use super::calls::{call_line, is_cut};
use crate::style::{Row, TextStyle};
use forelook_wording::{counted, truncate};

/// What fits on a screen beside the question.
const LINES: usize = 40;
/// The same beside three others.
const OPTION_LINES: usize = 12;
const CHARACTERS: usize = 400;

/// What the call's own line does not say.
pub(super) fn rows(tool: &str, input: &Value, change: Option<&ChangePreview>) -> Vec<Row> {
    match change {
        Some(change) => changed(input, change),
        None => of_input(tool, input),
    }
}

/// What would change in a file, with the numbers of its lines.
fn changed(input: &Value, change: &ChangePreview) -> Vec<Row> {
    let mut rows = Vec::new();
    if input["replace_all"] == true {
        rows.push(Row::dim("  Replaces every occurrence:"));
    }
    rows.push(match (change.creates, change.diff.is_empty()) {
        (true, _) => Row::dim(format!("  A new file: {}", change.path)),
        (false, true) => Row::dim(format!("  No line of {} changes", change.path)),
        (false, false) => Row::dim(format!("  {}", change.path)),
    });
    let lines = diff_lines(&change.diff);
    let digits = last_line(&lines).to_string().len();
    let line = |(at, line): (usize, DiffLine<'_>)| match line.kind {
        DiffKind::Hunk => (at > 0).then(|| "…\n".to_owned()),
        DiffKind::Removed => Some(format!("-{:>digits$} {}\n", line.old, line.text)),
        DiffKind::Added => Some(format!("+{:>digits$} {}\n", line.new, line.text)),
        DiffKind::Same => Some(format!(" {:>digits$} {}\n", line.new, line.text)),
        DiffKind::Note => Some(format!("{}\n", line.text)),
    };
    let numbered: String = lines.into_iter().enumerate().filter_map(line).collect();
    rows.extend(some(&numbered, TextStyle::of_diff));
    if change.cut {
        rows.push(Row::dim("  The rest of the change is too long to compare"));
    }
    rows
}

fn of_input(tool: &str, input: &Value) -> Vec<Row> {
    let field = |name: &str| input[name].as_str();
    match (tool, field("old_string"), field("new_string"), field("content"), field("command")) {
        ("Edit", Some(old), Some(new), ..) => {
            let mut rows = Vec::new();
            if input["replace_all"] == true {
                rows.push(Row::dim("  Replace every occurrence of this:"));
            }
            rows.extend(some(&edit(old, new), TextStyle::of_diff));
            rows
        }
        ("Write", _, _, Some(content), _) => {
            let lines = counted(content.lines().count() as u64, "line", "lines");
            let mut rows = vec![Row::dim(format!("  The whole file ({lines}):"))];
            rows.extend(some(content, |_| TextStyle::Plain));
            rows
        }
        (_, _, _, _, Some(command)) if is_cut(&call_line(tool, input)) => some(command, |_| TextStyle::Plain),
        ("Bash" | "Read", ..) => Vec::new(),
        // What is not known here is shown whole: its own line may leave out what matters.
        _ if is_cut(&call_line(tool, input)) || input.as_object().is_some_and(|fields| fields.len() > 1) => {
            let text = serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string());
            some(&text, |_| TextStyle::Plain)
        }
        _ => Vec::new(),
    }
}

/// The change, line by line. Where it stands in the file nobody knows here, so that parts are only kept apart.
fn edit(old: &str, new: &str) -> String {
    let change = unified(old, new);
    let lines = diff_lines(&change).into_iter().enumerate().filter_map(|(at, line)| match line.kind {
        DiffKind::Hunk => (at > 0).then(|| "…\n".to_owned()),
        kind => kind.sign().map(|sign| format!("{sign}{}\n", line.text)),
    });
    lines.collect()
}

/// What belongs to one of several options.
pub(super) fn of_option(text: &str) -> Vec<Row> {
    bounded(text, OPTION_LINES, "     │ ", |_| TextStyle::Plain)
}

/// The first lines, and how many more there are.
fn some(text: &str, style: impl Fn(&str) -> TextStyle) -> Vec<Row> {
    bounded(text, LINES, "  │ ", style)
}

fn bounded(text: &str, lines: usize, lead: &str, style: impl Fn(&str) -> TextStyle) -> Vec<Row> {
    let all: Vec<&str> = text.lines().collect();
    // To say that there is one more would take as much room as the line itself.
    let lines = if all.len() == lines + 1 { all.len() } else { lines };
    let mut rows: Vec<Row> = all
        .iter()
        .take(lines)
        .map(|line| Row::exact(lead, style(line), truncate(line, CHARACTERS)))
        .collect();
    if let Some(more) = all.len().checked_sub(lines).filter(|&more| more > 0) {
        let lead = lead.replace("│ ", "… ");
        rows.push(Row::dim(format!("{lead}{}", counted(more as u64, "more line", "more lines"))));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::bare;
    use serde_json::json;

    #[test]
    fn what_would_be_done_on_paper() {
        let long: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        let calls = [
            (
                "Edit",
                json!({"file_path": "a", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree"}),
            ),
            ("Edit", json!({"file_path": "a", "old_string": "x", "new_string": "", "replace_all": true})),
            ("Write", json!({"file_path": "a", "content": "#!/bin/sh\nexit 0\n"})),
            ("Bash", json!({"command": "ls"})),
            ("Bash", json!({"command": "set -e\nrm -r build\nmake"})),
            ("Bash", json!({"command": format!("echo {}", "x".repeat(110))})),
            ("Read", json!({"file_path": "a"})),
            ("mcp__mail__send", json!({"to": "ada@example.org", "text": "y".repeat(80)})),
        ];
        let shown: Vec<String> = calls
            .iter()
            .map(|(tool, input)| format!("{}\n{}", call_line(tool, input), bare(&rows(tool, input, None))))
            .collect();
        insta::assert_snapshot!(shown.join("\n---\n"));
        let many = rows("Write", &json!({"file_path": "a", "content": long}), None);
        assert_eq!(many.len(), 1 + LINES + 1);
        assert_eq!(bare(&many[LINES + 1..]), "  … 20 more lines");
        let one_more = "line\n".repeat(LINES + 1);
        let shown = bare(&rows("Write", &json!({"file_path": "a", "content": one_more}), None));
        assert!(!shown.contains("more line") && shown.matches("│ line").count() == LINES + 1, "{shown}");
    }

    #[test]
    fn a_diff_has_its_colours() {
        let rows = rows("Edit", &json!({"old_string": "a\nb\n", "new_string": "a\nc\n"}), None);
        let inks: Vec<TextStyle> = rows.iter().map(|row| row.style).collect();
        assert_eq!(inks, [TextStyle::Dim, TextStyle::Red, TextStyle::Green]);
    }
}
