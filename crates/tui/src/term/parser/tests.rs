//! Bytes as terminals send them, in one piece and in several.

use super::*;

fn key(code: Code) -> Input {
    Input::Key(Key::plain(code))
}

fn letter(letter: char) -> Input {
    key(Code::Char(letter))
}

fn alt(code: Code) -> Input {
    Input::Key(Key::alt(code))
}

fn ctrl(letter: char) -> Input {
    Input::Key(Key::ctrl(letter))
}

/// Everything that came of these bytes, with a moment of rest behind them.
fn all(bytes: &[u8]) -> Vec<Input> {
    let mut parser = InputParser::default();
    let mut inputs = parser.feed(bytes);
    inputs.extend(parser.settle());
    assert!(parser.bytes.is_empty(), "{:?} is left of {bytes:?}", parser.bytes);
    inputs
}

#[test]
fn two_bytes_of_esc_in_one_read_are_two_presses() {
    let esc = || key(Code::Esc);
    assert_eq!(all(b"\x1b"), [esc()]);
    assert_eq!(all(b"\x1b\x1b"), [esc(), esc()]);
    assert_eq!(all(b"\x1b\x1b\x1b"), [esc(), esc(), esc()]);
    assert_eq!(all(b"\x1b\x1b[A"), [esc(), key(Code::Up)], "and what follows is no text");
    assert_eq!(all(b"\x1b\x1bOB"), [esc(), key(Code::Down)]);
    assert_eq!(all(b"\x1b\x1b[27u"), [esc(), esc()], "in either encoding");
}

#[test]
fn keys_in_every_encoding() {
    let shift_tab = Input::Key(Key::shift(Code::Tab));
    let held = |code, ctrl, alt, shift| Input::Key(Key { code, ctrl, alt, shift });
    for (bytes, expected) in [
        (&b"a"[..], letter('a')),
        ("漢".as_bytes(), letter('漢')),
        (b"\r", key(Code::Enter)),
        (b"\n", ctrl('j')),
        (b"\t", key(Code::Tab)),
        (b"\x7f", key(Code::Backspace)),
        (b"\x03", ctrl('c')),
        (b"\x1f", ctrl('7')),
        (b"\x00", ctrl(' ')),
        (b"\x1b\r", alt(Code::Enter)),
        (b"\x1b\x7f", alt(Code::Backspace)),
        (b"\x1bb", alt(Code::Char('b'))),
        ("\x1bé".as_bytes(), alt(Code::Char('é'))),
        (b"\x1b[", alt(Code::Char('['))),
        (b"\x1b[A", key(Code::Up)),
        (b"\x1bOA", key(Code::Up)),
        (b"\x1b[1;5D", held(Code::Left, true, false, false)),
        (b"\x1b[1;3C", alt(Code::Right)),
        (b"\x1b[1~", key(Code::Home)),
        (b"\x1b[8~", key(Code::End)),
        (b"\x1b[3~", key(Code::Delete)),
        (b"\x1b[5~", key(Code::PageUp)),
        (b"\x1b[3;5~", held(Code::Delete, true, false, false)),
        (b"\x1b[Z", shift_tab.clone()),
        (b"\x1b[9;2u", shift_tab),
        (b"\x1b[13;2u", held(Code::Enter, false, false, true)),
        (b"\x1b[27u", key(Code::Esc)),
        (b"\x1b[99;5u", ctrl('c')),
        (b"\x1b[67;5u", ctrl('c')),
        (b"\x1b[97;3u", alt(Code::Char('a'))),
        (b"\x1b[97:65;4u", alt(Code::Char('A'))),
        (b"\x1b[97;69u", ctrl('a')),
        (b"\x1b[57414u", key(Code::Enter)),
        (b"\x1b[57426u", key(Code::Delete)),
        (b"\x1b[27;5;99~", ctrl('c')),
        (b"\x1b[I", Input::Focus(true)),
        (b"\x1b[O", Input::Focus(false)),
    ] {
        assert_eq!(all(bytes), [expected], "{bytes:?}");
    }
}

#[test]
fn what_means_nothing_to_us_is_passed_over() {
    for bytes in [
        &b"\x1b[15~"[..],
        b"\x1bOP",
        b"\x1bOa",
        b"\x1b[[A",
        b"\x1b[<0;10;5M",
        b"\x1b[M abx"[..6].as_ref(),
        b"\x1b[?62;c",
        b"\x1b[99;5:3u",
        b"\x1b[57425u",
        b"\x1b[57358u",
        b"\x1b[12",
        b"\xff",
    ] {
        let mut parser = InputParser::default();
        let before = parser.feed(bytes);
        assert_eq!(before, [], "{bytes:?}");
        // And the next key is heard, whatever was left open.
        assert!(parser.feed(b"\x1b[AA").ends_with(&[letter('A')]), "{bytes:?}");
    }
}

#[test]
fn a_paste_is_text_and_its_end_may_come_in_parts() {
    assert_eq!(
        all(b"\x1b[200~one\rtwo \x03\x1b[A\x1b[201~x"),
        [Input::Paste("one\ntwo \x03\x1b[A".into()), letter('x')]
    );
    let bytes = b"a\x1b[200~one\r\ntwo\x1b[201~\x1b[B";
    let expected = [letter('a'), Input::Paste("one\ntwo".into()), key(Code::Down)];
    for at in 0..=bytes.len() {
        let mut parser = InputParser::default();
        let mut inputs = parser.feed(&bytes[..at]);
        inputs.extend(parser.feed(&bytes[at..]));
        assert_eq!(inputs, expected, "in two parts, at {at}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_come_to_an_end_however_they_are_cut(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
        at in 0..200usize,
    ) {
        let at = at.min(bytes.len());
        let whole = InputParser::default().feed(&bytes);
        let mut parser = InputParser::default();
        let mut parts = parser.feed(&bytes[..at]);
        parts.extend(parser.feed(&bytes[at..]));
        proptest::prop_assert_eq!(whole, parts);
    }
}
