//! Dialogs: what they show at every size, and what keys answer.

use forelook_protocol::{
    AbsPath, Behavior, Confinement, DecisionStep as Decided, Destination, PermissionUpdate, PersonOption,
    PersonQuestion, QuestionAnswer, Reason, RunningShell,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::term::Code;
use crate::theme::Theme;

fn dialog(ask: HostAsk) -> Dialog {
    let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000001")).unwrap();
    let (question, past) = (HostRequest { id, call: None, agent: None, ask }, ReviewHistory::default());
    Dialog::new(&question, None, &past, Path::new("/home/me/project")).unwrap()
}

/// The rows for what is left of a window beside rules, status line and a blank.
fn at(dialog: &mut Dialog, width: usize, height: usize) -> String {
    let page = dialog.rows(RenderContext { width, theme: Theme::DARK }, height - 4);
    assert!(page.rows.len() <= height - 4, "{} rows in a window of {height}", page.rows.len());
    assert!(page.rows.iter().all(|row| row.width() <= width), "too wide for {width}");
    let rows: Vec<String> = page.rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
    let cursor = page.cursor.map_or_else(String::new, |(row, column)| format!("cursor {row}:{column}\n"));
    format!("{width}x{height}\n{}\n{cursor}", rows.join("\n"))
}

fn everywhere(dialog: &mut Dialog) -> String {
    [(80, 24), (40, 15), (200, 60)].map(|(width, height)| at(dialog, width, height)).join("\n")
}

fn letters(dialog: &mut Dialog, text: &str) -> DialogStep {
    text.chars().map(|letter| dialog.key(Key::plain(Code::Char(letter)))).last().unwrap()
}

fn permission(tool: &str, input: Value, rule: Option<&str>) -> Dialog {
    let reason = Reason {
        suggested_rules: rule.into_iter().map(Into::into).collect(),
        ..Reason::new(Decided::Fallback, "Nothing allows it, and it changes files")
    };
    dialog(HostAsk::Permission { tool: tool.into(), input, reason, change: None })
}

fn tests() -> Dialog {
    permission("Bash", json!({"command": "cargo test --all"}), Some("Bash(cargo test:*)"))
}

#[test]
fn a_permission_at_every_size() {
    insta::assert_snapshot!(everywhere(&mut tests()));
}

#[test]
fn a_long_command_scrolls_under_choices_that_stay() {
    let command: String = (1..=40).map(|line| format!("echo line {line} of a script\n")).collect();
    let mut asked = permission("Bash", json!({"command": command, "timeout": 9000}), None);
    asked.from = Some("Explore: look around".into());
    let first = everywhere(&mut asked);
    at(&mut asked, 40, 15);
    for _ in 0..60 {
        assert_eq!(asked.key(Key::plain(Code::PageDown)), DialogStep::Open);
        assert!(at(&mut asked, 40, 15).contains("w  no, and say"));
    }
    insta::assert_snapshot!(first + "at the end, " + &at(&mut asked, 40, 15));
}

#[test]
fn a_long_rule_is_seen_before_it_can_be_chosen() {
    let rule = format!("Bash(cargo test {})", "--features one ".repeat(12).trim_end());
    let mut asked = permission("Bash", json!({"command": "cargo test"}), Some(&rule));
    insta::assert_snapshot!(everywhere(&mut asked));
}

#[test]
fn an_edit_is_a_diff() {
    let input = json!({
        "file_path": "/home/me/project/src/main.rs",
        "old_string": "fn main() {\n    one();\n}",
        "new_string": "fn main() {\n    two();\n}",
    });
    insta::assert_snapshot!(everywhere(&mut permission("Edit", input, Some("Edit(/src/**)"))));
}

#[test]
fn an_edit_that_is_known_is_shown_in_its_file() {
    let input =
        json!({"file_path": "src/main.rs", "old_string": "two", "new_string": "2", "replace_all": true});
    let change = forelook_protocol::ChangePreview {
        path: AbsPath::new("/home/me/project/src/main.rs").unwrap(),
        creates: false,
        diff: "@@ -98,5 +98,5 @@\n one\n-two \u{1b}[2J\n+2\n three\n".into(),
        cut: false,
    };
    let reason = Reason {
        suggested_rules: vec!["Edit(./src/main.rs)".into()],
        suggested_mode: Some(forelook_protocol::Mode::AcceptEdits),
        ..Reason::new(Decided::Fallback, "Changing `/home/me/project/src/main.rs` needs approval")
    };
    let change = Some(Box::new(change));
    let mut asked = dialog(HostAsk::Permission { tool: "Edit".into(), input, reason, change });
    insta::assert_snapshot!(everywhere(&mut asked));
    let DialogStep::Answered(HostAnswer::Allow { updates, .. }) = letters(&mut asked, "e") else {
        panic!("no yes")
    };
    assert!(matches!(
        updates[..],
        [PermissionUpdate::SetMode { mode: forelook_protocol::Mode::AcceptEdits, .. }]
    ));
}

#[test]
fn the_worst_reason_stays_and_all_are_listed() {
    let command: String = (1..=30).map(|line| format!("frob {line}\n")).collect();
    let reason = Reason {
        others: vec!["`curl` uses the network".into(), "`frob` is not a known program".into()],
        ..Reason::new(Decided::Fallback, "Runs what `curl` downloads, as root (in `sudo bash`)")
    };
    let (tool, input) = ("Bash".into(), json!({"command": command}));
    let mut asked = dialog(HostAsk::Permission { tool, input, reason, change: None });
    for (width, height) in [(80, 24), (40, 15), (200, 60)] {
        loop {
            let page = at(&mut asked, width, height);
            assert!(page.contains("Runs what `curl` downloads, as root"), "{page}");
            if page.contains("- `frob` is not a known program") {
                assert!(page.contains("- `curl` uses the network"), "{page}");
                break;
            }
            asked.key(Key::plain(Code::PageDown));
        }
    }
    let page = at(&mut asked, 200, 60);
    assert!(page.contains("as root (in `sudo bash`, and 2 more reasons)"), "{page}");
}

#[test]
fn the_rule_that_asks_is_named() {
    let origin = json!({"rule": "Bash(git push:*)", "behavior": "ask", "source": "projectSettings", "file": "/p/s.json", "line": 4});
    let reason = json!({"step": "ask_rule", "text": "A rule says that you are asked", "rule": origin});
    let (tool, input) = ("Bash".into(), json!({"command": "git push"}));
    let mut asked = dialog(HostAsk::Permission {
        tool,
        input,
        reason: serde_json::from_value(reason).unwrap(),
        change: None,
    });
    assert!(
        at(&mut asked, 80, 24)
            .contains("Matched rule: ask `Bash(git push:*)` (project settings, /p/s.json:4)")
    );
}

#[test]
fn what_keys_answer() {
    let rule = |destination| HostAnswer::Allow {
        updates: vec![PermissionUpdate::allow(&["Bash(cargo test:*)".into()], destination).unwrap()],
        input: None,
    };
    let no = |message: Option<&str>| HostAnswer::Deny { message: message.map(str::to_owned) };
    for (typed, expected) in [
        ("y", Some(HostAnswer::yes())),
        ("s", Some(rule(Destination::Session))),
        ("a", Some(rule(Destination::LocalSettings))),
        ("n", Some(no(None))),
        ("\u{1b}", Some(no(None))),
        ("\n", None),
        (" ", None),
        ("x", None),
        ("w", None),
        ("wyes\n", Some(no(Some("yes")))),
        ("wuse make\n", Some(no(Some("use make")))),
        ("w\n", Some(no(None))),
        ("wyes\u{1b}", None),
        ("wyes\u{1b}y", Some(HostAnswer::yes())),
    ] {
        let mut asked = tests();
        at(&mut asked, 80, 24);
        let mut step = DialogStep::Open;
        for letter in typed.chars() {
            step = asked.key(Key::plain(match letter {
                '\n' => Code::Enter,
                '\u{1b}' => Code::Esc,
                letter => Code::Char(letter),
            }));
        }
        assert_eq!(step, expected.map_or(DialogStep::Open, DialogStep::Answered), "{typed:?}");
    }
    let mut plain = permission("Bash", json!({"command": "x"}), None);
    assert_eq!(letters(&mut plain, "sa"), DialogStep::Open, "there is no rule");
}

#[test]
fn pasted_text_is_words_and_nothing_else() {
    let mut asked = tests();
    assert_eq!(asked.paste("y"), None);
    letters(&mut asked, "w");
    assert_eq!(asked.paste("use make"), Some(DialogStep::Open));
    insta::assert_snapshot!(at(&mut asked, 40, 15));
    let no = HostAnswer::Deny { message: Some("use make".into()) };
    assert_eq!(asked.key(Key::plain(Code::Enter)), DialogStep::Answered(no));
}

fn any_key() -> impl Strategy<Value = Key> {
    let code = prop_oneof![
        "[a-z /1-9]".prop_map(|letter| Code::Char(letter.chars().next().unwrap_or('x'))),
        Just(Code::Enter),
        Just(Code::Esc),
        Just(Code::Tab),
        Just(Code::Up),
        Just(Code::Down),
        Just(Code::PageDown),
        Just(Code::Backspace),
    ];
    (code, any::<bool>(), any::<bool>()).prop_map(|(code, ctrl, alt)| Key { code, ctrl, alt, shift: false })
}

proptest! {
    #[test]
    fn only_y_s_and_a_allow(keys in prop::collection::vec(any_key(), 0..20)) {
        let (mut asked, mut writing) = (tests(), false);
        for key in keys {
            let step = asked.key(key);
            if let DialogStep::Answered(HostAnswer::Allow { updates, .. }) = &step {
                prop_assert!(!writing && matches!(key.letter(), Some('y' | 's' | 'a')), "{key:?}");
                prop_assert_eq!(updates.is_empty(), key.letter() == Some('y'));
            }
            if step != DialogStep::Open {
                break;
            }
            writing = (writing || matches!(key.letter(), Some('w' | 'r'))) && key.code != Code::Esc;
        }
    }
}

proptest! {
    /// Whatever is typed, in whatever window: dialogs keep to their rows, and Enter alone never answers.
    #[test]
    fn dialogs_keep_to_their_rows(
        keys in prop::collection::vec(any_key(), 0..20),
        (width, height) in (20usize..100, 5usize..40),
    ) {
        for ask in 0..4 {
            let mut asked = match ask {
                0 => tests(),
                1 => dialog(HostAsk::Choose { questions: vec![question(true), question(false)] }),
                2 => running(3),
                _ => dialog(HostAsk::EnterPlan { path: AbsPath::new("/home/me/plans/calm-otter.md").unwrap() }),
            };
            prop_assert_eq!(asked.key(Key::plain(Code::Enter)), DialogStep::Open);
            for key in &keys {
                at(&mut asked, width, height);
                if asked.key(*key) != DialogStep::Open {
                    break;
                }
            }
        }
    }
}

#[test]
fn planning_is_confirmed_with_what_will_happen() {
    let mut asked =
        dialog(HostAsk::EnterPlan { path: AbsPath::new("/home/me/plans/calm-otter.md").unwrap() });
    insta::assert_snapshot!(everywhere(&mut asked));
    assert_eq!(asked.key(Key::plain(Code::Enter)), DialogStep::Open);
    assert_eq!(letters(&mut asked, "n"), DialogStep::Answered(HostAnswer::Deny { message: None }));
}

fn question(several: bool) -> PersonQuestion {
    let option = |label: &str| PersonOption {
        label: label.into(),
        description: format!("what {label} means, in words that may take more than a row of the window"),
        preview: Some(format!("# {label}\n\nlike this\n\nand this")),
    };
    PersonQuestion {
        question: "Which of these should it be?".into(),
        header: "Choice".into(),
        options: vec![option("A"), option("B")],
        multi_select: several,
    }
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let mut asked =
        dialog(HostAsk::Choose { questions: vec![question(false), question(true), question(false)] });
    let enter = Key::plain(Code::Enter);
    assert_eq!(asked.key(enter), DialogStep::Open, "nothing is chosen yet");
    letters(&mut asked, "2");
    let mut shown = everywhere(&mut asked);
    assert_eq!(asked.key(enter), DialogStep::Open);
    assert_eq!(asked.key(Key::plain(Code::Down)), DialogStep::Open);
    asked.key(enter);
    letters(&mut asked, "1");
    asked.key(Key::plain(Code::Down));
    letters(&mut asked, " ");
    shown += &at(&mut asked, 40, 15);
    asked.key(enter);
    letters(&mut asked, "3neither");
    shown += &at(&mut asked, 40, 15);
    assert_eq!(asked.key(enter), DialogStep::Open, "the answers are shown first");
    shown += &everywhere(&mut asked);
    insta::assert_snapshot!(shown);
    let choices = vec![
        QuestionAnswer::Options(vec!["B".into()]),
        QuestionAnswer::Options(vec!["A".into(), "B".into()]),
        QuestionAnswer::FreeText("neither".into()),
    ];
    assert_eq!(asked.key(enter), DialogStep::Answered(HostAnswer::Chosen { choices }));
}

#[test]
fn one_can_go_back_to_a_question() {
    let mut asked = dialog(HostAsk::Choose { questions: vec![question(false), question(false)] });
    let [enter, left] = [Code::Enter, Code::Left].map(Key::plain);
    letters(&mut asked, "1");
    asked.key(enter);
    letters(&mut asked, "2");
    asked.key(enter);
    asked.key(left);
    asked.key(left);
    letters(&mut asked, "3");
    assert_eq!(asked.paste("my own\nwords"), Some(DialogStep::Open));
    asked.key(enter);
    asked.key(enter);
    let choices =
        vec![QuestionAnswer::FreeText("my own\nwords".into()), QuestionAnswer::Options(vec!["B".into()])];
    assert_eq!(asked.key(enter), DialogStep::Answered(HostAnswer::Chosen { choices }));
}

#[test]
fn one_question_is_answered_at_once_and_esc_puts_it_away() {
    let mut asked = dialog(HostAsk::Choose { questions: vec![question(false)] });
    letters(&mut asked, "3x");
    assert_eq!(asked.key(Key::plain(Code::Esc)), DialogStep::Open, "back from the words");
    assert_eq!(asked.key(Key::plain(Code::Esc)), DialogStep::Answered(HostAnswer::Dismissed));
    let mut asked = dialog(HostAsk::Choose { questions: vec![question(false)] });
    letters(&mut asked, "1");
    let choices = vec![QuestionAnswer::Options(vec!["A".into()])];
    assert_eq!(asked.key(Key::plain(Code::Enter)), DialogStep::Answered(HostAnswer::Chosen { choices }));
}

/// Where there is a row for all choices, a rule could be out of sight.
#[test]
fn a_small_window_takes_a_yes_to_the_call_and_to_nothing_else() {
    let mut asked = tests();
    let mut shown = String::new();
    for (width, height) in [(20, 6), (30, 7)] {
        shown += &at(&mut asked, width, height);
    }
    assert_eq!(letters(&mut asked, "sa"), DialogStep::Open, "the rule was not seen");
    shown += &at(&mut asked, 30, 7);
    shown += &at(&mut tests(), 40, 10);
    insta::assert_snapshot!(shown);
    assert_eq!(letters(&mut asked, "y"), DialogStep::Answered(HostAnswer::yes()));
    for _ in 0..2 {
        asked.key(Key::plain(Code::PageDown));
        at(&mut asked, 30, 7);
    }
    assert!(matches!(letters(&mut asked, "s"), DialogStep::Answered(_)), "now it was");
    at(&mut asked, 20, 4);
    assert_eq!(letters(&mut asked, "y"), DialogStep::Open, "nothing of it is seen");
    assert_eq!(letters(&mut asked, "n"), DialogStep::Answered(HostAnswer::Deny { message: None }));
}

#[test]
fn an_allow_rule_is_saved_as_one() {
    let DialogStep::Answered(HostAnswer::Allow { updates, .. }) = letters(&mut tests(), "a") else {
        panic!("no rule")
    };
    assert!(matches!(&updates[..], [PermissionUpdate::AddRules { behavior: Behavior::Allow, .. }]));
}

fn running(count: usize) -> Dialog {
    let shell = |at: usize| RunningShell {
        id: (at > 0).then(|| format!("shell_{at}")),
        command: format!("npm run dev -- --port 300{at} --host localhost --and-a-flag-that-is-long"),
    };
    dialog(HostAsk::Running { shells: (0..count).map(shell).collect() })
}

#[test]
fn what_runs_from_before_is_kept_or_stopped() {
    let mut shown = everywhere(&mut running(2));
    shown += &at(&mut running(1), 80, 24);
    insta::assert_snapshot!(shown);
    let mut many = running(40);
    let first = at(&mut many, 40, 15);
    assert!(first.contains("k  keep them") && first.contains("s  stop them (Esc)"), "{first}");
}

#[test]
fn only_k_keeps_what_runs() {
    let stop = DialogStep::Answered(HostAnswer::Deny { message: None });
    for (key, expected) in [
        (Code::Char('k'), DialogStep::Answered(HostAnswer::yes())),
        (Code::Char('s'), stop.clone()),
        (Code::Esc, stop),
        (Code::Enter, DialogStep::Open),
        (Code::Char('y'), DialogStep::Open),
        (Code::Char('n'), DialogStep::Open),
        (Code::Char(' '), DialogStep::Open),
        (Code::Tab, DialogStep::Open),
        (Code::PageDown, DialogStep::Open),
    ] {
        assert_eq!(running(2).key(Key::plain(key)), expected, "{key:?}");
    }
    assert_eq!(running(2).key(Key::ctrl('k')), DialogStep::Open, "Ctrl+K cuts a line, where one writes");
    assert_eq!(running(2).paste("k"), None);
}

#[test]
fn where_a_call_would_run_is_said() {
    for (within, words) in [
        (Confinement::ReadOnly, Some("Runs read-only: it cannot change files and has no network")),
        (Confinement::Workspace, Some("inside the fence")),
        (Confinement::Off, None),
    ] {
        let reason =
            Reason { sandbox: within, ..Reason::new(Decided::AskRule, "A rule says that you are asked") };
        let (tool, input) = ("Bash".into(), json!({"command": "make"}));
        let page = at(&mut dialog(HostAsk::Permission { tool, input, reason, change: None }), 80, 24);
        match words {
            Some(words) => assert!(page.contains(words), "{page}"),
            None => assert!(!page.contains("Runs "), "{page}"),
        }
    }
}
