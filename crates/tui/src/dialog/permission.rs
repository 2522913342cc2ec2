//! May this call run?

use forelook_protocol::{Answer, Destination, PermissionUpdate, Reason};
use forelook_wording::call_about;
use ratatui_core::text::Line;
use serde_json::Value;

use super::Step;
use crate::diff;
use crate::markdown::Look;
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};

/// Rows of what would be done that are shown.
const PREVIEW: usize = 12;

/// A call that waits for a yes.
#[derive(Debug)]
pub(super) struct Permission {
    tool: String,
    input: Value,
    reason: Reason,
    state: State,
}

#[derive(Debug)]
enum State {
    Choosing,
    /// No, with these words so far.
    Saying(String),
}

impl Permission {
    pub(super) fn new(tool: &str, input: &Value, reason: &Reason) -> Self {
        Self { tool: tool.to_owned(), input: input.clone(), reason: reason.clone(), state: State::Choosing }
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        if let State::Saying(words) = &mut self.state {
            match key.code {
                Code::Esc => self.state = State::Choosing,
                Code::Enter => {
                    let message = Some(words.trim().to_owned()).filter(|words| !words.is_empty());
                    return Step::Answered(Answer::Deny { message });
                }
                Code::Backspace => drop(words.pop()),
                _ => words.extend(key.letter()),
            }
            return Step::Open;
        }
        match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('n')) => Step::Answered(Answer::Deny { message: None }),
            (_, Some('y')) => Step::Answered(Answer::yes()),
            (_, Some('s')) => self.with_rule(Destination::Session),
            (_, Some('a')) => self.with_rule(Destination::LocalSettings),
            (_, Some('w')) => {
                self.state = State::Saying(String::new());
                Step::Open
            }
            _ => Step::Open,
        }
    }

    fn with_rule(&self, destination: Destination) -> Step {
        let rule = self.reason.would_allow.as_deref();
        match rule.and_then(|rule| PermissionUpdate::allow(rule, destination)) {
            Some(update) => Step::Answered(Answer::Allow { updates: vec![update] }),
            None => Step::Open,
        }
    }

    pub(super) fn rows(&self, look: Look) -> Vec<Line<'static>> {
        let theme = look.theme;
        let (tool, what) = (&self.tool, call_about(&self.input));
        let mut rows = vec![Line::styled(format!("May this run? {tool}"), theme.warning)];
        rows.extend(wrap(&Line::from(what), look.width, &Hang::all("  ")).into_iter().take(3));
        rows.extend(self.preview(look));
        rows.extend(wrap(&Line::styled(self.reason.text.clone(), theme.quiet), look.width, &Hang::all("  ")));
        rows.push(Line::default());
        if let State::Saying(words) = &self.state {
            rows.extend(wrap(&Line::from(format!("{words}▏")), look.width, &Hang::first("  No, because: ")));
            rows.push(Line::styled("  Enter sends it, Esc goes back", theme.quiet));
            return rows;
        }
        rows.push(Line::from("  y  yes, this once"));
        if let Some(rule) = &self.reason.would_allow {
            rows.push(Line::from(format!("  s  yes, and for this session the rule {rule}")));
            rows.push(Line::from("  a  yes, and save that rule for this project"));
        }
        rows.push(Line::from("  n  no (Esc)"));
        rows.push(Line::from("  w  no, and say what to do instead"));
        rows
    }

    /// Exactly what would be done, as far as one line does not show it.
    fn preview(&self, look: Look) -> Vec<Line<'static>> {
        let field = |name: &str| self.input[name].as_str().unwrap_or_default();
        let mut rows = match self.tool.as_str() {
            "Bash" if field("command").lines().count() > 1 => {
                let lines = harmless(field("command")).into_owned();
                let row = |line: &str| {
                    wrap(&Line::styled(line.to_owned(), look.theme.code), look.width, &Hang::all("  "))
                };
                lines.lines().flat_map(row).collect()
            }
            "Edit" => {
                let lines = |text: &str, sign: char| {
                    text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
                };
                let change = lines(field("old_string"), '-') + &lines(field("new_string"), '+');
                diff::rows(&change, look.width, look.theme)
            }
            "Write" => {
                let text = harmless(field("content")).into_owned();
                text.lines().map(|line| Line::styled(format!("  {line}"), look.theme.good)).collect()
            }
            _ => Vec::new(),
        };
        if rows.len() > PREVIEW {
            let hidden = rows.len() - PREVIEW;
            rows.truncate(PREVIEW);
            rows.push(Line::styled(format!("  … {hidden} more lines"), look.theme.quiet));
        }
        rows
    }
}
