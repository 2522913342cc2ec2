//! Calls and their results, in few lines.

use forelook_protocol::{QuestionAnswer, Todo, TodoStatus, ToolCall};
use forelook_view::ActiveCall;
use serde_json::Value;

use crate::style::{Row, TextStyle};
use forelook_wording::{call_summary, counted, format_duration, truncate};

/// How many lines of a result are shown.
const RESULT_LINES: usize = 8;

/// A diff is what the person wants to see, so more of it is shown.
const DIFF_LINES: usize = 40;

/// A call on one line: the tool and what matters of its input.
pub(super) fn call_line(tool: &str, input: &Value) -> String {
    let about = call_summary(input);
    let short = truncate(&about, 100);
    format!("{tool}({short})")
}

/// A call that takes long, how long it does, and how far it is.
pub(super) fn progress_line(call: &ToolCall, running: &ActiveCall) -> String {
    let (line, time) = (call_line(&call.name, &call.input), format_duration(running.elapsed_ms));
    match &running.note {
        Some(note) => format!("{line}: {time}, {note}"),
        None => format!("{line}: {time}"),
    }
}

/// Whether a call's line leaves out the end of what it shows.
pub(super) fn is_cut(call_line: &str) -> bool {
    call_line.ends_with("…)")
}

/// What a call came to.
pub(super) fn result_rows(tool: &str, text: &str, failed: bool) -> Vec<Row> {
    let all: Vec<&str> = text.lines().collect();
    if tool == "Read" && !failed {
        return vec![Row::dim(format!("  ⎿ {}", counted(all.len() as u64, "line", "lines")))];
    }
    let is_diff = matches!(tool, "Edit" | "Write") && !failed;
    let limit = if is_diff { DIFF_LINES } else { RESULT_LINES };
    // To say that there is one more would take as much room as the line itself.
    let limit = if all.len() == limit + 1 { limit + 1 } else { limit };
    // The end of a long output says how it went; the beginning of a diff says where it is.
    let skip = if tool == "Bash" { all.len().saturating_sub(limit) } else { 0 };
    let mut rows = Vec::new();
    if skip > 0 {
        rows.push(Row::dim(format!("  … {} above", counted(skip as u64, "line", "lines"))));
    }
    for (at, line) in all.iter().skip(skip).take(limit).enumerate() {
        let lead = if at == 0 { "  ⎿ " } else { "    " };
        rows.push(match is_diff {
            true => Row::exact(lead, TextStyle::of_diff(line), *line),
            false => Row::led(lead, TextStyle::Dim, *line),
        });
    }
    if all.len() > skip + limit {
        let more = (all.len() - skip - limit) as u64;
        rows.push(Row::dim(format!("    … {}", counted(more, "more line", "more lines"))));
    }
    rows
}

/// What the person chose, one line for each question.
pub(super) fn choice_rows(choices: &[QuestionAnswer]) -> Vec<Row> {
    let words = |choice: &QuestionAnswer| match choice {
        QuestionAnswer::Options(labels) => labels.join(", "),
        QuestionAnswer::FreeText(words) => words.clone(),
        QuestionAnswer::Skipped => "skipped".to_owned(),
    };
    choices.iter().map(|choice| Row::led("  ⎿ ", TextStyle::Plain, words(choice))).collect()
}

/// The todo list.
pub(super) fn todo_rows(todos: &[Todo]) -> Vec<Row> {
    let row = |todo: &Todo| {
        let (mark, style) = match todo.status {
            TodoStatus::Pending => ("☐", TextStyle::Plain),
            TodoStatus::InProgress => ("▸", TextStyle::Bold),
            TodoStatus::Completed => ("☑", TextStyle::Dim),
        };
        Row::new(style, format!("  {mark} {}", todo.content))
    };
    todos.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_on_one_line() {
        for (tool, input, expected) in [
            ("Read", json!({"file_path": "a.rs"}), "Read(a.rs)"),
            ("Bash", json!({"command": "ls\nrm x"}), "Bash(ls…)"),
            ("Bash", json!({"command": "echo \u{1b}[2J"}), "Bash(echo ␛[2J)"),
            ("Agent", json!({"description": "Find tests", "prompt": "long"}), "Agent(Find tests)"),
            ("Grep", json!({"pattern": "fn main"}), "Grep(fn main)"),
            ("ExitPlanMode", json!({}), "ExitPlanMode()"),
            ("X", json!({"a": 1}), "X({\"a\":1})"),
        ] {
            assert_eq!(call_line(tool, &input), expected);
            assert_eq!(is_cut(expected), expected == "Bash(ls…)");
        }
    }

    #[test]
    fn results_in_few_lines() {
        for (tool, text, failed, expected) in [
            ("Read", "a\nb", false, "  ⎿ 2 lines"),
            ("Read", "There is no file `a`\nLook again", true, "  ⎿ There is no file `a`\n    Look again"),
            ("Edit", "-a\n+b", false, "  ⎿ -a\n    +b"),
        ] {
            let rows = result_rows(tool, text, failed);
            assert_eq!(crate::style::bare(&rows), expected);
            assert_eq!(rows[0].style == TextStyle::Red, tool == "Edit");
        }
    }

    #[test]
    fn a_single_line_is_never_hidden() {
        let rows = |tool: &str, lines: usize| {
            crate::style::bare(&result_rows(tool, "line\n".repeat(lines).trim_end(), false))
        };
        for tool in ["Bash", "Grep"] {
            assert_eq!(rows(tool, RESULT_LINES + 1).matches("line").count(), RESULT_LINES + 1, "{tool}");
        }
        assert!(rows("Grep", RESULT_LINES + 2).ends_with("    … 2 more lines"));
        assert!(rows("Bash", RESULT_LINES + 2).starts_with("  … 2 lines above"));
    }

    #[test]
    fn choices_in_a_line_each() {
        let options = QuestionAnswer::Options(vec!["A".into(), "B".into()]);
        let rows =
            choice_rows(&[options, QuestionAnswer::FreeText("neither".into()), QuestionAnswer::Skipped]);
        assert_eq!(crate::style::bare(&rows), "  ⎿ A, B\n  ⎿ neither\n  ⎿ skipped");
    }
}
