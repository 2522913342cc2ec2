//! Prompts that come while a turn is running.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    AnsweredBy, Command, CommandError, Delivery, EndReason, EntryBody, EntryId, FrontEnd, HostAnswer, Prompt,
    TurnId, UserBlock,
};

use crate::common::{Front, Home, SESSION, ends, kinds, life, words};

/// The question holds the turn for as long as a test needs it.
const SCRIPT: &str = r#"
[[answer]]
text = "I ask."
call = [{ tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } }]
[[answer]]
name = "say"
text = "Said."
next = [{ goto = "say" }]
"#;

/// A turn that waits for an answer, and two prompts behind it.
async fn busy(home: &Home) -> Front {
    let mut front = home.begin(SCRIPT).await;
    front.say("Do it").await;
    front.question().await;
    front.say_for("later", Delivery::NextTurn).await;
    front.say_for("quickly", Delivery::Steer).await;
    front
}

async fn dismiss(front: &Front) {
    let question = front.heard.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::QuestionOpened(opened) => Some(opened.question.clone()),
        _ => None,
    });
    front.answer(&question.unwrap(), HostAnswer::Dismissed).await.unwrap();
}

/// Who said what, without the words of results and answers.
fn outline(messages: &[serde_json::Value]) -> Vec<String> {
    let line = |message: &serde_json::Value| match (&message["role"], &message["blocks"][0]["type"]) {
        (role, _) if role == "assistant" => "answer".to_owned(),
        (_, kind) if kind == "tool_result" => "results".to_owned(),
        _ => words(message),
    };
    messages.iter().map(line).collect()
}

/// The turn that runs and the words that wait behind it, as somebody sees them who comes now.
async fn ahead(front: &Front) -> (Option<TurnId>, Vec<Prompt>) {
    let snapshot = Front::attach(&front.client, FrontEnd::watching("another")).await.snapshot;
    (snapshot.turn, snapshot.queue.into_iter().map(|it| it.prompt).collect())
}

fn prompt(words: &str, delivery: Delivery) -> Prompt {
    Prompt::person(vec![UserBlock::text(words)], delivery)
}

#[test]
fn a_prompt_that_steers_comes_after_the_results_and_one_that_waits_has_a_turn_of_its_own() {
    life(async {
        let home = Home::new();
        let mut front = busy(&home).await;
        let waits = [prompt("later", Delivery::NextTurn), prompt("quickly", Delivery::Steer)];
        assert_eq!(ahead(&front).await, (Some(TurnId(1)), waits.to_vec()));
        dismiss(&front).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let first = ["Do it", "answer", "results", "quickly"];
        assert_eq!(outline(home.requests()[1]["messages"].as_array().unwrap()), first);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(outline(&home.last_request())[4..], ["answer", "later"]);
        assert_eq!(home.requests().len(), 3);
        assert_eq!(ahead(&front).await, (None, Vec::new()));
        front.close().await;
    });
}

/// A prompt that steers and comes when the model has nothing more to do makes it go on in the same turn.
#[test]
fn a_prompt_that_steers_keeps_a_turn_from_ending() {
    const SLOW: &str =
        "chunk = 1\n[[answer]]\ntext = 'Said slowly.'\npace_ms = 2\n[[answer]]\ntext = 'Said.'";
    life(async {
        let home = Home::new();
        let mut front = home.begin(SLOW).await;
        front.say("Do it").await;
        // The answer is under way.
        front.until(|body| matches!(body, EntryBody::PromptAccepted(_)).then_some(())).await;
        front.say_for("quickly", Delivery::Steer).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(outline(&home.last_request()), ["Do it", "answer", "quickly"]);
        front.close().await;
    });
}

/// Otherwise its answer would never come: the turn ends there.
#[test]
fn a_prompt_that_steers_waits_for_a_turn_of_its_own_if_the_running_one_is_used_up() {
    life(async {
        let home = Home::new();
        let mut config =
            home.config(forelook_engine::SessionStart::New(Some(crate::common::SESSION)), SCRIPT);
        config.max_turns = Some(1);
        let mut front = Front::open(config).await;
        front.say("Do it").await;
        front.question().await;
        front.say_for("quickly", Delivery::Steer).await;
        dismiss(&front).await;
        assert_eq!(front.turn_end().await, EndReason::MaxTurns { limit: 1 });
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(outline(&home.last_request()), ["Do it", "answer", "results", "quickly"]);
        front.close().await;
    });
}

/// The prompts that the newest entry of this kind took back, in their order, and by whom.
fn withdrawn(front: &Front) -> (Vec<String>, AnsweredBy) {
    let queued = |id: &EntryId| {
        let body = front.heard.iter().find(|entry| entry.id == *id).map(|entry| &entry.body);
        let Some(EntryBody::PromptQueued(queued)) = body else { panic!("{body:?}") };
        let [UserBlock::Text { text }] = &queued.prompt.content[..] else { panic!("no text") };
        text.clone()
    };
    let found = front.heard.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::PromptsWithdrawn(it) => Some((it.prompts.iter().map(queued).collect(), it.by.clone())),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn an_interrupt_gives_the_queue_back_in_order_and_nothing_of_it_runs() {
    let home = Home::new();
    life(async {
        let mut front = busy(&home).await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        let (words, by) = withdrawn(&front);
        assert_eq!(words, ["later", "quickly"]);
        assert!(matches!(by, AnsweredBy::FrontEnd { id, .. } if id == front.snapshot.front_end), "{by:?}");
        assert_eq!(ahead(&front).await, (None, Vec::new()));
        // The next words are the only ones that the model hears.
        front.say("go on").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(outline(&home.last_request()), ["Do it", "answer", "results", "go on"]);
        front.close().await;
    });
    life(async {
        let front = home.resume(SCRIPT, Responder::Person).await;
        assert_eq!(ahead(&front).await, (None, Vec::new()), "nothing of it comes back with the session");
        front.close().await;
    });
}

#[test]
fn a_queued_prompt_is_taken_back_once_and_the_others_stay() {
    life(async {
        let home = Home::new();
        let mut front = busy(&home).await;
        let last = Front::attach(&front.client, FrontEnd::watching("another")).await.snapshot.queue[1].id;
        front.send(Command::TakeBack { prompt: last }).await.unwrap();
        let again = front.send(Command::TakeBack { prompt: last }).await;
        assert_eq!(again.unwrap_err(), CommandError::NotQueued);
        assert_eq!(ahead(&front).await, (Some(TurnId(1)), vec![prompt("later", Delivery::NextTurn)]));
        dismiss(&front).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(withdrawn(&front).0, ["quickly"]);
        assert_eq!(outline(&home.last_request()), ["Do it", "answer", "results", "answer", "later"]);
        front.close().await;
    });
}

#[test]
fn queued_prompts_survive_a_kill_and_are_taken_up() {
    let home = Home::new();
    life(async { busy(&home).await });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Nobody).await;
        // The first one was closed before anybody attached.
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(ends(&home), [(TurnId(1), EndReason::Interrupted), (TurnId(2), EndReason::Done)]);
        let said = ["Do it", "answer", "results", "later", "answer", "quickly"];
        assert_eq!(outline(&home.last_request()), said);
        front.close().await;
    });
}

#[test]
fn a_prompt_that_steers_survives_a_kill_and_comes_right_after_the_results() {
    let home = Home::new();
    life(async { busy(&home).await });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Person).await;
        front.question().await;
        dismiss(&front).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let said = ["Do it", "answer", "results", "quickly"];
        assert_eq!(outline(home.requests()[1]["messages"].as_array().unwrap()), said);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(outline(&home.last_request())[4..], ["answer", "later"]);
        front.close().await;
    });
}

/// The session again for somebody who brings new words, in the same journal or in a fork of it.
async fn resume_with(home: &Home, start: SessionStart, responder: Responder, words: &str) -> Front {
    let config = Config { responder, reviewer: responder, ..home.config(start, SCRIPT) };
    let client = forelook_engine::open(config).await.unwrap();
    let front = Front::attach(&client, FrontEnd::attended("test").with_prompt(true)).await;
    front.say(words).await;
    front
}

#[test]
fn new_words_after_a_kill_come_last_and_nothing_of_the_queue_runs_after_them() {
    for start in [SessionStart::Resume(SESSION), SessionStart::Fork(SESSION)] {
        for responder in [Responder::Nobody, Responder::Person] {
            let home = Home::new();
            life(async { busy(&home).await });
            let before = home.requests().len();
            life(async {
                let mut front = resume_with(&home, start, responder, "STOP").await;
                assert_eq!(front.turn_end().await, EndReason::Done);
                let said = ["Do it", "answer", "results", "later", "quickly", "STOP"];
                assert_eq!(outline(&home.last_request()), said, "{start:?} {responder:?}");
                assert_eq!(ahead(&front).await, (None, Vec::new()));
                assert_eq!(home.requests().len() - before, 1);
                front.close().await;
            });
        }
    }
}

/// Whoever comes without words sees the queue go on. What they say then takes along what still waits.
#[test]
fn words_that_steer_take_along_what_waited_before_the_kill() {
    let slow = format!("chunk = 1\n{}", SCRIPT.replace("name = \"say\"", "name = \"say\"\npace_ms = 5"));
    let home = Home::new();
    life(async { busy(&home).await.say_for("then", Delivery::NextTurn).await });
    life(async {
        let mut front = home.resume(&slow, Responder::Nobody).await;
        front.say_for("STOP", Delivery::Steer).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let said = ["later", "answer", "quickly", "then", "STOP"];
        assert_eq!(outline(&home.last_request())[3..], said);
        assert_eq!(ahead(&front).await, (None, Vec::new()));
        front.close().await;
    });
}

/// What was said to a session that is closing is not lost either.
#[test]
fn prompts_that_wait_when_a_session_is_closed_are_taken_up_later() {
    let home = Home::new();
    life(async { busy(&home).await.close().await });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Person).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let said = ["Do it", "answer", "results", "later", "answer", "quickly"];
        assert_eq!(outline(&home.last_request()), said);
        front.close().await;
    });
}

/// A program that ends drops its turn before or after its session, as it comes. Either way the journal stays
/// as it was: a prompt that is taken and never answered would be lost.
#[test]
fn a_program_that_ends_takes_no_prompt_from_the_queue() {
    for _ in 0..30 {
        let home = Home::new();
        life(async { busy(&home).await });
        assert_eq!(kinds(&home.entries())[6..], ["question_opened", "prompt_queued", "prompt_queued"]);
    }
}
