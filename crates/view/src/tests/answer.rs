//! Responses while they stream, and when they are recorded.

use forelook_protocol::Retry;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::OpenBlock;

const TEXTS: [&str; 2] = ["# One\n\nWords *and* more.\n", "Two, without a break"];

/// The text that is passed on if only these parts of the response arrive.
fn heard(keep: impl Fn(usize) -> bool) -> Vec<String> {
    let mut stage = Stage::default();
    let mut number = 0;
    let mut kept = || {
        number += 1;
        keep(number - 1)
    };
    for text in TEXTS {
        if kept() {
            stage.piece(AnswerEvent::TextStarted);
        }
        for piece in text.as_bytes().chunks(7) {
            if kept() {
                stage.text(std::str::from_utf8(piece).unwrap());
            }
        }
        if kept() {
            stage.piece(AnswerEvent::BlockEnded);
        }
    }
    stage.answered(None, &TEXTS.map(text));
    said(&stage.items())
}

#[test]
fn an_answer_that_nobody_heard_comes_from_the_record() {
    assert_eq!(heard(|_| true), TEXTS);
    assert_eq!(heard(|_| false), TEXTS);
    for count in 0..12 {
        assert_eq!(heard(|at| at < count), TEXTS, "the first {count} pieces came");
    }
}

proptest! {
    #[test]
    fn whatever_pieces_are_lost_all_words_are_handed_on(kept in prop::collection::vec(any::<bool>(), 20)) {
        let blocks = heard(|at| kept[at % kept.len()]);
        for text in TEXTS {
            prop_assert!(blocks.iter().any(|block| block.trim_end() == text.trim_end()), "{blocks:?}");
        }
    }
}

#[test]
fn a_long_answer_is_handed_on_piece_by_piece() {
    let mut stage = Stage::default();
    stage.piece(AnswerEvent::TextStarted);
    let mut pieces = 0;
    for _ in 0..100_000 {
        stage.text("fifty bytes of an answer that is five megabytes lo");
        let is_piece =
            |item: &&ViewItem| matches!(item, ViewItem::Text(TextUpdate::Appended(text)) if text.len() == 50);
        pieces += stage.items().iter().filter(is_piece).count();
    }
    assert_eq!(pieces, 100_000);
}

fn retry() -> AnswerEvent {
    let failure = json!({"kind": "overloaded", "message": "It is busy."});
    let retry = json!({"failure": failure, "attempt": 2, "max_attempts": 10, "wait_ms": 1_000});
    AnswerEvent::Retrying(serde_json::from_value::<Retry>(retry).unwrap())
}

#[test]
fn another_attempt_voids_what_was_said() {
    let mut stage = Stage::default();
    stage.piece(retry());
    assert!(matches!(stage.items()[..], [ViewItem::Retry { void: false, .. }]));
    assert!(stage.view.answer().retry().is_some_and(|(_, void)| !void));
    stage.piece(AnswerEvent::TextStarted);
    stage.text("Some words");
    assert!(stage.view.answer().retry().is_none() && stage.view.answer().has_partial_text());
    stage.items();
    stage.piece(retry());
    assert!(matches!(
        stage.items()[..],
        [ViewItem::Text(TextUpdate::Dropped), ViewItem::Retry { void: true, .. }]
    ));
    assert_eq!((stage.view.answer().tokens(), stage.view.answer().open()), (0, &OpenBlock::Nothing));
    stage.live(LiveEvent::Answer { agent: Some(forelook_protocol::AgentId("x".into())), event: retry() });
    assert!(matches!(stage.items()[..], [ViewItem::Retry { agent: Some(_), void: false, .. }]));
}

#[test]
fn words_of_an_answer_that_broke_off_stay() {
    let mut stage = Stage::default();
    stage.piece(AnswerEvent::TextStarted);
    stage.text("Half a sen");
    stage.ends_turn(1);
    let items = stage.items();
    assert_eq!(said(&items), ["Half a sen"]);
    assert!(matches!(items.last(), Some(ViewItem::TurnEnded { partial_text: true, .. })));
}

#[test]
fn what_is_being_made() {
    let mut stage = Stage { now: 7, ..Stage::default() };
    stage.piece(AnswerEvent::ThinkingStarted);
    stage.piece(AnswerEvent::Thinking { text: "hm ".repeat(100) });
    assert_eq!(stage.view.answer().open(), &OpenBlock::Thinking { since: 7 });
    stage.piece(AnswerEvent::CallStarted { id: CallId("a".into()), name: "Write".into() });
    stage.piece(AnswerEvent::Input { json: "x".repeat(100) });
    assert_eq!(stage.view.answer().open(), &OpenBlock::Call { tool: "Write".into() });
    assert_eq!(stage.view.answer().tokens(), 100);
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": ""});
    stage.answered(None, &[thinking]);
    assert_eq!(stage.items(), [ViewItem::Thinking("hm".into())]);
    assert_eq!(stage.view.answer().tokens(), 0);
}
