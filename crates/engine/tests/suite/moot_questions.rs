//! A change of mode or rules that answers an open question closes it; and rules are tried before they are added.

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    AnsweredBy, CallStatus, Command, Destination, EndReason, EntryBody, HostAnswer, HostAsk, HostRequest,
    Mode, PermissionUpdate, Query, Reply, RuleCheck,
};

use crate::common::{Front, Home, SESSION, life};

const EDITS: &str = r#"
[[answer]]
call = [{ tool = "Write", input = { file_path = "file", content = "new" } }]
[[answer]]
text = "Done."
"#;

const RUNS: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "git add -A && git commit -m first" } }]
[[answer]]
call = [{ tool = "Bash", input = { command = "git commit -m second && npm test" } }]
[[answer]]
text = "Done."
"#;

async fn asked(home: &Home, script: &str) -> (Front, HostRequest) {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
    front.say("Do it").await;
    let question = front.question().await;
    (front, question)
}

fn no() -> HostAnswer {
    HostAnswer::Deny { message: None }
}

/// How questions were closed, and by whom.
fn closed(home: &Home) -> Vec<(HostAnswer, AnsweredBy)> {
    let closed = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::QuestionClosed(closed) => Some((closed.answer, closed.by)),
        _ => None,
    });
    closed.collect()
}

fn status(home: &Home) -> CallStatus {
    let finished = home.entries().into_iter().find_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some(finished.status),
        _ => None,
    });
    finished.unwrap()
}

#[test]
fn accepting_edits_answers_an_edit_that_is_asked_about() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, EDITS).await;
        let HostAsk::Permission { reason, .. } = &question.ask else { panic!("{question:?}") };
        assert_eq!(reason.suggested_mode, Some(Mode::AcceptEdits));
        // What Shift+Tab sends.
        front.send(Command::CycleMode).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        assert_eq!(home.text("file").as_deref(), Some("new"));
        assert_eq!(closed(&home), [(HostAnswer::Outdated, AnsweredBy::Session)]);
    });
}

#[test]
fn planning_denies_an_edit_that_is_asked_about() {
    life(async {
        let home = Home::new();
        let (mut front, _) = asked(&home, EDITS).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        assert_eq!((home.text("file"), status(&home)), (None, CallStatus::Denied));
        assert_eq!(closed(&home), [(HostAnswer::Outdated, AnsweredBy::Session)]);
    });
}

/// What the mode leaves to the person stays a question, the same one.
#[test]
fn a_question_that_is_still_one_stays_open() {
    life(async {
        let home = Home::new();
        let (mut front, question) = asked(&home, RUNS).await;
        front.send(Command::CycleMode).await.unwrap();
        front.until(|body| matches!(body, EntryBody::ModeChanged(_)).then_some(())).await;
        front.answer(&question, no()).await.unwrap();
        let second = front.question().await;
        front.answer(&second, no()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        let closed = closed(&home);
        assert!(closed.len() == 2 && closed.iter().all(|(answer, _)| *answer == no()), "{closed:?}");
    });
}

async fn check(front: &Front, question: &HostRequest, rules: &[&str]) -> RuleCheck {
    let rules = rules.iter().map(|&rule| rule.to_owned()).collect();
    match front.query(Query::CheckRules { request: question.id, rules }).await {
        Reply::CheckRules(check) => check,
        other => panic!("{other:?}"),
    }
}

/// What comes behind the call that is asked about has not been asked for yet.
#[test]
fn earlier_calls_that_a_rule_matches_are_named_the_newest_first() {
    const COMMITS: &str = r#"
[[answer]]
call = [
    { tool = "Bash", input = { command = "git commit -m one" } },
    { tool = "Bash", input = { command = "git commit -m two" } },
]
[[answer]]
call = [
    { tool = "Bash", input = { command = "git commit -m three" } },
    { tool = "Bash", input = { command = "git commit -m asked" } },
    { tool = "Bash", input = { command = "git commit -m later" } },
]
[[answer]]
text = "Done."
"#;
    life(async {
        let home = Home::new();
        let (mut front, mut question) = asked(&home, COMMITS).await;
        for _ in 0..3 {
            front.answer(&question, no()).await.unwrap();
            question = front.question().await;
        }
        let tried = check(&front, &question, &["Bash(git commit:*)"]).await;
        let expected = ["three", "two", "one"].map(|name| format!("git commit -m {name}"));
        assert_eq!((&tried.matched[..], tried.total), (&expected[..], 3));
        front.close().await;
    });
}

#[test]
fn a_rule_is_tried_before_it_is_added() {
    life(async {
        let home = Home::new();
        let (mut front, first) = asked(&home, RUNS).await;
        front.answer(&first, no()).await.unwrap();
        let question = front.question().await;
        let HostAsk::Permission { reason, .. } = &question.ask else { panic!("{question:?}") };
        let offered: Vec<&str> = reason.suggested_rules.iter().map(|it| it.rule.as_str()).collect();
        assert_eq!(offered, ["Bash(git commit:*)", "Bash(npm test:*)"]);
        let tried = check(&front, &question, &offered).await;
        assert!(tried.covers && tried.problem.is_none(), "{tried:?}");
        assert_eq!((tried.matched, tried.total), (vec!["git add -A && git commit -m first".to_owned()], 1));
        assert_eq!(tried.suggested[0].example.as_deref(), Some("git commit -m second"));
        let narrow = check(&front, &question, &["Bash(git commit:*)"]).await;
        assert!(!narrow.covers && narrow.total == 1, "{narrow:?}");
        let broken = check(&front, &question, &["Bash(git commit"]).await;
        assert!(broken.problem.unwrap().contains("closing"));
        for (rules, why) in [
            (&[][..], "Write a rule"),
            (&["Bash(ls)", "Bash(ls)"], "twice"),
            (&["Bsh(ls)"], "did you mean `Bash`?"),
        ] {
            let refused = check(&front, &question, rules).await;
            assert!(refused.problem.as_ref().is_some_and(|it| it.contains(why)), "{refused:?}");
        }
        let update = PermissionUpdate::allow(&["Bash(ls)".into()], Destination::Session).unwrap();
        front.send(Command::UpdatePermissions(update)).await.unwrap();
        let known = check(&front, &question, &["Bash(ls)"]).await;
        assert!(known.problem.as_ref().is_some_and(|it| it.contains("already")), "{known:?}");
        front.answer(&question, no()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
    });
}
