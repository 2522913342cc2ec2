//! Text that does something to a terminal, in pieces.

use forelook_testkit::HOSTILE;

use super::*;

/// What is on the screen of an answer that came in these pieces: while its block is open, and when it is closed.
fn shown(pieces: &[&str]) -> [String; 2] {
    let mut world = World::new();
    world.begin("go");
    world.piece(AnswerEvent::Started { id: "1".into(), model: "m".into() });
    world.piece(AnswerEvent::TextStarted);
    for piece in pieces {
        world.piece(AnswerEvent::Text { text: (*piece).to_owned() });
    }
    let open = world.screen();
    world.piece(AnswerEvent::BlockEnded);
    [open, world.screen()]
}

#[test]
fn a_sequence_in_two_pieces_is_as_harmless_as_in_one() {
    for text in HOSTILE {
        let whole = shown(&[text]);
        assert!(!whole.concat().chars().any(|c| c.is_control() && c != '\n'), "{whole:?}");
        for at in (1..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (one, two) = text.split_at(at);
            assert_eq!(shown(&[one, two]), whole, "{one:?} {two:?}");
        }
    }
}
