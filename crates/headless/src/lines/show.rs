//! Prints what happens.

use std::collections::HashMap;
use std::io::Write;

use forelook_protocol::{
    AnswerBlock, AnswerEvent, Body, CallId, Live, NoticeLevel, TodoStatus, ToolCall, Verdict,
};
use serde_json::Value;

/// How many lines of a result are shown.
const RESULT_LINES: usize = 8;

/// A diff is what the person wants to see, so more of it is shown.
const DIFF_LINES: usize = 40;

/// Prints to a writer, in colour or not.
pub(super) struct Show {
    out: Box<dyn Write + Send>,
    colour: bool,
    calls: HashMap<CallId, ToolCall>,
    /// Whether the cursor stands behind something on its line.
    mid_line: bool,
}

#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Dim => "\x1b[2m",
            Ink::Bold => "\x1b[1m",
            Ink::Red => "\x1b[31m",
            Ink::Green => "\x1b[32m",
            Ink::Yellow => "\x1b[33m",
        }
    }
}

impl Show {
    pub(super) fn new(out: Box<dyn Write + Send>, colour: bool) -> Self {
        Self { out, colour, calls: HashMap::new(), mid_line: false }
    }

    pub(super) fn person(&mut self, words: &str) {
        self.line(Ink::Bold, &format!("> {words}"));
        self.line(Ink::Plain, "");
    }

    pub(super) fn invite(&mut self) {
        self.write(Ink::Bold, "\n> ");
        self.mid_line = true;
    }

    pub(super) fn question(&mut self, text: &str) {
        self.line(Ink::Plain, "");
        for (at, line) in clean(text).lines().enumerate() {
            self.line(
                if at == 0 { Ink::Yellow } else { Ink::Plain },
                &format!("{} {line}", if at == 0 { "?" } else { " " }),
            );
        }
        self.write(Ink::Bold, "> ");
        self.mid_line = true;
    }

    pub(super) fn problem(&mut self, text: &str) {
        for line in text.lines() {
            self.line(Ink::Red, &format!("✗ {}", clean(line)));
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.line(Ink::Dim, &format!("  {text}"));
    }

    pub(super) fn live(&mut self, live: &Live) {
        match live {
            Live::Answer { event: AnswerEvent::TextStarted, .. } => self.write(Ink::Green, "\n● "),
            Live::Answer { event: AnswerEvent::Text { text }, .. } => {
                self.write(Ink::Plain, &clean(text));
                self.mid_line = true;
            }
            Live::Answer { event: AnswerEvent::BlockEnded, .. } => self.end_line(),
            Live::Notice(notice) if notice.level == NoticeLevel::Info => self.note(&notice.text),
            Live::Notice(notice) => self.problem(&notice.text),
            Live::Answer { .. } | Live::Output { .. } | Live::Unrecorded(_) | Live::Closed => {}
        }
    }

    pub(super) fn body(&mut self, body: &Body) {
        match body {
            Body::Answer(answered) => {
                for block in &answered.blocks {
                    if let AnswerBlock::ToolUse(call) = block {
                        self.calls.insert(call.id.clone(), call.clone());
                    }
                }
            }
            Body::Finished(finished) => {
                let Some(call) = self.calls.remove(&finished.result.call) else { return };
                let ink = if finished.result.is_error { Ink::Red } else { Ink::Green };
                self.end_line();
                self.write(ink, "\n● ");
                self.line(Ink::Bold, &call_line(&call.name, &call.input));
                if finished.verdict == Verdict::Ran && call.name == "TodoWrite" {
                    self.todos(&call.input);
                } else {
                    self.result(&call.name, &finished.result.text());
                }
            }
            _ => {}
        }
    }

    fn todos(&mut self, input: &Value) {
        for item in input["todos"].as_array().into_iter().flatten() {
            let status = serde_json::from_value(item["status"].clone()).unwrap_or(TodoStatus::Pending);
            let (mark, ink) = match status {
                TodoStatus::Pending => ("☐", Ink::Plain),
                TodoStatus::InProgress => ("▸", Ink::Bold),
                TodoStatus::Completed => ("☑", Ink::Dim),
            };
            self.line(ink, &format!("  {mark} {}", clean(item["content"].as_str().unwrap_or_default())));
        }
    }

    fn result(&mut self, tool: &str, text: &str) {
        if tool == "Read" {
            return self.line(Ink::Dim, &format!("  ⎿ {} lines", text.lines().count()));
        }
        let text = clean(text);
        let limit = if matches!(tool, "Edit" | "Write") { DIFF_LINES } else { RESULT_LINES };
        let all: Vec<&str> = text.lines().collect();
        // The end of a long output says how it went; the beginning of a diff says where it is.
        let skip = if tool == "Bash" { all.len().saturating_sub(limit) } else { 0 };
        if skip > 0 {
            self.line(Ink::Dim, &format!("  … {skip} lines above"));
        }
        for (at, line) in all.iter().skip(skip).take(limit).enumerate() {
            let lead = if at == 0 { "  ⎿ " } else { "    " };
            self.line(ink_of(tool, line), &format!("{lead}{line}"));
        }
        if all.len() > skip + limit {
            self.line(Ink::Dim, &format!("    … {} more lines", all.len() - skip - limit));
        }
    }

    fn line(&mut self, ink: Ink, text: &str) {
        self.end_line();
        self.write(ink, text);
        self.write(Ink::Plain, "\n");
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.mid_line) {
            self.write(Ink::Plain, "\n");
        }
    }

    fn write(&mut self, ink: Ink, text: &str) {
        // A reader that went away is noticed when the input ends; until then there is nobody to tell.
        let _ = match (self.colour, ink.code()) {
            (true, code) if !code.is_empty() => write!(self.out, "{code}{text}\x1b[0m"),
            _ => write!(self.out, "{text}"),
        };
        let _ = self.out.flush();
    }
}

fn ink_of(tool: &str, line: &str) -> Ink {
    match (tool, line.as_bytes().first()) {
        ("Edit" | "Write", Some(b'+')) => Ink::Green,
        ("Edit" | "Write", Some(b'-')) => Ink::Red,
        _ => Ink::Dim,
    }
}

/// A call on one line: the tool and what matters of its input.
pub(super) fn call_line(tool: &str, input: &Value) -> String {
    let field = |name: &str| input[name].as_str().map(str::to_owned);
    let what = field("file_path")
        .or_else(|| field("command"))
        .or_else(|| input["questions"][0]["question"].as_str().map(str::to_owned))
        .or_else(|| input["todos"].as_array().map(|todos| format!("{} items", todos.len())))
        .unwrap_or_else(|| input.to_string());
    let what = clean(what.lines().next().unwrap_or_default());
    let short: String = what.chars().take(100).collect();
    let more =
        if short.len() < what.len() || input["command"].as_str().is_some_and(|it| it.lines().count() > 1) {
            "…"
        } else {
            ""
        };
    format!("{tool}({short}{more})")
}

/// Makes control characters visible, so that a tool's output cannot move the cursor or set a title.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
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
            ("Bash", json!({"command": "echo \u{1b}[2J"}), "Bash(echo \u{fffd}[2J)"),
            ("X", json!({"a": 1}), "X({\"a\":1})"),
        ] {
            assert_eq!(call_line(tool, &input), expected);
        }
    }
}
