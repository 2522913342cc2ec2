//! What another front end does: the session as it is when this one comes, and questions that are answered there.

use forelook_protocol::{
    AnsweredBy, CommandError, Delivery, HostAnswer, Prompt, QuestionClosed, QueuedPrompt, RequestId,
    RequestState,
};

use super::asking::permission;
use super::*;

fn request(number: usize) -> RequestId {
    serde_json::from_value(json!(format!("00000000-0000-7000-8000-{number:012}"))).unwrap()
}

fn by(id: u32, name: &str) -> AnsweredBy {
    AnsweredBy::FrontEnd { id: FrontEndId(id), name: name.into() }
}

fn reply(number: usize, answer: HostAnswer, by: AnsweredBy) -> EntryBody {
    EntryBody::QuestionClosed(QuestionClosed { question: request(number), answer, by })
}

#[test]
fn a_question_that_is_answered_elsewhere_goes_and_says_by_whom() {
    let no = || HostAnswer::Deny { message: None };
    for (answer, by, expected) in [
        (HostAnswer::yes(), by(2, "web\x1b[2J page"), Some("Answered in web page: yes")),
        (no(), by(2, "web page"), Some("Answered in web page: no")),
        (HostAnswer::yes(), by(1, "terminal"), None),
        (HostAnswer::Interrupted, AnsweredBy::Session, None),
        (HostAnswer::yes(), AnsweredBy::Policy, None),
    ] {
        let mut world = World::new();
        world.record(permission(1, "Bash"));
        world.app.at(noon(1000));
        assert!(world.screen().contains("Allow this"));
        world.record(reply(1, answer, by));
        let screen = world.screen();
        assert!(!screen.contains("Allow this"), "{screen}");
        assert_eq!(screen.lines().find(|row| row.contains("Answered in")).map(str::trim), expected);
        assert_eq!(world.typed("y"), [], "what is typed now is for the composer");
    }
}

#[test]
fn a_key_for_a_question_that_went_is_no_answer_to_the_next() {
    let mut world = World::new();
    world.record(permission(1, "Bash"));
    world.record(permission(2, "Write"));
    world.app.at(noon(1000));
    world.record(reply(1, HostAnswer::yes(), by(2, "web page")));
    world.app.at(noon(1100));
    assert_eq!(world.typed("y"), []);
    world.app.at(noon(2000));
    let answer = HostAnswer::yes();
    assert_eq!(world.typed("y"), [UiEffect::Send(Command::Answer { request: request(2), answer })]);
}

#[test]
fn who_answers_second_is_told_once() {
    let mut world = World::new();
    world.record(permission(1, "Bash"));
    world.app.at(noon(1000));
    assert_eq!(world.typed("n").len(), 1);
    let closed = |by| RequestState::Closed { by, answer: Box::new(HostAnswer::yes()) };
    let late = |now| CommandError::NotOpen { request: request(1), now };
    world.record(reply(1, HostAnswer::yes(), by(2, "web page")));
    world.app.on_refused(&late(closed(by(2, "web page"))));
    let screen = world.screen();
    assert!(screen.contains("Answered in web page: yes") && !screen.contains("longer open"), "{screen}");
    world.app.on_refused(&late(closed(AnsweredBy::Session)));
    assert!(world.screen().contains("it was closed without an answer"));
}

#[test]
fn a_session_is_shown_as_it_stands() {
    let EntryBody::QuestionOpened(opened) = permission(1, "Bash") else { panic!("no question") };
    let prompt = Prompt::person(vec![UserBlock::text("and then this")], Delivery::NextTurn);
    let mut stands = snapshot(status());
    stands.turn = Some(TurnId(3));
    stands.queue = vec![QueuedPrompt { id: EntryId(request(9).0), prompt }];
    stands.requests = vec![opened.question];
    let mut world = World::new();
    world.app.begin(&stands, &[], 0);
    let screen = world.screen();
    for words in ["Waiting for your answer", "after this turn: and then this", "Allow this"] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert_eq!(world.typed("y"), [], "it has only just appeared");
    world.app.at(noon(1000));
    assert_eq!(world.typed("y").len(), 1);
    assert_eq!(world.app.input(Input::Key(Key::plain(Code::Esc))), [UiEffect::Send(Command::Interrupt)]);
}
