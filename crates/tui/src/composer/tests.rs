//! Keys in, text out.

use proptest::prelude::*;

use forelook_protocol::PastPrompt;

use super::*;
use crate::term::{Code, Key};

/// Types keys: letters as they are, others by name in angle brackets.
pub(super) fn typed(composer: &mut Composer, keys: &str) -> Vec<ComposerOutcome> {
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
    let (attachments, name) = name.rsplit_once('-').unwrap_or(("", name));
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
        "esc" => Code::Esc,
        letter => Code::Char(letter.chars().next().unwrap()),
    };
    Key {
        code,
        ctrl: attachments.contains('c'),
        alt: attachments.contains('a'),
        shift: attachments.contains('s'),
    }
}

fn with_history(said: Vec<String>) -> Composer {
    let mut composer = Composer::default();
    composer.remember(said.into_iter().map(PastPrompt::here).collect());
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

fn sent(did: Option<&ComposerOutcome>) -> &str {
    match did {
        Some(ComposerOutcome::Sent(said)) => &said.text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn enter_sends_and_the_arrows_bring_back() {
    let mut composer = with_history(vec!["older".to_owned()]);
    assert_eq!(typed(&mut composer, "  <enter>").last(), Some(&ComposerOutcome::Nothing));
    composer.clear();
    assert_eq!(sent(typed(&mut composer, "first<enter>").last()), "first");
    assert!(composer.is_empty());
    typed(&mut composer, "draft<up>");
    assert_eq!(composer.text(), "first");
    typed(&mut composer, "<up><up>");
    assert_eq!(composer.text(), "older");
    typed(&mut composer, "<down><down>");
    assert_eq!(composer.text(), "draft");
}

#[test]
fn what_was_sent_is_no_part_of_the_past() {
    let mut composer = Composer::default();
    composer.paste(&"line\n".repeat(50), 80);
    typed(&mut composer, "<enter>new<c-_><c-_>");
    assert_eq!(composer.text(), "");
}

#[test]
fn what_was_cleared_comes_back() {
    let mut composer = Composer::default();
    composer.paste(&"line\n".repeat(50), 80);
    composer.clear();
    typed(&mut composer, "<c-_>");
    assert_eq!(sent(typed(&mut composer, "<enter>").last()), "line\n".repeat(50).trim());
}

#[test]
fn a_search_goes_back_while_one_types() {
    let said = ["Fix the parser", "run tests", "fix the lexer", "fix the lexer"].map(String::from);
    for (keys, shown, text) in [
        ("<c-r>fix", "fix the lexer", "draft"),
        ("<c-r>fix<c-r>", "Fix the parser", "draft"),
        ("<c-r>fix<c-r><c-r>", "Fix the parser", "draft"),
        ("<c-r>fix<c-r><c-s>", "fix the lexer", "draft"),
        ("<c-r>fix<c-s>", "fix the lexer", "draft"),
        ("<c-r>fix<c-g>", "draft", "draft"),
        ("<c-r>tes<right>!", "run tests!", "run tests!"),
        ("<c-r>Fix", "Fix the parser", "draft"),
        ("<c-r>fix thx<back>", "fix the lexer", "draft"),
        ("<c-r>nowhere", "draft", "draft"),
        ("<c-r>nowhere<enter>", "draft", "draft"),
        ("<c-r>tes<esc>", "draft", "draft"),
        ("<c-r>tes<enter>", "run tests", "run tests"),
        ("<c-r>tes<enter>!", "run tests!", "run tests!"),
        ("<c-r>tes<enter><c-_>", "draft", "draft"),
    ] {
        let mut composer = with_history(said.to_vec());
        typed(&mut composer, &format!("draft{keys}"));
        assert_eq!((composer.shown().0, composer.text()), (shown, text), "{keys}");
    }
}

#[test]
fn a_search_finds_this_project_first_and_the_same_words_once() {
    let said = [
        ("fix a", true),
        ("fix b", false),
        ("fix a", true),
        ("fix c", true),
        ("fix d", false),
        ("fix b", false),
    ];
    let said = said.map(|(text, here)| PastPrompt { here, ..PastPrompt::here(text) });
    for (keys, shown) in [
        ("<c-r>fix", "fix c"),
        ("<c-r>fix<c-r>", "fix a"),
        ("<c-r>fix<c-r><c-r>", "fix b"),
        ("<c-r>fix<c-r><c-r><c-r>", "fix d"),
        ("<c-r>fix<c-r><c-r><c-r><c-r>", "fix d"),
        ("<c-r>fix<c-r><c-r><c-s>", "fix a"),
        // Up goes through all of them in the order in which they were said.
        ("<up>", "fix b"),
        ("<up><up>", "fix d"),
    ] {
        let mut composer = Composer::default();
        composer.remember(said.to_vec());
        typed(&mut composer, keys);
        assert_eq!(composer.shown().0, shown, "{keys}");
    }
}

#[test]
fn a_word_is_one_step_and_so_is_a_run_of_deleted_letters() {
    for (keys, text) in [
        ("one two three<c-_>", "one two "),
        ("one two three<c-_><c-_>", "one "),
        ("one two  three<c-_>", "one two  "),
        ("one<back><back><c-_>", "one"),
        ("one<left>x<c-_>", "one"),
        ("one<c-_><c-_><a-z>", "one"),
    ] {
        let mut composer = Composer::default();
        typed(&mut composer, keys);
        assert_eq!(composer.text(), text, "{keys}");
    }
}

fn picture(data: &str) -> UserBlock {
    UserBlock::Image { media_type: "image/png".into(), data: data.into() }
}

#[test]
fn pictures_stand_in_the_text_and_are_sent_in_their_order() {
    let mut composer = Composer::default();
    typed(&mut composer, "see ");
    composer.attach(picture("a"));
    typed(&mut composer, " and ");
    composer.attach(picture("b"));
    assert_eq!(composer.text(), "see [image 1] and [image 2]");
    // The cursor never stands inside of a name, and a name is deleted as a whole.
    typed(&mut composer, "<left><left>,<right><right><back>");
    assert_eq!(composer.text(), "see [image 1] and, ");
    typed(&mut composer, "<c-_><end>.");
    let did = typed(&mut composer, "<enter>");
    let Some(ComposerOutcome::Sent(said)) = did.last() else { panic!("{did:?}") };
    let (see, and, end) = (UserBlock::text("see"), UserBlock::text("and,"), UserBlock::text("."));
    assert_eq!(said.content, [see, picture("a"), and, picture("b"), end]);
    assert_eq!(said.text, "see  and, .");
    composer.attach(picture("c"));
    assert!(matches!(composer.send(), Some(said) if said.content == [picture("c")] && said.text.is_empty()));
}

#[test]
fn the_sign_of_a_shell_line_is_its_mark() {
    for (keys, mark, row, cursor) in [
        ("!ls", Mark::Shell, "ls", 2),
        ("!ls<home>", Mark::Shell, "ls", 0),
        ("!ls<home>x", Mark::Shell, "xls", 1),
        ("!ls<home><left><left>x", Mark::Shell, "xls", 1),
        ("!ls<home><back>", Mark::Words, "ls", 0),
        ("a!", Mark::Words, "a!", 2),
    ] {
        let mut composer = Composer::default();
        typed(&mut composer, keys);
        let layout = composer.layout(20);
        let shown = (composer.mark(), layout.rows[0].text.as_str(), layout.cursor);
        assert_eq!(shown, (mark, row, (0, cursor)), "{keys}");
    }
    let mut composer = Composer::default();
    assert_eq!(typed(&mut composer, "! <enter>").last(), Some(&ComposerOutcome::Nothing));
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
    composer.paste(&long, 80);
    composer.paste("short", 80);
    assert_eq!(composer.text(), "see [Pasted text 1: 50 lines]short");
    composer.paste(&"x".repeat(1000), 80);
    assert!(composer.text().ends_with("[Pasted text 2: 1000 characters]"));
    typed(&mut composer, "<back>");
    assert!(composer.text().ends_with("short"));
    assert_eq!(sent(typed(&mut composer, "<enter>").last()), format!("see {long}short"));
}

/// Who pastes a long text does not read it: what it names with `@` is not attached, now or when it is called back.
#[test]
fn what_was_folded_names_nothing_whatever_way_it_comes_back() {
    let long = format!("see @secret\n{}", "line\n".repeat(50));
    let submission = |composer: &mut Composer| match typed(composer, "<enter>").pop() {
        Some(ComposerOutcome::Sent(said)) => said,
        other => panic!("{other:?}"),
    };
    let pasted = || {
        let mut composer = Composer::default();
        typed(&mut composer, "read @own ");
        composer.paste(&long, 80);
        composer
    };
    let mut composer = pasted();
    let said = submission(&mut composer);
    assert_eq!(said.mentions.paths, ["own"]);
    for keys in ["<up>", "<c-r>read<enter>"] {
        typed(&mut composer, keys);
        assert!(composer.text().contains("@secret"), "{}", composer.text());
        assert_eq!(submission(&mut composer).mentions.paths, ["own"], "{keys}");
    }
    let mut later = Composer::default();
    later.remember(vec![said.past.clone()]);
    typed(&mut later, "<up>");
    assert_eq!(submission(&mut later).mentions.paths, ["own"], "in another session");
    typed(&mut later, "<up>");
    later.clear();
    typed(&mut later, "see @secret ");
    assert_eq!(submission(&mut later).mentions.paths, ["secret"], "now it is typed");
    let mut edited = pasted();
    edited.unfolds();
    edited.set(&pasted().whole());
    assert_eq!(submission(&mut edited).mentions.paths, ["own"], "out of an editor");
    let mut back = Composer::default();
    let prompt = Prompt::person(said.content, forelook_protocol::Delivery::NextTurn).naming(said.mentions);
    back.put_before(vec![prompt], 4000);
    assert!(!submission(&mut back).mentions.paths.contains(&"secret".to_owned()), "taken back");
}

#[test]
fn what_comes_back_stands_before_the_draft_and_not_before_what_was_only_looked_at() {
    for (keys, text) in [
        ("draft", "queued\ndraft"),
        ("draft<up>", "queued\ndraft"),
        ("draft<up><up>", "queued\ndraft"),
        ("draft<up><down>", "queued\ndraft"),
        // What was changed is written, too.
        ("draft<up>!", "queued\ndraft\nqueued!"),
        ("<up>", "queued"),
    ] {
        let mut composer = with_history(vec!["older".to_owned(), "queued".to_owned()]);
        typed(&mut composer, keys);
        let content = vec![UserBlock::text("queued")];
        composer.put_before(vec![Prompt::person(content, forelook_protocol::Delivery::NextTurn)], 80);
        assert_eq!(composer.text(), text, "{keys}");
        typed(&mut composer, "<down>");
        assert_eq!(composer.text(), text, "{keys}: nothing else waits behind it");
    }
    let mut composer = Composer::default();
    let unnamed = PastPrompt { named: Some(Vec::new()), ..PastPrompt::here("see @own") };
    composer.remember(vec![unnamed]);
    typed(&mut composer, "read @own <up>");
    composer.put_before(Vec::new(), 80);
    let said = match typed(&mut composer, "<enter>").pop() {
        Some(ComposerOutcome::Sent(said)) => said,
        other => panic!("{other:?}"),
    };
    assert_eq!((said.text.as_str(), said.mentions.paths), ("read @own", vec!["own".to_owned()]));
}

#[test]
fn rows_and_the_cursor_in_them() {
    let rows = |layout: &TextLayout| layout.rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    let layout = layout::layout_text("abcdef\n漢字漢", 4, 4);
    assert_eq!(
        (rows(&layout), layout.cursor),
        (["abcd", "ef", "漢字", "漢"].map(String::from).to_vec(), (1, 0))
    );
    let layout = layout::layout_text("abcd", 4, 4);
    assert_eq!((rows(&layout), layout.cursor), (["abcd", ""].map(String::from).to_vec(), (1, 0)));
    assert_eq!(layout::layout_text("", 0, 4).cursor, (0, 0));
    let layout = layout::layout_text("a\tb\u{1b}[1m", 2, 20);
    assert_eq!((rows(&layout), layout.cursor), (vec!["a    b␛[1m".to_owned()], (0, 5)));
}

#[test]
fn up_and_down_over_tabs_and_wide_letters() {
    for (keys, text) in [
        ("\tab<c-j>漢字漢字<up>X", "\tabX\n漢字漢字"),
        ("abcdef<c-j>漢字漢<left><up>X", "abcdXef\n漢字漢"),
        ("漢字漢<c-j>abc<up>X", "漢X字漢\nabc"),
    ] {
        let mut composer = Composer::default();
        typed(&mut composer, keys);
        assert_eq!(composer.text(), text, "{keys}");
    }
}

const LETTERS: &str = "[a-c ]|漢|🙂|e\u{301}|\u{301}|👩\u{200d}👩\u{200d}👧|\u{200d}|🇩🇪|🇩|👍🏽|\t";
const KEYS: &str = "<(back|del|left|right|up|down|home|end|c-w|c-k|c-u|c-y|c-_|a-z|a-b|a-f|a-d|c-j|esc)>";
const VI: &str = "[\\^$hjklwbe0Gxpu;,PUDCiaIAoO]|gg|dd|cc|yy|d2w|cw|y[$]|dfa|tb|rx|r漢|3x|2j|dG|dk";

fn any_of(pattern: &str) -> impl Strategy<Value = String> + use<> {
    proptest::string::string_regex(pattern).unwrap()
}

/// The cursor is between two letters, and stands where the text before it ends; nothing is lost but blanks that stand
/// behind a full row.
fn is_sound(composer: &Composer, width: usize) -> Result<(), TestCaseError> {
    use unicode_segmentation::UnicodeSegmentation;
    use unicode_width::UnicodeWidthStr;
    let (text, cursor) = composer.shown();
    let between = text.grapheme_indices(true).any(|(at, _)| at == cursor) || cursor == text.len();
    prop_assert!(between, "{text:?} {cursor}");
    let layout = composer.layout(width);
    let mark = usize::from(text.starts_with('!'));
    // What takes no room may be counted to either side.
    let letters = |text: &str| text.replace([' ', '\t', '\n', '\u{301}', '\u{200d}'], "");
    let rows: Vec<&str> = layout.rows.iter().map(|row| row.text.as_str()).collect();
    prop_assert_eq!(letters(&rows.concat()), letters(&text[mark..]));
    prop_assert!(rows.iter().all(|row| row.width() <= width), "{rows:?}");
    let (row, column) = layout.cursor;
    prop_assert!(column <= width, "{:?}", layout.cursor);
    let mut used = 0;
    let in_row = rows[row].graphemes(true).take_while(|letter| {
        used += letter.width();
        used <= column
    });
    let before = rows[..row].concat() + &in_row.collect::<String>();
    prop_assert_eq!(letters(&before), letters(&text[mark..cursor.max(mark)]), "{:?}", text);
    Ok(())
}

#[test]
fn rows_are_broken_at_words_while_one_types() {
    for (text, rows, cursor) in [
        ("the quick brown fox", &["the quick ", "brown fox"][..], (1, 9)),
        ("the quick b", &["the quick ", "b"], (1, 1)),
        ("the quick ", &["the quick ", ""], (1, 0)),
        ("the quicks ", &["the quicks", ""], (1, 0)),
        ("the quicks   brown", &["the quicks", "brown"], (1, 5)),
        ("the quicken", &["the ", "quicken"], (1, 7)),
        ("abcdefghijkl mn", &["abcdefghij", "kl mn"], (1, 5)),
        ("a abcdefghijkl", &["a ", "abcdefghij", "kl"], (2, 2)),
        ("    indented", &["    indent", "ed"], (1, 2)),
        ("one two\nthree four five", &["one two", "three four", "five"], (2, 4)),
        ("漢字 漢字漢字", &["漢字 ", "漢字漢字"], (1, 8)),
    ] {
        let layout = layout::layout_text(text, text.len(), 10);
        let shown: Vec<&str> = layout.rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!((shown.as_slice(), layout.cursor), (rows, cursor), "{text:?}");
    }
    // Going up and down stays in the column, also where blanks are not seen.
    let mut composer = Composer::default();
    typed(&mut composer, "twenty letters in it one more<up>X");
    assert_eq!(composer.text(), "twenty lXetters in it one more");
}

#[test]
fn a_paste_folds_by_the_rows_it_takes() {
    let line = |letters: usize| "x".repeat(letters);
    for (text, width, folds) in [
        (line(600), 77, false),
        (line(630), 77, true),
        (line(630), 197, false),
        (line(5_000), 197, true),
        ("line\n".repeat(7), 37, false),
        ("line\n".repeat(9), 197, true),
        (format!("{}\n", line(60)).repeat(5), 37, true),
    ] {
        let mut composer = Composer::default();
        composer.paste(&text, width);
        assert_eq!(composer.text().starts_with("[Pasted text 1"), folds, "{} in {width}", text.len());
        assert_eq!(composer.whole(), text);
    }
}

proptest! {
    #[test]
    fn no_key_breaks_the_text(keys in any_of(&format!("!?({LETTERS}|{KEYS}){{0,60}}"))) {
        let mut composer = with_history(vec!["said".to_owned(), "漢 said".to_owned()]);
        typed(&mut composer, &keys);
        is_sound(&composer, 5)?;
        is_sound(&composer, 37)?;
    }

    #[test]
    fn no_key_of_vi_breaks_the_text(keys in any_of(&format!("({LETTERS}|{KEYS}|<esc>|({VI}){{1,3}}){{0,60}}"))) {
        let mut composer = with_history(vec!["said".to_owned(), "漢 said".to_owned()]);
        composer.use_vi(true);
        composer.attach(picture("a"));
        typed(&mut composer, &keys);
        is_sound(&composer, 37)?;
        let names = composer.text().matches("[image 1]").count();
        prop_assert_eq!(composer.text().matches("image").count(), names, "{:?}", composer.text());
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
