//! Entering plan mode, what may be done in it, and leaving it without a review.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    CallStatus, Command, CommandError, EndReason, EntryBody, HostAnswer, HostAsk, Mode, ModeState, PlanReply,
};

use crate::common::{Front, Home, SESSION, life, results, words};

const SAYS: &str = "[[answer]]\ntext = \"Done.\"\nname = \"end\"\nnext = [{ goto = \"end\" }]\n";

const ENTERS: &str = r#"
[[answer]]
call = [{ tool = "EnterPlanMode" }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;

/// A session in this mode.
async fn begin(home: &Home, mode: Mode, script: &str) -> Front {
    Front::open(Config { mode: Some(mode), ..home.config(SessionStart::New(Some(SESSION)), script) }).await
}

fn mode_state(home: &Home) -> ModeState {
    let set = home.entries().into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::ModeChanged(set) => Some(set.mode_state),
        EntryBody::PlanReviewed(reviewed) => Some(reviewed.mode_state),
        _ => None,
    });
    set.unwrap_or_default()
}

#[test]
fn the_model_enters_once_the_person_agrees() {
    life(async {
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::BypassPermissions] {
            let home = Home::new();
            let mut front = begin(&home, mode, ENTERS).await;
            front.say("Build it").await;
            let question = front.question().await;
            let HostAsk::EnterPlan { path } = &question.ask else { panic!("{question:?}") };
            assert_eq!(mode_state(&home).mode(), mode, "nothing happens before the answer");
            front.answer(&question, HostAnswer::yes()).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(mode_state(&home).mode(), Mode::Plan);
            assert_eq!(mode_state(&home).pre_plan_mode(), Some(mode));
            let (status, text) = results(&home).remove(0);
            assert_eq!(status, CallStatus::Ran);
            assert!(text.contains("6. Finish with ExitPlanMode"), "{text}");
            let request = home.last_request();
            let reminder = words(request.last().unwrap());
            assert!(reminder.contains(&path.to_string()), "the same turn is told the rest: {reminder}");
            front.close().await;
        }
    });
}

#[test]
fn the_person_declines_and_nothing_changes() {
    life(async {
        let no = |message: Option<&str>| HostAnswer::Deny { message: message.map(str::to_owned) };
        for (answer, part) in [
            (no(None), "without"),
            (no(Some("just do it")), "just do it"),
            (HostAnswer::Dismissed, "without"),
        ] {
            let home = Home::new();
            let mut front = begin(&home, Mode::AcceptEdits, ENTERS).await;
            front.say("Build it").await;
            let question = front.question().await;
            front.answer(&question, answer).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(mode_state(&home).mode(), Mode::AcceptEdits);
            let (status, text) = results(&home).remove(0);
            assert_eq!(status, CallStatus::Denied);
            assert!(text.contains(part), "{text}");
            front.close().await;
        }
    });
}

#[test]
fn with_nobody_to_confirm_it_is_refused() {
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), ENTERS);
        let config =
            Config { mode: None, responder: Responder::Nobody, reviewer: Responder::Nobody, ..config };
        let mut front = Front::open(config).await;
        front.say("Build it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(mode_state(&home).mode(), Mode::Default);
        assert_eq!(results(&home)[0].0, CallStatus::Denied);
        front.close().await;
    });
}

#[test]
fn entering_twice_changes_nothing() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Plan, ENTERS).await;
        front.say("Build it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let (status, text) = results(&home).remove(0);
        assert_eq!(status, CallStatus::Denied);
        assert!(text.contains("already on"), "{text}");
        front.close().await;
    });
}

#[test]
fn a_session_that_starts_in_plan_mode_has_default_before_it() {
    life(async {
        let home = Home::new();
        let front = begin(&home, Mode::Plan, SAYS).await;
        assert_eq!(mode_state(&home).pre_plan_mode(), Some(Mode::Default));
        front.close().await;
    });
}

#[test]
fn leaving_by_key_or_by_name_goes_where_it_is_told() {
    life(async {
        for (command, expected) in [
            (Command::CycleMode, Mode::BypassPermissions),
            (Command::SetMode(Mode::Default), Mode::Default),
            (Command::SetMode(Mode::AcceptEdits), Mode::AcceptEdits),
            (Command::SetMode(Mode::DontAsk), Mode::DontAsk),
        ] {
            let home = Home::new();
            let front = begin(&home, Mode::AcceptEdits, SAYS).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            front.send(command).await.unwrap();
            let now = mode_state(&home);
            assert_eq!(now.mode(), expected);
            assert_eq!(now.pre_plan_mode(), None);
            assert!(now.exit_reminder_due && now.has_left_plan_mode);
            // Coming back at once takes the word that planning is over back.
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            assert!(!mode_state(&home).exit_reminder_due);
            assert_eq!(mode_state(&home).pre_plan_mode(), Some(expected));
            front.close().await;
        }
    });
}

#[test]
fn the_plan_has_one_path_in_a_session_and_another_in_the_next() {
    life(async {
        let paths = async |home: &Home| {
            let front = begin(home, Mode::Default, SAYS).await;
            let mut paths = Vec::new();
            for _ in 0..3 {
                let Ok(Some(PlanReply::Entered { path })) = front.plan("").await else {
                    panic!("not entered")
                };
                paths.push(path);
                front.send(Command::SetMode(Mode::Default)).await.unwrap();
            }
            front.close().await;
            paths
        };
        let home = Home::new();
        let one = paths(&home).await;
        assert!(one.windows(2).all(|pair| pair[0] == pair[1]), "{one:?}");
        let other = paths(&home.beside()).await;
        assert_ne!(one[0].as_path().file_name(), other[0].as_path().file_name());
    });
}

#[test]
fn slash_plan_cell_by_cell() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, SAYS).await;
        assert_eq!(front.plan("list").await, Ok(Some(PlanReply::List(Vec::new()))));
        for argument in ["history", "restore"] {
            assert_eq!(front.plan(argument).await, Ok(Some(PlanReply::History(Vec::new()))), "{argument}");
        }
        let Err(CommandError::Plan(why)) = front.plan("diff").await else { panic!("nothing to compare") };
        assert!(why.contains("no plan yet"), "{why}");
        assert_eq!(mode_state(&home).mode(), Mode::Default, "a list is only shown");
        let Ok(Some(PlanReply::Entered { path })) = front.plan("open").await else { panic!("not entered") };
        assert_eq!(home.requests().len(), 0, "the model is not called");

        let empty = PlanReply::Current { path: path.clone(), plan: None, problem: None, editor: None };
        assert_eq!(front.plan("").await, Ok(Some(empty)));
        let Err(CommandError::Plan(why)) = front.plan("open").await else { panic!("there is no file") };
        assert!(why.contains("no plan yet"), "{why}");
        std::fs::write(&path, "# Plan\none\n").unwrap();
        let Ok(Some(PlanReply::Current { plan: text, .. })) = front.plan("").await else {
            panic!("not shown")
        };
        assert_eq!(text.as_deref(), Some("# Plan\none\n"));
        let Err(CommandError::Plan(why)) = front.plan("open").await else { panic!("no editor is known") };
        assert!(why.contains("VISUAL"), "{why}");

        assert_eq!(front.plan("list all endpoints").await, Ok(None), "nothing to show: it is for the model");
        assert_eq!(front.turn_end().await, EndReason::Done);
        let said = home.last_request();
        assert!(said.iter().any(|message| words(message) == "list all endpoints"));
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        let requests = home.requests().len();
        for argument in ["diff", "history", "list", "rehearsal", "restore"] {
            assert!(matches!(front.plan(argument).await, Ok(Some(_))), "{argument} shows something");
        }
        assert_eq!(mode_state(&home).mode(), Mode::Default, "to look at plans enters nothing");
        assert_eq!(home.requests().len(), requests, "and the model is not called");
        front.close().await;
    });
}

#[test]
fn revisions_are_kept_and_come_back() {
    const WRITES: &str = r#"
[[answer]]
text = "Done."
next = [{ goto = "end" }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Plan, WRITES).await;
        let path = home.entries().iter().find_map(|entry| match &entry.body {
            EntryBody::PlanNamed(named) => Some(named.path.clone()),
            _ => None,
        });
        let path = path.unwrap();
        front.close().await;
        let script = |text: &str| {
            format!(
                "[[answer]]\ncall = [{{ tool = \"Write\", input = {{ file_path = \"{path}\", content = \"{text}\" }} }}]\n[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{{ goto = \"end\" }}]\n"
            )
        };
        front = home.resume(&script("# One\\n"), Responder::Person).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        front.say("Write").await;
        front.turn_end().await;
        std::fs::write(&path, "# Two\n").unwrap();
        let Ok(Some(PlanReply::Diff { from, diff, .. })) = front.plan("diff").await else {
            panic!("no diff")
        };
        assert_eq!(from, Some(1));
        assert!(diff.contains("-# One\n+# Two\n"), "{diff}");
        let restored = PlanReply::Restored { revision: 1, path: path.clone() };
        assert_eq!(front.plan("restore 1").await, Ok(Some(restored)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# One\n");
        let Ok(Some(PlanReply::History(revisions))) = front.plan("history").await else {
            panic!("no history")
        };
        let titles: Vec<&str> = revisions.iter().map(|revision| revision.title.as_str()).collect();
        assert_eq!(titles, ["One", "Two", "One"], "what the person wrote is not lost either");
        let Err(CommandError::Plan(why)) = front.plan("restore 9").await else {
            panic!("there is no such revision")
        };
        assert!(why.contains('9'), "{why}");
        front.close().await;
    });
}

#[test]
fn the_table_holds_whatever_rules_and_hooks_say() {
    const TRIES: &str = r#"
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "new.txt", content = "x" }
[[answer.call]]
tool = "Edit"
input = { file_path = "old.txt", old_string = "old", new_string = "new" }
[[answer.call]]
tool = "Bash"
input = { command = "touch made" }
[[answer.call]]
tool = "Bash"
input = { command = "cat old.txt" }
[[answer.call]]
tool = "TodoWrite"
input = { todos = [{ content = "a", status = "pending", activeForm = "a" }] }
[[answer]]
text = "Done."
"#;
    life(async {
        let home = Home::new();
        home.file("old.txt", "old\n");
        let mut config = home.config(SessionStart::New(Some(SESSION)), TRIES);
        config.permissions = home.permissions(&["allow Bash", "allow Edit", "allow Write"]);
        let mut front = Front::open(config).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        front.say("Try").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let statuses: Vec<CallStatus> = results(&home).iter().map(|(status, _)| *status).collect();
        use CallStatus::{Denied, Ran};
        assert_eq!(statuses, [Denied, Denied, Denied, Ran, Ran]);
        let plan = home.entries().iter().find_map(|entry| match &entry.body {
            EntryBody::PlanNamed(named) => Some(named.path.to_string()),
            _ => None,
        });
        assert!(results(&home)[0].1.contains(&plan.unwrap()), "the message names the plan file");
        assert_eq!((home.text("new.txt"), home.text("made")), (None, None));
        assert_eq!(home.text("old.txt").as_deref(), Some("old\n"));
        front.close().await;
    });
}

#[test]
fn the_same_refused_call_ends_the_turn() {
    const AGAIN: &str =
        "[[answer]]\nname = \"again\"\ncall = [{ tool = \"ExitPlanMode\" }]\nnext = [{ goto = \"again\" }]\n";
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, AGAIN).await;
        front.say("Go").await;
        let EndReason::Stuck { message } = front.turn_end().await else { panic!("not stuck") };
        assert!(message.contains("ExitPlanMode"), "{message}");
        let texts = results(&home);
        assert_eq!(texts.len(), 3);
        assert!(texts.iter().all(|(status, text)| *status == CallStatus::Denied && text.contains("not on")));
        front.close().await;
    });
}
