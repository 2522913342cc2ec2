//! Lines that come while a turn runs, and runs that begin in the middle of something.

use forelook_protocol::{
    AnsweredBy, Delivery, EntryBody, EntryId, HostRequest, PlanCommand, PlanReply, Prompt, PromptAccepted,
    PromptsWithdrawn, QueuedPrompt, TurnId,
};

use super::hosts::{permission, response};
use super::*;
use crate::testing::question;

fn words(prompt: &Prompt) -> String {
    let [UserBlock::Text { text }] = &prompt.content[..] else { panic!("{prompt:?}") };
    text.clone()
}

/// A turn that waits for an answer; prompts that come meanwhile wait behind it.
fn busy() -> impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send {
    let mut waiting: Vec<(EntryId, String)> = Vec::new();
    let mut running = false;
    move |stage, command| {
        match command {
            Command::Prompt(prompt) if running => waiting.push((stage.queues(prompt), words(prompt))),
            Command::Prompt(prompt) => {
                running = true;
                stage.begins(&words(prompt));
                stage.says(None, &format!("{}!", words(prompt)));
                stage.asks(1, permission());
            }
            Command::Answer { answer, .. } => {
                stage.closes(1, answer.clone());
                stage.ends(EndReason::Done);
                for (id, words) in waiting.drain(..) {
                    stage.begins_with(&words, Some(id));
                    stage.says(None, &format!("{words}!"));
                    stage.ends(EndReason::Done);
                }
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    }
}

#[tokio::test]
async fn prompts_that_come_while_a_turn_runs_wait_and_have_their_results_in_order() {
    let answer = response(1, json!({"behavior": "allow"})).to_string();
    let (one, two, plan, three) = (user("one"), user("two"), user("/plan list"), user("three"));
    let lines = [&*one, &two, &plan, &three, &answer];
    let (fake, input) = stage(&lines, busy());
    fake.set(|stage| stage.shown = PlanReply::List(Vec::new()));
    let seen = go(fake, Input::Stream(input), HostQuestions::Everything, STREAM).await;
    assert_eq!(seen.results(), ["one!", "two!", "No plans yet", "three!"]);
    // What there is to see is shown at once.
    let at =
        |kind: &str| seen.lines().iter().position(|line| line["subtype"] == kind || line["type"] == kind);
    assert!(at("plan") < at("result"));
    assert_eq!(seen.ended, RunOutcome::Done);
}

/// A prompt that steers is answered by the turn that it joins, and counts as a prompt all the same.
#[tokio::test]
async fn a_prompt_that_joins_a_running_turn_has_its_result_when_that_turn_ends() {
    let stop = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}});
    let lines = [user("go"), user("behind"), user("/plan write it"), stop.to_string()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (mut behind, mut joins) = (None, None);
    let (fake, input) = stage(&lines, move |stage, command| {
        match command {
            Command::Prompt(prompt) if words(prompt) == "go" => stage.begins("go"),
            Command::Prompt(prompt) => behind = Some(stage.queues(prompt)),
            Command::Plan(PlanCommand::Say { text, .. }) => {
                let content = vec![UserBlock::text(text.as_str())];
                joins = Some(stage.queues(&Prompt::person(content, Delivery::Steer)));
            }
            // Here it is only the moment at which all of this ends.
            Command::Interrupt => {
                let prompt = PromptAccepted::person(vec![UserBlock::text("write it")]);
                let prompt = PromptAccepted { queued: joins.take(), ..prompt };
                stage.record(None, EntryBody::PromptAccepted(prompt));
                stage.says(None, "Both done.");
                stage.ends(EndReason::Done);
                stage.begins_with("behind", behind.take());
                stage.says(None, "And this.");
                stage.ends(EndReason::Done);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    });
    let seen = go(fake, Input::Stream(input), HostQuestions::Nobody, STREAM).await;
    assert_eq!(seen.results(), ["Both done.", "Both done.", "And this."]);
    let turns: Vec<Value> = seen.of("result").iter().map(|line| line["num_turns"].clone()).collect();
    assert_eq!(turns[1], 0, "what a turn used is counted once: {turns:?}");
    assert_eq!(seen.ended, RunOutcome::Done);
}

/// A run that finds a session in the middle of a turn, with a question and a prompt that waits. It tells of them, but they
/// are nobody's prompts here, and a host that counts results would take theirs for its own.
#[tokio::test]
async fn what_runs_waits_and_is_open_when_it_attaches_is_told_and_has_no_result() {
    let (queued, behind) = (EntryId(uuid(50)), EntryId(uuid(51)));
    let (fake, input) =
        stage(&[&response(7, json!({"behavior": "allow"})).to_string()], move |stage, command| {
            if let Command::Answer { answer, .. } = command {
                stage.closes(7, answer.clone());
                stage.says(None, "First.");
                stage.ends(EndReason::Done);
                for (id, words) in [(queued, "Second."), (behind, "Third.")] {
                    stage.begins_with("go on", Some(id));
                    stage.says(None, words);
                    stage.ends(EndReason::Done);
                }
                stage.hangs_up();
            }
            Ok(())
        });
    fake.set(|stage| stage.runs(TurnId(4)));
    let mut attached = fake.attach();
    attached.snapshot.turn = Some(TurnId(4));
    let prompt = Prompt::person(vec![UserBlock::text("go on")], forelook_protocol::Delivery::NextTurn);
    attached.snapshot.queue = [queued, behind].map(|id| QueuedPrompt { id, prompt: prompt.clone() }).into();
    attached.snapshot.requests = vec![question(7, permission())];
    let seen = attached_to(fake, attached, Input::Stream(input), HostQuestions::Everything, STREAM).await;
    let first: Vec<Value> = seen.lines()[..2].iter().map(|line| line["type"].clone()).collect();
    assert_eq!(first, ["system", "control_request"]);
    assert_eq!(seen.of("control_request")[0]["request_id"], json!(uuid(7)));
    assert_eq!((seen.of("result").len(), seen.of("init").len()), (0, 3));
    assert_eq!(seen.of("assistant").len(), 3);
}

#[tokio::test]
async fn a_request_that_is_not_the_hosts_is_not_put_to_it() {
    let (fake, input) = stage(&[], |_, _| Ok(()));
    let mut attached = fake.attach();
    let message = json!({});
    let ask = HostAsk::Mcp { server: "calc".into(), message };
    let request = HostRequest { call: None, ..question(7, ask) };
    attached.snapshot.requests = vec![question(6, permission()), request];
    fake.set(|stage| stage.hangs_up());
    let seen = attached_to(fake, attached, Input::Stream(input), HostQuestions::Plans, STREAM).await;
    assert_eq!(seen.stdout, "");
}

/// A wish to stop is one to stop all of it.
#[tokio::test]
async fn a_stop_ends_what_waits_too() {
    let (signal, signals) = tokio::sync::mpsc::channel(1);
    let mut waits = None;
    let (fake, input) = stage(&[&user("one"), &user("two")], move |stage, command| {
        match command {
            Command::Prompt(prompt) if words(prompt) == "one" => stage.begins("one"),
            Command::Prompt(prompt) => {
                waits = Some(stage.queues(prompt));
                signal.try_send(forelook_protocol::StopSignal::Interrupt).unwrap();
            }
            Command::Interrupt => {
                stage.ends(EndReason::Interrupted);
                if let Some(queued) = waits.take() {
                    stage.begins_with("two", Some(queued));
                }
            }
            _ => {}
        }
        Ok(())
    });
    let attached = fake.attach();
    let seen =
        stoppable(fake, attached, (Input::Stream(input), HostQuestions::Nobody, STREAM), signals).await;
    assert_eq!((seen.of("result").len(), seen.ended), (2, RunOutcome::Interrupted));
}

/// An interrupt takes back what waits: the host hears how each prompt ended, in its place.
#[tokio::test]
async fn prompts_that_are_taken_back_have_their_results_in_order() {
    let stop = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}});
    let mut waiting = Vec::new();
    let lines = [user("one"), user("two"), user("/plan list"), user("three"), stop.to_string()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (fake, input) = stage(&lines, move |stage, command| {
        match command {
            Command::Prompt(prompt) if words(prompt) == "one" => stage.begins("one"),
            Command::Prompt(prompt) => waiting.push(stage.queues(prompt)),
            Command::Interrupt => {
                let prompts = std::mem::take(&mut waiting);
                let by = AnsweredBy::Session;
                stage.record(None, EntryBody::PromptsWithdrawn(PromptsWithdrawn { prompts, by }));
                stage.ends(EndReason::Interrupted);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    });
    fake.set(|stage| stage.shown = PlanReply::List(Vec::new()));
    let seen = go(fake, Input::Stream(input), HostQuestions::Nobody, STREAM).await;
    let ends: Vec<Value> = seen.of("result").iter().map(|line| line["terminal_reason"].clone()).collect();
    assert_eq!(ends, ["aborted_streaming", "aborted_streaming", "completed", "aborted_streaming"]);
    assert_eq!(seen.ended, RunOutcome::Interrupted);
}

/// Another front end may end the session.
#[tokio::test]
async fn a_session_that_ends_ends_the_run() {
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&user("go")], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.ends(EndReason::Interrupted);
            stage.live(LiveEvent::Closed);
        }
        Ok(())
    })
    .await;
    assert_eq!((seen.ended, seen.fake.commands().len()), (RunOutcome::Interrupted, 1));
}
