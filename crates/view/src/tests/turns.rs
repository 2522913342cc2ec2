//! How many turns are due after each event.

use forelook_protocol::{CommandAccepted, EndReason, EntryId, TurnId};
use serde_json::json;

use super::*;

/// Something that a front end learns.
enum News {
    Answer(CommandAccepted),
    Event(Event),
}

fn id(number: u64) -> EntryId {
    format!("00000000-0000-7000-8000-{number:012}").parse().unwrap()
}

fn waiting() -> Value {
    json!({"content": [text("x")], "delivery": "next_turn", "origin": {"type": "person"}})
}

fn recorded(number: u64, kind: &str, data: Value) -> News {
    News::Event(Event::Recorded(Arc::new(entry(number, None, kind, data))))
}

fn unrecorded(turn: u64) -> News {
    News::Event(Event::Live(LiveEvent::Unrecorded { turn: TurnId(turn), reason: EndReason::Done }))
}

fn promised(turn: u64) -> News {
    News::Answer(CommandAccepted::Turn(TurnId(turn)))
}

fn told_to_wait(number: u64, behind: u64) -> News {
    News::Answer(CommandAccepted::Queued { prompt: id(number), behind: TurnId(behind) })
}

fn starts(turn: u64) -> News {
    recorded(90, "turn_started", json!({"turn": turn}))
}

fn queued(number: u64) -> News {
    recorded(number, "prompt_queued", json!({"prompt": waiting()}))
}

fn prompt(queued: Option<u64>) -> News {
    let mut data = json!({"content": [text("x")], "origin": {"type": "person"}});
    if let Some(number) = queued {
        data["queued"] = json!(id(number));
    }
    recorded(91, "prompt_accepted", data)
}

fn ends(turn: u64) -> News {
    recorded(92, "turn_ended", turn_end(turn))
}

/// Checks how many turns are due after each event.
fn due(view: &mut SessionView, news: Vec<News>) -> Vec<usize> {
    let after = |news| {
        match news {
            News::Answer(accepted) => view.accepted(accepted),
            News::Event(event) => view.apply(&event, 0),
        }
        view.turns().due()
    };
    news.into_iter().map(after).collect()
}

#[test]
fn what_is_due_after_each_piece_of_news() {
    for (what, news, expected) in [
        ("one turn", vec![promised(1), starts(1), prompt(None), ends(1)], vec![1, 1, 1, 0]),
        ("a promise that was kept before it was heard", vec![starts(1), promised(1), ends(1)], vec![1, 1, 0]),
        ("an older promise", vec![starts(2), ends(2), promised(1)], vec![1, 0, 0]),
        ("no turn", vec![News::Answer(CommandAccepted::Nothing)], vec![0]),
        (
            "one behind another",
            vec![starts(1), told_to_wait(5, 1), queued(5), ends(1), starts(2), prompt(Some(5)), ends(2)],
            vec![1, 1, 2, 1, 2, 1, 0],
        ),
        (
            "one that was taken before the answer came",
            vec![starts(1), queued(5), ends(1), starts(2), prompt(Some(5)), told_to_wait(5, 1), ends(2)],
            vec![1, 2, 1, 2, 1, 1, 0],
        ),
        (
            "one behind a turn that was not heard of",
            vec![told_to_wait(5, 1), starts(1), queued(5), ends(1)],
            vec![1, 1, 2, 1],
        ),
        (
            "one that the running turn takes in",
            vec![starts(1), queued(5), prompt(Some(5)), ends(1)],
            vec![1, 2, 1, 0],
        ),
        (
            "a turn that is promised while the end of the last one is not heard",
            vec![starts(1), promised(2), ends(1), starts(2), ends(2)],
            vec![1, 2, 1, 1, 0],
        ),
        ("an end that could not be written", vec![starts(1), unrecorded(1)], vec![1, 0]),
        ("a beginning that could not be written", vec![promised(1), unrecorded(1)], vec![1, 0]),
        ("somebody else's turn", vec![starts(1), ends(1)], vec![1, 0]),
    ] {
        assert_eq!(due(&mut SessionView::default(), news), expected, "{what}");
    }
}

#[test]
fn what_ran_and_waited_before_is_due_too() {
    let snapshot = snapshot(json!({"turn": 4, "queue": [{"id": id(5), "prompt": waiting()}]}));
    let mut view = SessionView::new(&snapshot);
    assert_eq!((view.turns().due(), view.turns().queued().len()), (2, 1));
    let news = vec![ends(4), starts(5), prompt(Some(5)), ends(5)];
    assert_eq!(due(&mut view, news), [1, 2, 1, 0]);
    assert!(view.turns().is_idle() && !view.is_running());
}

#[test]
fn subagents_have_no_turns() {
    let mut stage = Stage::default();
    stage.of(Some("a"), "turn_started", json!({"turn": 1}));
    assert!(stage.view.turns().is_idle());
}

#[test]
fn since_when_and_how_much() {
    let mut stage = Stage { now: 5, ..Stage::default() };
    stage.record("turn_started", json!({"turn": 1}));
    stage.now = 9;
    stage.answered(None, &[]);
    stage.answered(None, &[]);
    assert_eq!((stage.view.turns().since(), stage.view.turns().written()), (Some(5), 40));
    stage.ends_turn(1);
    assert_eq!(stage.view.turns().since(), None);
}
