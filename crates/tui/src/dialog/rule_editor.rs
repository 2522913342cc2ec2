//! Rules that are changed before they are added, and what the session says they would do.

use forelook_protocol::{RuleCheck, SuggestedRule};
use forelook_view::question::{join_rules, split_rules};
use forelook_wording::{counted, visible};
use ratatui_core::text::Line;

use super::text_input::{TextInput, TextInputOutcome};
use crate::markdown::RenderContext;
use crate::term::Key;
use crate::text::{Indent, wrap};

/// Rules that are being written, one a line or separated by `; `.
#[derive(Debug)]
pub(super) struct RuleEditor {
    text: TextInput,
    /// What the session said last.
    check: Option<RuleCheck>,
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RuleEdit {
    /// They are still being written.
    Open,
    /// They changed: what would these do?
    Check(Vec<String>),
    /// They stay as they were.
    Back,
    /// These are to be offered.
    Done(Vec<SuggestedRule>),
}

impl RuleEditor {
    pub(super) fn new(rules: &[SuggestedRule]) -> Self {
        let text = join_rules(rules.iter().map(|it| it.rule.as_str()));
        Self { text: TextInput::with(&text), check: None }
    }

    /// The rules as they are written now.
    pub(super) fn rules(&self) -> Vec<String> {
        split_rules(&self.text.whole())
    }

    pub(super) fn key(&mut self, key: Key) -> RuleEdit {
        let before = self.rules();
        match self.text.key(key) {
            TextInputOutcome::Back => RuleEdit::Back,
            TextInputOutcome::Done(words) => {
                // What was written is in the words now; it goes on if it cannot be used as it is.
                let usable =
                    self.check.as_ref().filter(|check| check.problem.is_none() && check.rules == before);
                if let Some(check) = usable {
                    return RuleEdit::Done(check.suggested.clone());
                }
                self.text = TextInput::with(&words.unwrap_or_default());
                RuleEdit::Check(self.rules())
            }
            TextInputOutcome::Open => match self.rules() {
                rules if rules == before => RuleEdit::Open,
                rules => RuleEdit::Check(rules),
            },
        }
    }

    /// Puts text in; the rules that are there then.
    pub(super) fn paste(&mut self, text: &str) -> Vec<String> {
        self.text.paste(text);
        self.rules()
    }

    /// The session says what rules would do. What it says of others than these comes too late.
    pub(super) fn checked(&mut self, check: &RuleCheck) {
        if check.rules == self.rules() {
            self.check = Some(check.clone());
        }
    }

    /// The rules and what they would do; and the place of the cursor.
    pub(super) fn rows(&mut self, ctx: RenderContext) -> (Vec<Line<'static>>, (usize, usize)) {
        let (mut rows, cursor) = self.text.written("  Rule: ", ctx);
        let check = self.check.as_ref().filter(|check| check.rules == self.rules());
        for (text, style) in told(check, ctx) {
            rows.extend(wrap(&Line::styled(text, style), ctx.width, &Indent::all("  ")));
        }
        let keys = match check.is_some_and(|check| check.problem.is_none()) {
            true => "Enter: use it · Esc: back",
            false => "Esc: back",
        };
        rows.extend(wrap(&Line::styled(keys, ctx.theme.quiet), ctx.width, &Indent::all("  ")));
        (rows, cursor)
    }
}

/// What is said of the rules.
fn told(check: Option<&RuleCheck>, ctx: RenderContext) -> Vec<(String, ratatui_core::style::Style)> {
    let theme = ctx.theme;
    let Some(check) = check else { return vec![("Checking…".to_owned(), theme.quiet)] };
    if let Some(problem) = &check.problem {
        return vec![(visible(problem).into_owned(), theme.bad)];
    }
    let mut told = Vec::new();
    if !check.covers {
        told.push((
            "It does not cover this call: you would be asked about it again".to_owned(),
            theme.warning,
        ));
    }
    told.push((matched(check), theme.quiet));
    told
}

/// What they would have matched.
fn matched(check: &RuleCheck) -> String {
    if check.total == 0 {
        return "No earlier call of this session matches".to_owned();
    }
    let calls = counted(check.total as u64, "earlier call", "earlier calls");
    let named: Vec<String> = check
        .matched
        .iter()
        .take(3)
        .map(|call| format!("`{}`", forelook_wording::truncate(&visible(call), 60)))
        .collect();
    let more = if check.total > named.len() { ", …" } else { "" };
    format!("Matches {calls} of this session: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Code;
    use crate::theme::Theme;

    fn check(rules: &[&str], problem: Option<&str>) -> RuleCheck {
        RuleCheck {
            rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
            suggested: rules.iter().map(|&rule| rule.into()).collect(),
            problem: problem.map(str::to_owned),
            covers: rules.contains(&"Bash(git:*)"),
            matched: vec!["git add -A".into(), "git commit -m x".into()],
            total: 4,
        }
    }

    fn shown(editor: &mut RuleEditor) -> String {
        let (rows, _) = editor.rows(RenderContext { width: 60, theme: Theme::DARK });
        rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_rule_with_a_semicolon_stays_one_rule() {
        let mut editor = RuleEditor::new(&["Bash(a; b)".into(), "Bash(ls)".into()]);
        assert_eq!(editor.rules(), ["Bash(a; b)", "Bash(ls)"]);
        assert_eq!(editor.paste("; Edit"), ["Bash(a; b)", "Bash(ls)", "Edit"]);
    }

    #[test]
    fn rules_can_be_used_once_the_session_knows_them() {
        let mut editor = RuleEditor::new(&["Bash(git commit:*)".into(), "Bash(ls)".into()]);
        assert_eq!(editor.rules(), ["Bash(git commit:*)", "Bash(ls)"]);
        assert!(shown(&mut editor).contains("Checking…"));
        let enter = Key::plain(Code::Enter);
        assert_eq!(editor.key(enter), RuleEdit::Check(editor.rules()), "nothing is known yet");
        editor.checked(&check(&["Bash(git commit:*)", "Bash(ls)"], None));
        assert!(shown(&mut editor).contains("does not cover this call"), "{}", shown(&mut editor));
        assert_eq!(
            editor.key(Key::plain(Code::Backspace)),
            RuleEdit::Check(vec!["Bash(git commit:*)".into(), "Bash(ls".into()])
        );
        assert!(shown(&mut editor).contains("Checking…"), "what was said was of other rules");
        editor.checked(&check(&["Bash(git commit:*)", "Bash(ls"], Some("Rule `Bash(ls` must end with `)`")));
        assert!(shown(&mut editor).contains("must end with"));
        assert!(matches!(editor.key(enter), RuleEdit::Check(_)), "a rule that is none cannot be used");
        let mut editor = RuleEditor::new(&["Bash(git:*)".into()]);
        editor.checked(&check(&["Bash(git:*)"], None));
        insta::assert_snapshot!(shown(&mut editor));
        assert_eq!(editor.key(enter), RuleEdit::Done(vec!["Bash(git:*)".into()]));
        assert_eq!(editor.key(Key::plain(Code::Esc)), RuleEdit::Back);
    }
}
