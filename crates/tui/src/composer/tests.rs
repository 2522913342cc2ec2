//! Keys in, text out.

use proptest::prelude::*;

use super::*;

/// Types keys: letters as they are, others by name in angle brackets.
fn typed(composer: &mut Composer, keys: &str) -> Vec<Did> {
    let mut did = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let (key, length) = match rest.strip_prefix('<').and_then(|it| it.split_once('>')) {
            Some((name, _)) => (named(name), name.len() + 2),
            None => (Key::plain(Code::Char(first)), first.len_utf8()),
        };
        did.push(composer.key(key, 20));
        rest = &rest[length..];
    }
    did
}

fn named(name: &str) -> Key {
    let (held, name) = name.rsplit_once('-').unwrap_or(("", name));
    let code = match name {
        "enter" => Code::Enter,
        "back" => Code::Backspace,
        "del" => Code::Delete,
        "left" => Code::Left,
        "right" => Code::Right,
        "up" => Code::Up,
        "down" => Code::Down,
        "home" => Code::Home,
        "end" => Code::End,
        letter => Code::Char(letter.chars().next().unwrap()),
    };
    Key { code, ctrl: held.contains('c'), alt: held.contains('a'), shift: held.contains('s') }
}

fn with_history(said: Vec<String>) -> Composer {
    let mut composer = Composer::default();
    composer.remember(said);
    composer
}

#[test]
fn keys_and_what_they_come_to() {
    for (keys, text) in [
        ("abc<left><left>x", "axbc"),
        ("one two<c-w>three", "one three"),
        ("one two<a-b>X", "one Xtwo"),
        ("one<s-enter>two<a-enter>three<c-j>four", "one\ntwo\nthree\nfour"),
        ("one\\<enter>two", "one\ntwo"),
        ("abc<home>x<end>y<c-a>z", "zxabcy"),
        ("one two<home><c-k>three<c-y>", "threeone two"),
        ("héllo<back><back>", "hél"),
        ("e\u{301}x<left><back>", "x"),
        ("one two<c-_>", "one "),
        ("one two<c-_><c-_><a-z>", "one "),
        ("abc<c-u>", ""),
        ("one<c-j>two<c-a><c-u>", "onetwo"),
        ("one two<home><a-d>", " two"),
    ] {
        let mut composer = Composer::default();
        typed(&mut composer, keys);
        assert_eq!(composer.text(), text, "{keys}");
    }
}

#[test]
fn enter_sends_and_the_arrows_bring_back() {
    let mut composer = with_history(vec!["older".to_owned()]);
    assert_eq!(typed(&mut composer, "  <enter>").last(), Some(&Did::Nothing));
    composer.take();
    assert_eq!(typed(&mut composer, "first<enter>").last(), Some(&Did::Sent("first".to_owned())));
    assert!(composer.is_empty());
    typed(&mut composer, "draft<up>");
    assert_eq!(composer.text(), "first");
    typed(&mut composer, "<up><up>");
    assert_eq!(composer.text(), "older");
    typed(&mut composer, "<down><down>");
    assert_eq!(composer.text(), "draft");
    assert_eq!(composer.history.find("old", 0), Some("older"));
    assert_eq!(composer.history.find("o", 1), None);
}

#[test]
fn up_and_down_go_through_rows_before_they_go_through_history() {
    let mut composer = with_history(vec!["said".to_owned()]);
    typed(&mut composer, "a long first line<c-j>b<c-j>a long third line");
    typed(&mut composer, "<up><up>X");
    assert_eq!(composer.text(), "a long first lineX\nb\na long third line");
    typed(&mut composer, "<up>");
    assert_eq!(composer.text(), "said");
}

#[test]
fn a_long_paste_folds_and_is_sent_whole() {
    let mut composer = Composer::default();
    let long = "line\n".repeat(50);
    typed(&mut composer, "see ");
    composer.paste(&long);
    composer.paste("short");
    assert_eq!(composer.text(), "see [Pasted text 1: 50 lines]short");
    composer.paste(&"x".repeat(1000));
    assert!(composer.text().ends_with("[Pasted text 2: 1000 characters]"));
    typed(&mut composer, "<back>");
    assert!(composer.text().ends_with("short"));
    assert_eq!(typed(&mut composer, "<enter>"), [Did::Sent(format!("see {long}short"))]);
}

#[test]
fn rows_and_the_cursor_in_them() {
    let rows = |laid: &Laid| laid.rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    let laid = layout::lay("abcdef\n漢字漢", 4, 4);
    assert_eq!((rows(&laid), laid.cursor), (["abcd", "ef", "漢字", "漢"].map(String::from).to_vec(), (1, 0)));
    let laid = layout::lay("abcd", 4, 4);
    assert_eq!((rows(&laid), laid.cursor), (["abcd", ""].map(String::from).to_vec(), (1, 0)));
    assert_eq!(layout::lay("", 0, 4).cursor, (0, 0));
}

proptest! {
    #[test]
    fn no_key_breaks_the_text(keys in "([a-c漢🙂]|<(back|del|left|right|up|down|home|end|c-w|c-k|c-u|c-y|c-_|a-z|a-b|a-f|c-j)>){0,60}") {
        let mut composer = with_history(vec!["said".to_owned(), "漢 said".to_owned()]);
        typed(&mut composer, &keys);
        let cursor = composer.buffer.cursor();
        prop_assert!(composer.text().is_char_boundary(cursor));
        let laid = composer.laid(5);
        prop_assert!(laid.cursor.0 < laid.rows.len());
        let shown: String = laid.rows.iter().map(|row| row.text.as_str()).collect();
        prop_assert_eq!(shown, composer.text().replace('\n', ""));
    }

    #[test]
    fn undo_brings_everything_back(keys in "([a-c ]|<(back|left|c-w|c-j)>){1,40}") {
        let mut composer = Composer::default();
        typed(&mut composer, &keys);
        let text = composer.text().to_owned();
        for _ in 0..100 {
            composer.buffer.undo();
        }
        prop_assert_eq!(composer.text(), "");
        for _ in 0..100 {
            composer.buffer.redo();
        }
        prop_assert_eq!(composer.text(), text);
    }
}
