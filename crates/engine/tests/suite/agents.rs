//! Subagents: begun, watched, held to their parent's mode, stopped with it.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{CallStatus, Command, EndReason, Entry, EntryBody, HostAnswer, Mode};

use crate::common::{Front, Home, SESSION, life, words};

/// The main agent starts one agent; the agent tries to write, reads, and reports.
fn starts(kind: &str, tries: &str) -> String {
    format!(
        r#"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
call = [{{ tool = "Agent", input = {{ description = "Look around", prompt = "TASK one", subagent_type = "{kind}" }} }}]
[[answer]]
name = "end"
text = "Done."
next = [{{ goto = "end" }}]
[[answer]]
name = "agent"
text = "Trying."
{tries}
[[answer]]
text = "I found it."
usage = {{ input_tokens = 70, output_tokens = 7 }}
"#
    )
}

const WRITES: &str = r#"
[[answer.call]]
tool = "Bash"
input = { command = "touch made" }
[[answer.call]]
tool = "Write"
input = { file_path = "new.txt", content = "x" }
[[answer.call]]
tool = "Bash"
input = { command = "cat a.txt" }
"#;

fn of_agents(entries: &[Entry]) -> Vec<(CallStatus, String)> {
    let finished =
        entries.iter().filter(|entry| entry.agent.is_some()).filter_map(|entry| match &entry.body {
            EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
            _ => None,
        });
    finished.collect()
}

fn result(home: &Home) -> String {
    let finished = home.entries().into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) if entry.agent.is_none() => Some(finished.result.text()),
        _ => None,
    });
    finished.unwrap()
}

async fn run(home: &Home, mode: Mode, script: &str) -> EndReason {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let config = Config { mode: Some(Mode::BypassPermissions), responder: Responder::Nobody, ..config };
    let mut front = Front::open(config).await;
    front.send(Command::SetMode(mode)).await.unwrap();
    front.say("Go").await;
    let end = front.turn_end().await;
    front.close().await;
    end
}

#[test]
fn an_agent_works_and_reports() {
    life(async {
        let home = Home::new();
        home.file("a.txt", "here\n");
        let end = run(&home, Mode::BypassPermissions, &starts("general-purpose", WRITES)).await;
        assert_eq!(end, EndReason::Done);
        assert!(home.text("made").is_some() && home.text("new.txt").is_some());
        let text = result(&home);
        assert!(
            text.contains("I found it.") && text.contains("70 input tokens, 7 output tokens"),
            "what it said and what it cost: {text}"
        );
        let entries = home.entries();
        let ended = entries.iter().find_map(|entry| match &entry.body {
            EntryBody::AgentEnded(ended) => Some(ended.clone()),
            _ => None,
        });
        let ended = ended.unwrap();
        assert_eq!((ended.reason, ended.calls), (EndReason::Done, 3));
        // Its conversation is its own.
        let main = home.requests().into_iter().rfind(|it| words(&it["messages"][0]) == "Go").unwrap();
        let said: String = main["messages"].as_array().unwrap().iter().map(words).collect();
        assert!(!said.contains("Trying."), "{said}");
        let end = entries.iter().rev().find_map(|entry| match &entry.body {
            EntryBody::TurnEnded(ended) => Some(ended.usage),
            _ => None,
        });
        assert_eq!(end.unwrap().input_tokens, 70, "its cost is part of the turn's");
    });
}

#[test]
fn agents_that_only_read_do_so_in_every_mode() {
    life(async {
        for kind in ["Explore", "Plan"] {
            for mode in [Mode::BypassPermissions, Mode::AcceptEdits, Mode::Plan] {
                let home = Home::new();
                home.file("a.txt", "here\n");
                run(&home, mode, &starts(kind, WRITES)).await;
                let results = of_agents(&home.entries());
                use CallStatus::{Denied, Invalid, Ran};
                let statuses: Vec<CallStatus> = results.iter().map(|(status, _)| *status).collect();
                assert_eq!(statuses, [Denied, Invalid, Ran], "{kind} in {mode}: {results:?}");
                assert_eq!((home.text("made"), home.text("new.txt")), (None, None));
                let reminded = home.entries().iter().any(|entry| {
                    matches!(&entry.body, EntryBody::Reminder(it) if it.kind == forelook_protocol::ReminderKind::ReadOnlyAgent)
                });
                assert!(reminded);
            }
        }
    });
}

#[test]
fn an_agent_of_a_planning_parent_plans() {
    life(async {
        let home = Home::new();
        home.file("a.txt", "here\n");
        run(&home, Mode::Plan, &starts("general-purpose", WRITES)).await;
        let results = of_agents(&home.entries());
        let statuses: Vec<CallStatus> = results.iter().map(|(status, _)| *status).collect();
        assert_eq!(statuses, [CallStatus::Denied, CallStatus::Denied, CallStatus::Ran]);
        assert!(results[1].1.contains("-agent-"), "its plan file is its own: {}", results[1].1);
        assert_eq!((home.text("made"), home.text("new.txt")), (None, None));
    });
}

#[test]
fn exit_plan_mode_in_an_agent_is_just_ok() {
    life(async {
        let home = Home::new();
        let exits = "[[answer.call]]\ntool = \"ExitPlanMode\"\n[[answer.call]]\ntool = \"EnterPlanMode\"\n";
        run(&home, Mode::Plan, &starts("general-purpose", exits)).await;
        let results = of_agents(&home.entries());
        assert_eq!(results[0].0, CallStatus::Ran);
        assert!(results[0].1.contains("ok"), "{}", results[0].1);
        assert_eq!(results[1].0, CallStatus::Invalid, "an agent has no such tool");
        let reviewed = home.entries().iter().any(|entry| matches!(entry.body, EntryBody::PlanReviewed(_)));
        assert!(!reviewed);
    });
}

#[test]
fn a_change_of_the_parents_mode_holds_before_the_next_call() {
    const SLOW: &str = r#"
[[answer.call]]
tool = "Bash"
input = { command = "until test -e go; do sleep 0.02; done" }
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch made" }
"#;
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), &starts("general-purpose", SLOW));
        let mut front = Front::open(Config { responder: Responder::Nobody, ..config }).await;
        front.say("Go").await;
        // The agent's own call, not the one that started it.
        for _ in 0..2 {
            front.until(|body| matches!(body, EntryBody::ToolStarted(_)).then_some(())).await;
        }
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        home.file("go", "");
        front.turn_end().await;
        assert_eq!(home.text("made"), None);
        front.close().await;
    });
}

/// Two agents at once; each runs this command and then reports.
fn starts_two(command: &str) -> String {
    format!(
        r#"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
[[answer.call]]
tool = "Agent"
input = {{ description = "one", prompt = "TASK one", subagent_type = "general-purpose" }}
[[answer.call]]
tool = "Agent"
input = {{ description = "two", prompt = "TASK two", subagent_type = "general-purpose" }}
[[answer]]
name = "end"
text = "Done."
next = [{{ goto = "end" }}]
[[answer]]
name = "agent"
call = [{{ tool = "Bash", input = {{ command = "{command}" }} }}]
[[answer]]
text = "Reported."
"#
    )
}

#[test]
fn an_interrupt_stops_all_agents() {
    let script = starts_two("sleep 600");
    life(async {
        let home = Home::new();
        let mut front = home.begin(&script).await;
        front.say("Go").await;
        let mut running = 0;
        while running < 2 {
            front.until(|body| matches!(body, EntryBody::ToolStarted(_)).then_some(())).await;
            let begun = |entry: &&std::sync::Arc<Entry>| {
                entry.agent.is_some() && matches!(entry.body, EntryBody::ToolStarted(_))
            };
            running = front.heard.iter().filter(begun).count();
        }
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        let ended: Vec<EndReason> = home
            .entries()
            .into_iter()
            .filter_map(|entry| match entry.body {
                EntryBody::AgentEnded(ended) => Some(ended.reason),
                _ => None,
            })
            .collect();
        assert_eq!(ended, [EndReason::Interrupted, EndReason::Interrupted]);
        assert_eq!(front.go_on().await, EndReason::Done);
        home.last_request();
        front.close().await;
    });
}

#[test]
fn agents_run_side_by_side_and_their_questions_name_them() {
    let script = starts_two("touch made");
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("Go").await;
        // Both ask at the same time: neither waits for the other.
        let (one, two) = (front.question().await, front.question().await);
        assert!(one.agent.is_some() && two.agent.is_some() && one.agent != two.agent);
        front.answer(&two, HostAnswer::Deny { message: None }).await.unwrap();
        front.answer(&one, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("made").is_some());
        forelook_testkit::check::journal(home.journal().as_path());
        front.close().await;
    });
}

/// What no model answered is no report.
#[test]
fn an_agent_whose_model_declines_has_failed() {
    let script = starts("general-purpose", "stop = \"refusal\"\n");
    life(async {
        let home = Home::new();
        assert_eq!(run(&home, Mode::BypassPermissions, &script).await, EndReason::Done);
        assert!(result(&home).contains("declined to answer"), "{}", result(&home));
    });
}

#[test]
fn a_killed_session_ends_its_agents_when_it_is_loaded() {
    let script =
        starts("general-purpose", "[[answer.call]]\ntool = \"Bash\"\ninput = { command = \"touch made\" }\n");
    let home = Home::new();
    life(async {
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("Go").await;
        front.question().await;
    });
    life(async {
        let mut front = home.resume(&script, Responder::Person).await;
        assert!(home.entries().iter().any(|entry| matches!(entry.body, EntryBody::AgentEnded(_))));
        assert_eq!(front.go_on().await, EndReason::Done);
        let request = home.last_request();
        let said: String = request.iter().map(words).collect();
        assert!(said.contains("may have run"), "{said}");
        front.close().await;
    });
}
