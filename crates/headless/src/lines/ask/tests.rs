//! Lines as answers, and questions on paper.

use super::*;
use forelook_protocol::{DecisionStep as Decided, PersonOption, Reason};

fn question(multi_select: bool) -> PersonQuestion {
    let option =
        |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
    PersonQuestion {
        question: "Which?".into(),
        header: "Which".into(),
        options: vec![option("A"), option("B")],
        multi_select,
    }
}

#[test]
fn lines_become_choices() {
    let options =
        |labels: &[&str]| Ok(QuestionAnswer::Options(labels.iter().map(|&it| it.to_owned()).collect()));
    for (multi, line, expected) in [
        (false, "2", options(&["B"])),
        (true, "1, 2", options(&["A", "B"])),
        (true, "2 1 2", options(&["B", "A"])),
        (false, "", Ok(QuestionAnswer::Skipped)),
        (false, "neither, use C", Ok(QuestionAnswer::FreeText("neither, use C".into()))),
        (false, "3", Err("Choose a number from 1 to 2".into())),
        (false, "0", Err("Choose a number from 1 to 2".into())),
        (false, "1 2", Err("Choose only one".into())),
    ] {
        assert_eq!(choice(&question(multi), line), expected, "{line:?}");
    }
}

#[test]
fn nothing_but_yes_is_a_yes() {
    let suggested_rules = vec!["Bash(ls -l)".into()];
    let reason = Reason { suggested_rules, ..Reason::new(Decided::Fallback, "x") };
    let ask = HostAsk::Permission { tool: "Bash".into(), input: serde_json::json!({}), reason, change: None };
    for (line, allowed) in [("y", true), ("YES", true), ("", false), ("n", false), ("yeah, but first", false)]
    {
        assert_eq!(
            LineDialog::new(&ask, None).answer(line) == AnswerStep::Done(HostAnswer::yes()),
            allowed,
            "{line:?}"
        );
    }
    let AnswerStep::Done(HostAnswer::Allow { updates, .. }) = LineDialog::new(&ask, None).answer("s") else {
        panic!("no yes")
    };
    let expected = r#"[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls -l"}],"behavior":"allow","destination":"session"}]"#;
    assert_eq!(serde_json::to_string(&updates).unwrap(), expected);
}

#[test]
fn what_would_change_is_shown_once() {
    let input = serde_json::json!({"file_path": "a.txt", "old_string": "one\n", "new_string": "two\n"});
    let reason = Reason::new(Decided::Fallback, "Edits are asked for");
    let mut dialog =
        LineDialog::new(&HostAsk::Permission { tool: "Edit".into(), input, reason, change: None }, None);
    let first = crate::style::bare(&dialog.rows());
    assert!(
        first.contains("Allow Edit(a.txt)?\n  Edits are asked for\n  │ -one\n  │ +two\n  y = yes"),
        "{first}"
    );
    dialog.answer("");
    assert!(!crate::style::bare(&dialog.rows()).contains("+two"));
}

#[test]
fn entering_plan_mode_says_what_will_happen() {
    let ask = HostAsk::EnterPlan { path: AbsPath::new("/plans/a.md").unwrap() };
    let text = crate::style::bare(&LineDialog::new(&ask, None).rows());
    insta::assert_snapshot!(text);
    for (line, expected) in [
        ("y", AnswerStep::Done(HostAnswer::yes())),
        ("n", AnswerStep::Done(HostAnswer::Deny { message: None })),
        ("just do it", AnswerStep::Done(HostAnswer::Deny { message: Some("just do it".into()) })),
    ] {
        assert_eq!(LineDialog::new(&ask, None).answer(line), expected, "{line:?}");
    }
    assert!(matches!(LineDialog::new(&ask, None).answer(" "), AnswerStep::Unclear(_)));
}

#[test]
fn what_runs_from_before_is_kept_only_by_a_word_for_it() {
    let shell = |id: Option<&str>, command: &str| RunningShell {
        id: id.map(str::to_owned),
        command: command.to_owned(),
    };
    let ask =
        HostAsk::Running { shells: vec![shell(Some("shell_1"), "npm run dev"), shell(None, "make\nls")] };
    insta::assert_snapshot!(crate::style::bare(&LineDialog::new(&ask, None).rows()), @r"
    ? 2 commands started before planning are still running. Keep them?
      Plan mode does not restrict commands that were already running: they can still change files.
      • shell_1: npm run dev
      • make ⏎ ls
      k = keep them running, outside the fence; s = stop them
    ");
    for (line, expected) in [
        ("k", AnswerStep::Done(HostAnswer::yes())),
        ("Keep", AnswerStep::Done(HostAnswer::yes())),
        ("s", AnswerStep::Done(HostAnswer::Deny { message: None })),
        ("no", AnswerStep::Done(HostAnswer::Deny { message: None })),
    ] {
        assert_eq!(LineDialog::new(&ask, None).answer(line), expected, "{line:?}");
    }
    for line in ["", "keep one of them", "ok"] {
        assert!(matches!(LineDialog::new(&ask, None).answer(line), AnswerStep::Unclear(_)), "{line:?}");
    }
}

#[test]
fn where_a_call_would_run_is_said() {
    let within = forelook_protocol::Confinement::ReadOnly;
    let reason = Reason { sandbox: within, ..Reason::new(Decided::AskRule, "A rule asks") };
    let ask = HostAsk::Permission {
        tool: "Bash".into(),
        input: serde_json::json!({"command": "x"}),
        reason,
        change: None,
    };
    let text = crate::style::bare(&LineDialog::new(&ask, None).rows());
    assert!(text.contains("\n  A rule asks\n  Runs read-only: "), "{text}");
}

#[test]
fn a_subagent_is_named() {
    let ask = HostAsk::Choose { questions: vec![question(false)] };
    let text = crate::style::bare(&LineDialog::new(&ask, Some("Explore #2".into())).rows());
    assert!(text.starts_with("? Which?\n  Asked by Explore #2\n"), "{text}");
}

#[test]
fn each_option_is_shown_with_what_there_is_to_look_at() {
    let mut asked = question(false);
    asked.options[0].description = "The short one".into();
    asked.options[0].preview = Some("fn a() {\n    b();\n}".into());
    asked.options[1].preview = Some("line\n".repeat(30));
    let text = crate::style::bare(&LineDialog::new(&HostAsk::Choose { questions: vec![asked] }, None).rows());
    let many = "     │ line\n".repeat(12);
    assert_eq!(
        text.trim_end(),
        format!(
            "? Which?\n  1. A - The short one\n     │ fn a() {{\n     │     b();\n     │ }}\n  2. B\n{many}     … 18 more lines\n  \
             Type a number or your own answer; empty to skip"
        )
    );
}

#[test]
fn several_questions_are_asked_one_by_one() {
    let mut dialog =
        LineDialog::new(&HostAsk::Choose { questions: vec![question(false), question(true)] }, None);
    assert_eq!(dialog.answer("1"), AnswerStep::More);
    assert!(matches!(dialog.answer("9"), AnswerStep::Unclear(_)));
    assert!(
        matches!(dialog.answer("1,2"), AnswerStep::Done(HostAnswer::Chosen { choices }) if choices.len() == 2)
    );
}

#[test]
fn the_keys_are_those_of_the_screen_and_another_letter_is_asked_about() {
    let reason = Reason {
        suggested_rules: vec!["Bash(make:*)".into()],
        suggested_mode: Some(forelook_protocol::Mode::AcceptEdits),
        ..Reason::new(Decided::Fallback, "x")
    };
    let input = serde_json::json!({"command": "make"});
    let mut dialog =
        LineDialog::new(&HostAsk::Permission { tool: "Bash".into(), input, reason, change: None }, None);
    for line in ["q", "l", "1", "ok", "", "?"] {
        assert!(matches!(dialog.answer(line), AnswerStep::Unclear(_)), "{line:?}");
    }
    let AnswerStep::Unclear(words) = dialog.answer("") else { panic!("an answer") };
    assert_eq!(words, "Type one of y, e, s, a, n, r, w, or what to do instead");
    assert!(crate::style::bare(&dialog.rows()).contains("  r = change that rule first"));
    for line in ["y", "e", "s", "a", "A"] {
        assert!(matches!(dialog.answer(line), AnswerStep::Done(HostAnswer::Allow { .. })), "{line:?}");
    }
    // Words of one letter can be said behind `w`.
    assert_eq!(dialog.answer("w"), AnswerStep::More);
    assert!(crate::style::bare(&dialog.rows()).contains("Type what to do instead"));
    assert_eq!(dialog.answer("y"), AnswerStep::Done(HostAnswer::Deny { message: Some("y".into()) }));
    assert_eq!(dialog.answer("r"), AnswerStep::More);
    assert_eq!(dialog.answer("Bash(make all); Bash(ls; pwd)"), {
        AnswerStep::Check(vec!["Bash(make all)".into(), "Bash(ls; pwd)".into()])
    });
    dialog.use_rules(vec!["Bash(make all)".into()]);
    assert!(crate::style::bare(&dialog.rows()).contains("allow Bash(make all) for this session"));
}
