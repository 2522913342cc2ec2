//! Answers that come only after some attempts, or from somebody else.

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    AnswerEvent, Command, Cost, Delivery, EndReason, EntryBody, Event, FailureKind, LiveEvent, Retry,
};

use crate::common::{Front, Home, SESSION, life, words};

async fn begin(home: &Home, script: &str, fallback: Option<&str>) -> Front {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let front = Front::open(Config { fallback: fallback.map(str::to_owned), ..config }).await;
    front.say("Do it").await;
    front
}

/// The next word that it is tried again.
async fn again(front: &mut Front) -> Retry {
    loop {
        if let Event::Live(LiveEvent::Answer { event: AnswerEvent::Retrying(retry), .. }) =
            front.event().await
        {
            return retry;
        }
    }
}

const CUT: &str = "[[answer]]\ntext = 'Half of it.'\n\
    call = [{ tool = 'Bash', input = { command = 'echo once >> ran' } }]\n\
    fail = { kind = 'connection', message = 'cut', after = 6, times = 2, retry_after_ms = 1 }\n\
    [[answer]]\ntext = 'Fine.'";

#[test]
fn an_answer_that_was_cut_is_asked_for_again_and_carried_out_once() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, CUT, None).await;
        let attempts = [again(&mut front).await, again(&mut front).await];
        assert_eq!(
            attempts.map(|it| (it.attempt, it.failure.kind, it.fallback)),
            [(2, FailureKind::Connection, None), (3, FailureKind::Connection, None)]
        );
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("ran").as_deref(), Some("once\n"));
        // Nothing of the attempts in vain is anywhere: neither in the journal nor in what is sent.
        let answers =
            home.entries().iter().filter(|entry| matches!(entry.body, EntryBody::ModelAnswered(_))).count();
        assert_eq!(answers, 2);
        let requests = home.requests();
        assert_eq!(requests.len(), 4);
        assert!(requests[..3].iter().all(|request| *request == requests[0]), "the same request each time");
        home.last_request();
        front.close().await;
    });
}

#[test]
fn esc_ends_the_waiting_at_once() {
    const SCRIPT: &str = "[[answer]]\ntext = 'x'\n\
        fail = { kind = 'rate_limited', message = 'later', retry_after_ms = 500000 }";
    life(async {
        let home = Home::new();
        let mut front = begin(&home, SCRIPT, None).await;
        let retry = again(&mut front).await;
        assert!((500_000..=550_000).contains(&retry.wait_ms), "{retry:?}");
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        assert_eq!(front.go_on().await, EndReason::Done);
        front.close().await;
    });
}

#[test]
fn what_does_not_pass_ends_the_turn() {
    const SCRIPT: &str = "[[answer]]\ntext = 'x'\nfail = { kind = 'authentication', message = 'no key' }";
    life(async {
        let home = Home::new();
        let mut front = begin(&home, SCRIPT, None).await;
        let EndReason::Provider { failure } = front.turn_end().await else { panic!("an answer came") };
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Authentication, "no key"));
        assert_eq!(home.requests().len(), 1);
        front.close().await;
    });
}

#[test]
fn a_busy_models_stand_in_answers_for_the_rest_of_the_turn() {
    const SCRIPT: &str = "[[answer]]\ncall = [{ tool = 'Bash', input = { command = 'true' } }]\n\
        usage = { input_tokens = 7, output_tokens = 3 }\n\
        fail = { kind = 'overloaded', message = 'busy', times = 3, retry_after_ms = 1 }\n\
        [[answer]]\nname = 'end'\ntext = 'Fine.'\nnext = [{ goto = 'end' }]";
    life(async {
        let home = Home::new();
        let mut front = begin(&home, SCRIPT, Some("scripted/other")).await;
        for _ in 0..2 {
            assert_eq!(again(&mut front).await.fallback, None);
        }
        let retry = again(&mut front).await;
        assert_eq!((retry.fallback.as_deref(), retry.wait_ms), (Some("scripted/other"), 0));
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(front.go_on().await, EndReason::Done);
        let models: Vec<_> = home.requests().iter().map(|it| words_of_model(it).to_owned()).collect();
        assert_eq!(models, ["main", "main", "main", "other", "other", "main"]);
        // And what it cost is what the stand-in costs.
        let cost = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::ModelAnswered(answered) => answered.cost,
            _ => None,
        });
        assert_eq!(cost, Some(Cost(7 * 5 + 3 * 10)));
        front.close().await;
    });
}

fn words_of_model(request: &serde_json::Value) -> &str {
    request["model"].as_str().unwrap()
}

#[test]
fn a_prompt_that_comes_while_it_waits_is_not_lost() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, CUT, None).await;
        again(&mut front).await;
        front.say_for("And this", Delivery::Steer).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let told: Vec<_> = home.last_request().iter().map(words).collect();
        assert!(told.iter().any(|text| text.contains("And this")), "{told:?}");
        front.close().await;
    });
}
