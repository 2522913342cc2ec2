//! Turns have numbers: whoever sends a prompt learns which turn it began, or behind which it waits.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    Command, CommandAccepted, Delivery, EndReason, EntryBody, EntryId, HostAnswer, Mode, Origin, PlanCommand,
    Prompt, TurnId, UserBlock,
};

use crate::common::{Front, Home, SESSION, ends, life, words};

/// "ask" leads to a question, which holds the turn for as long as a test needs it; everything else to words.
const SCRIPT: &str = r#"
start = [{ prompt = "^ask$", goto = "ask" }]
[[answer]]
name = "say"
text = "Said."
next = [{ prompt = "^ask$", goto = "ask" }, { goto = "say" }]
[[answer]]
name = "ask"
call = [{ tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } }]
next = [{ goto = "say" }]
"#;

async fn person(front: &Front, words: &str) -> CommandAccepted {
    front.say_as(words, Origin::Person).await.unwrap()
}

async fn steer(front: &Front, words: &str) -> CommandAccepted {
    let prompt = Prompt::person(vec![UserBlock::text(words)], Delivery::Steer);
    front.send(Command::Prompt(prompt)).await.unwrap()
}

/// The next turn to end.
async fn ended(front: &mut Front) -> TurnId {
    front.until(|body| if let EntryBody::TurnEnded(ended) = body { Some(ended.turn) } else { None }).await
}

/// What began, what was said and what ended, in order.
fn story(home: &Home) -> Vec<String> {
    let line = |body| match body {
        EntryBody::TurnStarted(started) => Some(format!("turn {}", started.turn)),
        EntryBody::PromptAccepted(accepted) => Some(format!("said {}", text(&accepted.content))),
        EntryBody::TurnEnded(ended) => Some(format!("end {}", ended.turn)),
        _ => None,
    };
    home.entries().into_iter().filter_map(|entry| line(entry.body)).collect()
}

fn text(content: &[UserBlock]) -> String {
    words(&serde_json::json!({ "blocks": content }))
}

/// The entry with which these words were queued, and the one that their prompt says it waited with.
fn waited(home: &Home, said: &str) -> (Option<EntryId>, Option<EntryId>) {
    let (mut entry, mut queued) = (None, None);
    for it in home.entries() {
        match it.body {
            EntryBody::PromptQueued(waits) if text(&waits.prompt.content) == said => entry = Some(it.id),
            EntryBody::PromptAccepted(accepted) if text(&accepted.content) == said => {
                queued = accepted.queued
            }
            _ => {}
        }
    }
    (entry, queued)
}

#[test]
fn a_prompt_begins_a_turn_or_waits_behind_one() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SCRIPT).await;
        assert_eq!(front.snapshot.turn, None);
        assert_eq!(person(&front, "ask").await, CommandAccepted::Turn(TurnId(1)));
        let question = front.question().await;
        let CommandAccepted::Queued { prompt: later, behind } = person(&front, "later").await else {
            panic!("a turn is running")
        };
        assert_eq!(behind, TurnId(1));
        let CommandAccepted::Queued { prompt: quickly, behind } = steer(&front, "quickly").await else {
            panic!("a turn is running")
        };
        assert_eq!(behind, TurnId(1));
        front.answer(&question, HostAnswer::Dismissed).await.unwrap();
        assert_eq!(ended(&mut front).await, TurnId(1));
        assert_eq!(ended(&mut front).await, TurnId(2));
        assert_eq!(waited(&home, "ask"), (None, None));
        assert_eq!(waited(&home, "later"), (Some(later), Some(later)));
        assert_eq!(waited(&home, "quickly"), (Some(quickly), Some(quickly)));
        let expected = ["turn 1", "said ask", "said quickly", "end 1", "turn 2", "said later", "end 2"];
        assert_eq!(story(&home), expected);
        front.close().await;
    });
}

/// Whoever hears that a turn is over can rely on it: the next prompt waits behind nothing.
#[test]
fn a_prompt_after_the_end_of_a_turn_begins_one() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SCRIPT).await;
        for turn in (1..=50).map(TurnId) {
            assert_eq!(person(&front, "go").await, CommandAccepted::Turn(turn));
            assert_eq!(ended(&mut front).await, turn);
        }
        front.close().await;
    });
}

#[test]
fn a_resumed_session_counts_on_and_so_does_a_fork() {
    let home = Home::new();
    life(async {
        let mut front = home.begin(SCRIPT).await;
        for turn in [1, 2].map(TurnId) {
            assert_eq!(person(&front, "go").await, CommandAccepted::Turn(turn));
            assert_eq!(ended(&mut front).await, turn);
        }
        front.close().await;
    });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Person).await;
        assert_eq!(front.snapshot.turn, None);
        assert_eq!(person(&front, "go").await, CommandAccepted::Turn(TurnId(3)));
        assert_eq!(ended(&mut front).await, TurnId(3));
        front.close().await;
        let mut fork = Front::open(home.config(SessionStart::Fork(SESSION), SCRIPT)).await;
        assert_eq!(person(&fork, "go").await, CommandAccepted::Turn(TurnId(4)));
        assert_eq!(ended(&mut fork).await, TurnId(4));
        fork.close().await;
    });
    assert_eq!(ends(&home), [1, 2, 3].map(|turn| (TurnId(turn), EndReason::Done)));
}

#[test]
fn each_command_says_what_it_started() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SCRIPT).await;
        for idle in [
            Command::SetMode(Mode::AcceptEdits),
            Command::CycleMode,
            Command::SetMode(Mode::Default),
            Command::Plan(PlanCommand::Enter),
            Command::Interrupt,
            Command::SetModel("scripted/other".into()),
        ] {
            assert_eq!(front.send(idle.clone()).await, Ok(CommandAccepted::Nothing), "{idle:?}");
        }
        let plan = |text: &str| Command::Plan(PlanCommand::Say { enter: true, text: text.to_owned() });
        assert_eq!(front.send(plan("ask")).await, Ok(CommandAccepted::Turn(TurnId(1))));
        let question = front.question().await;
        let queued = front.send(plan("more")).await;
        assert!(matches!(queued, Ok(CommandAccepted::Queued { behind: TurnId(1), .. })), "{queued:?}");
        assert_eq!(front.answer(&question, HostAnswer::Dismissed).await, Ok(CommandAccepted::Nothing));
        assert_eq!(ended(&mut front).await, TurnId(1));
        front.close().await;
    });
}

/// The question belongs to a turn, and that turn goes on: it is not another one because the program is.
#[test]
fn a_question_that_is_asked_again_is_of_the_same_turn() {
    let home = Home::new();
    life(async {
        let mut front = home.begin(SCRIPT).await;
        person(&front, "go").await;
        ended(&mut front).await;
        assert_eq!(person(&front, "ask").await, CommandAccepted::Turn(TurnId(2)));
        front.question().await;
    });
    life(async {
        let config = Config { mode: None, ..home.config(SessionStart::Resume(SESSION), SCRIPT) };
        let mut front = Front::open(config).await;
        assert_eq!(front.snapshot.turn, Some(TurnId(2)));
        let question = front.question().await;
        assert!(matches!(person(&front, "later").await, CommandAccepted::Queued { behind: TurnId(2), .. }));
        front.answer(&question, HostAnswer::Dismissed).await.unwrap();
        assert_eq!(ended(&mut front).await, TurnId(2));
        assert_eq!(ended(&mut front).await, TurnId(3));
        front.close().await;
    });
    let expected =
        ["turn 1", "said go", "end 1", "turn 2", "said ask", "end 2", "turn 3", "said later", "end 3"];
    assert_eq!(story(&home), expected);
}

/// Nobody is there to answer: the turn is over before anybody attaches, and the next one has the next number.
#[test]
fn a_turn_that_cannot_go_on_keeps_its_number() {
    let home = Home::new();
    life(async {
        let mut front = home.begin(SCRIPT).await;
        person(&front, "ask").await;
        front.question().await;
    });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Nobody).await;
        assert_eq!(front.snapshot.turn, None);
        assert_eq!(person(&front, "go").await, CommandAccepted::Turn(TurnId(2)));
        assert_eq!(ended(&mut front).await, TurnId(2));
        front.close().await;
    });
    assert_eq!(ends(&home), [(TurnId(1), EndReason::Interrupted), (TurnId(2), EndReason::Done)]);
}
