//! Prompts that come while a turn is running.

use forelook_engine::Responder;
use forelook_protocol::{
    Command, Delivery, EndReason, EntryBody, FrontEnd, HostAnswer, Prompt, TurnId, UserBlock,
};

use crate::common::{Front, Home, ends, kinds, life, words};

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

#[test]
fn an_interrupt_keeps_the_queue() {
    life(async {
        let home = Home::new();
        let mut front = busy(&home).await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        // The first that waits opens a turn; one that steers joins it after its first answer.
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(
            outline(&home.last_request()),
            ["Do it", "answer", "results", "later", "answer", "quickly"]
        );
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
