//! Whose words a prompt is: told to the journal, and only a person's count as theirs.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    Approval, Command, CommandError, EndReason, EntryBody, HostAnswer, HostAsk, Mode, Origin, PlanAnswer,
    ReminderKind,
};

use crate::common::{Front, Home, SESSION, life};

const SAYS: &str = "[[answer]]\nname = 'end'\ntext = 'Done.'\nnext = [{ goto = 'end' }]\n";

fn teammate() -> Origin {
    Origin::Teammate { name: "ada".into() }
}

fn channel() -> Origin {
    Origin::Channel { channel: "chat".into(), sender: "eve".into() }
}

/// The origins of all prompts that reached a conversation, and whether it was an agent's.
fn origins(home: &Home) -> Vec<(bool, Origin)> {
    let prompts = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::PromptAccepted(accepted) => Some((entry.agent.is_some(), accepted.origin)),
        _ => None,
    });
    prompts.collect()
}

/// How often the model was reminded that planning is on.
fn reminders(home: &Home) -> usize {
    let reminds = |body: &EntryBody| matches!(body, EntryBody::Reminder(it) if matches!(it.kind, ReminderKind::PlanMode { .. }));
    home.entries().iter().filter(|entry| reminds(&entry.body)).count()
}

/// Reminders come again after some human turns. The same conversation, by others, has none.
#[test]
fn only_a_persons_prompt_is_a_human_turn() {
    for (origin, reminded) in
        [(Origin::Person, 2), (Origin::Host, 1), (teammate(), 1), (channel(), 1), (Origin::Schedule, 1)]
    {
        life(async {
            let home = Home::new();
            let config = home.config(SessionStart::New(Some(SESSION)), SAYS);
            let mut front = Front::open(Config { mode: Some(Mode::Plan), ..config }).await;
            for _ in 0..7 {
                front.say_as("go", origin.clone()).await.unwrap();
                assert_eq!(front.turn_end().await, EndReason::Done);
            }
            assert_eq!(reminders(&home), reminded, "{origin:?}");
            assert_eq!(origins(&home), vec![(false, origin.clone()); 7]);
            front.close().await;
        });
    }
}

#[test]
fn what_waits_keeps_its_origin_over_a_kill_too() {
    const HOLDS: &str = r#"
[[answer]]
call = [{ tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } }]
[[answer]]
name = "say"
text = "Said."
next = [{ goto = "say" }]
"#;
    let home = Home::new();
    life(async {
        let mut front = home.begin(HOLDS).await;
        front.say("Do it").await;
        front.question().await;
        front.say_as("made up", Origin::Host).await.unwrap();
        front.say_as("from a chat", channel()).await.unwrap();
    });
    life(async {
        let mut front = home.resume(HOLDS, Responder::Nobody).await;
        let waits: Vec<Origin> = front.snapshot.queue.iter().map(|it| it.prompt.origin.clone()).collect();
        assert_eq!(waits, [channel()], "the first of them began a turn");
        front.turn_end().await;
        front.turn_end().await;
        let expected = [Origin::Person, Origin::Host, channel()].map(|origin| (false, origin));
        assert_eq!(origins(&home), expected);
        front.close().await;
    });
}

/// Some origins stand for consent or for the session's own words. Nobody outside can claim them.
#[test]
fn what_only_the_session_says_is_refused() {
    life(async {
        let home = Home::new();
        let front = home.begin(SAYS).await;
        let before = home.entries().len();
        for origin in [Origin::Plan { plan: "# Mine\n".into() }, Origin::Agent, Origin::Hook] {
            assert_eq!(front.say_as("go", origin.clone()).await, Err(CommandError::Origin), "{origin:?}");
        }
        assert_eq!(home.entries().len(), before);
        assert_eq!(home.requests().len(), 0);
        front.close().await;
    });
}

#[test]
fn a_fresh_start_is_the_approved_plans() {
    const PLAN: &str = "# Plan\n\n1. Do it.\n";
    const EXITS: &str = "[[start]]\nprompt = 'Plan it'\ngoto = 'exit'\n\
        [[answer]]\nname = 'end'\ntext = 'Done.'\nnext = [{ goto = 'end' }]\n\
        [[answer]]\nname = 'exit'\ncall = [{ tool = 'ExitPlanMode' }]\nnext = [{ goto = 'end' }]\n";
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), EXITS);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let named = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::PlanNamed(named) => Some(named.path),
            _ => None,
        });
        std::fs::write(named.unwrap(), PLAN).unwrap();
        front.say("Plan it").await;
        let question = front.question().await;
        let HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
        let (hash, fresh_context) = (review.hash.clone(), true);
        let approval = Approval { hash, fresh_context, ..Approval::default() };
        front.answer(&question, HostAnswer::Plan(PlanAnswer::Approve(approval))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let plan = Origin::Plan { plan: PLAN.into() };
        assert_eq!(origins(&home), [(false, Origin::Person), (false, plan)]);
        front.close().await;
    });
}

#[test]
fn a_subagents_prompt_is_its_callers() {
    const STARTS: &str = r#"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
call = [{ tool = "Agent", input = { description = "Look", prompt = "TASK one", subagent_type = "Explore" } }]
[[answer]]
text = "Done."
[[answer]]
name = "agent"
text = "I found it."
"#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(STARTS).await;
        front.say("Go").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(origins(&home), [(false, Origin::Person), (true, Origin::Agent)]);
        front.close().await;
    });
}
