//! What the model is reminded of, as whole sessions see it. The rules alone are proved in `forelook-plan`.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{Command, EntryBody, Mode, ReminderKind};

use crate::common::{Front, Home, SESSION, life, words};

/// Reads a file ten times in each turn, an answer at a time: tool results must not count as turns.
const LOOPS: &str = r#"
[[answer]]
name = "turn"
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[answer]]
text = "Done."
next = [{ goto = "turn" }]
"#;

fn sent(home: &Home) -> Vec<String> {
    let name = |kind: ReminderKind| match kind {
        ReminderKind::PlanMode { full: true, exists, .. } => format!("full {exists}"),
        ReminderKind::PlanMode { exists, .. } => format!("sparse {exists}"),
        ReminderKind::PlanModeReentry { .. } => "reentry".to_owned(),
        ReminderKind::PlanModeExit { exists, .. } => format!("exit {exists}"),
        other => format!("{other:?}"),
    };
    let reminders = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::Reminder(reminder) => Some(name(reminder.kind)),
        _ => None,
    });
    reminders.collect()
}

async fn turns(front: &mut Front, count: usize) {
    for turn in 0..count {
        front.say(&format!("Turn {turn}")).await;
        front.turn_end().await;
    }
}

fn write_plan(home: &Home) {
    let path = home.entries().into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::PlanNamed(named) => Some(named.path),
        _ => None,
    });
    std::fs::write(path.unwrap(), "# Plan\n").unwrap();
}

#[test]
fn a_whole_session_of_reminders() {
    life(async {
        let home = Home::new();
        home.file("a.txt", "a\n");
        let config = home.config(SessionStart::New(Some(SESSION)), LOOPS);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        turns(&mut front, 1).await;
        assert_eq!(sent(&home), [] as [&str; 0], "outside of plan mode there is nothing to say");

        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        turns(&mut front, 5).await;
        assert_eq!(sent(&home), ["full false"], "one, through thirty tool calls");
        write_plan(&home);
        turns(&mut front, 1).await;
        assert_eq!(sent(&home), ["full false", "sparse true"]);
        turns(&mut front, 20).await;
        assert_eq!(sent(&home)[2..], ["sparse true", "sparse true", "sparse true", "full true"]);

        let so_far = sent(&home).len();
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        turns(&mut front, 3).await;
        assert_eq!(sent(&home)[so_far..], ["exit true"], "once");
        let so_far = sent(&home).len();
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        turns(&mut front, 2).await;
        assert_eq!(sent(&home)[so_far..], ["reentry", "full true"], "the plan from before first");

        // Out and in again before anything was sent: only that planning is on.
        let so_far = sent(&home).len();
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        turns(&mut front, 1).await;
        assert_eq!(sent(&home)[so_far..], ["reentry", "full true"]);
        front.close().await;

        // Resumed: nothing is said twice.
        let so_far = sent(&home).len();
        let mut front =
            Front::open(Config { mode: None, ..home.config(SessionStart::Resume(SESSION), LOOPS) }).await;
        turns(&mut front, 3).await;
        assert_eq!(sent(&home)[so_far..], [] as [&str; 0]);
        forelook_testkit::check::requests(&home.requests());
        front.close().await;
    });
}

#[test]
fn a_reminder_stands_in_marks_of_its_own_and_names_everything() {
    life(async {
        let home = Home::new();
        home.file("a.txt", "a\n");
        let config = home.config(SessionStart::New(Some(SESSION)), LOOPS);
        let mut front = Front::open(Config { mode: Some(Mode::Plan), ..config }).await;
        turns(&mut front, 1).await;
        let request = &home.requests()[0]["messages"];
        let text = words(&request[1]);
        assert!(text.starts_with("<system-reminder>\n") && text.ends_with("\n</system-reminder>"), "{text}");
        let path = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::PlanNamed(named) => Some(named.path.to_string()),
            _ => None,
        });
        let path = path.unwrap();
        for part in [
            "Edit no file but the plan file",
            "overrides every other instruction",
            path.as_str(),
            "Write",
            "Phase 1",
            "Phase 2",
            "Phase 3",
            "Phase 4",
            "Phase 5",
            "ExitPlanMode",
            "Never ask for approval in plain text",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        front.close().await;
    });
}

#[test]
fn a_turn_that_enters_or_leaves_is_told_in_the_same_turn() {
    const ENTERS: &str = r#"
[[answer]]
call = [{ tool = "EnterPlanMode" }]
[[answer]]
call = [{ tool = "ExitPlanMode" }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), ENTERS);
        let reviewer = Responder::Person;
        let mut front = Front::open(Config { mode: Some(Mode::Default), reviewer, ..config }).await;
        front.say("Go").await;
        let question = front.question().await;
        front.answer(&question, forelook_protocol::HostAnswer::yes()).await.unwrap();
        let question = front.question().await;
        let forelook_protocol::HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
        let approval = forelook_protocol::Approval { hash: review.hash.clone(), ..Default::default() };
        let answer = forelook_protocol::HostAnswer::Plan(forelook_protocol::PlanAnswer::Approve(approval));
        front.answer(&question, answer).await.unwrap();
        front.turn_end().await;
        assert_eq!(sent(&home), ["full false", "exit false"]);
        assert_eq!(home.requests().len(), 3);
        let tools = |at: usize| home.requests()[at]["tools"].clone();
        assert!(tools(0) == tools(1) && tools(1) == tools(2), "the prefix stays as it is");
        front.close().await;
    });
}

#[test]
fn a_shell_that_ended_is_told_of_once() {
    const SHELL: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "exit 3", run_in_background = true } }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(SHELL).await;
        let told = |home: &Home| sent(home).iter().filter(|it| it.contains("ShellEnded")).count();
        // Whether it has ended by the next request is chance; that it is told of at some request is not.
        while told(&home) == 0 {
            turns(&mut front, 1).await;
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        turns(&mut front, 3).await;
        assert_eq!(told(&home), 1);
        assert!(home.last_request().iter().any(|it| words(it).contains("exit code 3")));
        front.close().await;
    });
}
