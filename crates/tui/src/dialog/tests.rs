//! Dialogs: what they show, and what keys answer.

use forelook_protocol::{AbsPath, Choice, PersonOption, PersonQuestion, Reason, Step as Decided};
use serde_json::json;

use super::*;
use crate::term::Code;
use crate::theme::Theme;

fn dialog(ask: Ask) -> Dialog {
    let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000001")).unwrap();
    Dialog::new(&Question { id, call: CallId("1".into()), agent: None, ask }, &Past::default())
}

fn shown(dialog: &Dialog) -> String {
    let rows = dialog.rows(Look { width: 60, theme: Theme::DARK });
    rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

fn letters(dialog: &mut Dialog, text: &str) -> Step {
    text.chars().map(|letter| dialog.key(Key::plain(Code::Char(letter)))).last().unwrap()
}

fn permission() -> Dialog {
    let reason = Reason {
        step: Decided::Rest,
        text: "It changes a file".into(),
        rule: None,
        would_allow: Some("Bash(cargo test:*)".into()),
    };
    dialog(Ask::Permission { tool: "Bash".into(), input: json!({"command": "cargo test --all"}), reason })
}

#[test]
fn a_permission_is_answered_by_letters_and_never_by_enter() {
    insta::assert_snapshot!(shown(&permission()));
    let mut asked = permission();
    for code in [Code::Enter, Code::Tab, Code::Down, Code::Char(' ')] {
        assert_eq!(asked.key(Key::plain(code)), Step::Open, "{code:?}");
    }
    assert_eq!(letters(&mut asked, "y"), Step::Answered(Answer::yes()));
    assert_eq!(asked.key(Key::plain(Code::Esc)), Step::Answered(Answer::Deny { message: None }));
    let Step::Answered(Answer::Allow { updates }) = letters(&mut asked, "s") else { panic!("no rule") };
    assert_eq!(updates.len(), 1);
    assert_eq!(letters(&mut asked, "wuse make"), Step::Open);
    let no = Answer::Deny { message: Some("use make".into()) };
    assert_eq!(asked.key(Key::plain(Code::Enter)), Step::Answered(no));
}

#[test]
fn planning_is_confirmed_with_what_will_happen() {
    let mut asked = dialog(Ask::EnterPlan { path: AbsPath::new("/home/me/plans/calm-otter.md").unwrap() });
    insta::assert_snapshot!(shown(&asked));
    assert_eq!(asked.key(Key::plain(Code::Enter)), Step::Open);
    assert_eq!(letters(&mut asked, "n"), Step::Answered(Answer::Deny { message: None }));
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let option = |label: &str| PersonOption {
        label: label.into(),
        description: format!("what {label} means"),
        preview: Some(format!("# {label}")),
    };
    let question = |several| PersonQuestion {
        question: "Which of these?".into(),
        header: "Choice".into(),
        options: vec![option("A"), option("B")],
        multi_select: several,
    };
    let mut asked = dialog(Ask::Choose { questions: vec![question(false), question(true), question(false)] });
    let enter = Key::plain(Code::Enter);
    assert_eq!(asked.key(enter), Step::Open, "nothing is chosen yet");
    letters(&mut asked, "2");
    insta::assert_snapshot!(shown(&asked));
    assert_eq!(asked.key(enter), Step::Open);
    letters(&mut asked, "1 ");
    asked.key(Key::plain(Code::Down));
    letters(&mut asked, " ");
    asked.key(enter);
    letters(&mut asked, "3neither");
    let choices = vec![
        Choice::Options(vec!["B".into()]),
        Choice::Options(vec!["A".into(), "B".into()]),
        Choice::Words("neither".into()),
    ];
    assert_eq!(asked.key(enter), Step::Answered(Answer::Chosen { choices }));
}
