//! Vi keys in, text and cursor out.

use crate::composer::Composer;
use crate::composer::tests::typed;

/// The text with a bar where the cursor is.
fn after(text: &str, keys: &str) -> String {
    let mut composer = Composer::default();
    composer.use_vi(true);
    composer.set(text);
    typed(&mut composer, "<esc>gg0");
    typed(&mut composer, keys);
    let (text, cursor) = composer.shown();
    format!("{}|{}", &text[..cursor], &text[cursor..])
}

#[test]
fn motions() {
    for (text, keys, expected) in [
        ("one two", "l", "o|ne two"),
        ("one two", "3l", "one| two"),
        ("one two", "99l", "one tw|o"),
        ("one two", "$", "one tw|o"),
        ("one two", "$h", "one t|wo"),
        ("one two", "$0", "|one two"),
        ("  one", "^", "  |one"),
        ("one.two three", "w", "one|.two three"),
        ("one.two three", "2w", "one.|two three"),
        ("one.two three", "3w", "one.two |three"),
        ("one.two three", "9w", "one.two thre|e"),
        ("one two", "e", "on|e two"),
        ("one two", "2e", "one tw|o"),
        ("one two", "$b", "one |two"),
        ("one two", "$2b", "|one two"),
        ("one\ntwo\nthree", "j", "one\n|two\nthree"),
        ("one\ntwo\nthree", "lljj", "one\ntwo\nth|ree"),
        ("one\ntwo\nthree", "2jk", "one\n|two\nthree"),
        ("one\ntwo\nthree", "G", "one\ntwo\n|three"),
        ("one\ntwo\nthree", "2G", "one\n|two\nthree"),
        ("one\ntwo\nthree", "Ggg", "|one\ntwo\nthree"),
        ("one\ntwo\nthree", "3gg", "one\ntwo\n|three"),
        ("a,b,c,d", "f,", "a|,b,c,d"),
        ("a,b,c,d", "f,;", "a,b|,c,d"),
        ("a,b,c,d", "2f,", "a,b|,c,d"),
        ("a,b,c,d", "2f,,", "a|,b,c,d"),
        ("a,b,c,d", "t,", "|a,b,c,d"),
        ("a,b,c,d", "$F,", "a,b,c|,d"),
        ("a,b,c,d", "$T,", "a,b,c,|d"),
        ("a,b,c,d", "fx", "|a,b,c,d"),
        ("漢字x", "l", "漢|字x"),
        ("e\u{301}x", "l", "e\u{301}|x"),
        ("", "hjklwbe$G", "|"),
    ] {
        assert_eq!(after(text, keys), expected, "{text:?} {keys}");
    }
}

#[test]
fn operators() {
    for (text, keys, expected) in [
        ("one two three", "dw", "|two three"),
        ("one two three", "2dw", "|three"),
        ("one two three", "d2w", "|three"),
        ("one two", "wdw", "one| "),
        ("one\ntwo", "dw", "|\ntwo"),
        ("one two", "de", "| two"),
        ("one two", "d$", "|"),
        ("one two", "wD", "one| "),
        ("one two", "$db", "one |o"),
        ("a,b,c", "df,", "|b,c"),
        ("a,b,c", "dt,", "|,b,c"),
        ("one two", "cwX", "X| two"),
        ("a two", "cwX", "X| two"),
        ("one two three", "c2wX", "X| three"),
        ("one two", "wCX", "one X|"),
        ("one\ntwo\nthree", "dd", "|two\nthree"),
        ("one\ntwo\nthree", "2dd", "|three"),
        ("one\ntwo\nthree", "jdd", "one\n|three"),
        ("one\ntwo\nthree", "Gdd", "one\n|two"),
        ("one", "dd", "|"),
        ("one\ntwo\nthree", "dj", "|three"),
        ("one\ntwo\nthree", "Gdk", "|one"),
        ("one\ntwo\nthree", "jdG", "|one"),
        ("one\ntwo\nthree", "Gdgg", "|"),
        ("one\ntwo", "ccX", "X|\ntwo"),
        ("one\ntwo", "jccX", "one\nX|"),
        ("one\ntwo", "yyp", "one\n|one\ntwo"),
        ("one\ntwo", "yyP", "|one\none\ntwo"),
        ("one\ntwo", "yy2p", "one\n|one\none\ntwo"),
        ("one\ntwo", "ddp", "two\n|one"),
        ("one two", "ywP", "one| one two"),
        ("one two", "yw$p", "one twoone| "),
        ("one two", "x", "|ne two"),
        ("one two", "3x", "| two"),
        ("abc", "xp", "b|ac"),
        ("one", "9x", "|"),
        ("one", "rX", "|Xne"),
        ("one", "2rX", "X|Xe"),
        ("one", "d<esc>x", "|ne"),
        ("one", "dyx", "|ne"),
        ("one", "3<esc>x", "|ne"),
    ] {
        assert_eq!(after(text, keys), expected, "{text:?} {keys}");
    }
}

#[test]
fn writing_and_undoing() {
    for (text, keys, expected) in [
        ("one", "iX", "X|one"),
        ("one", "aX", "oX|ne"),
        ("  one", "$IX", "  X|one"),
        ("one", "AX", "oneX|"),
        ("one\ntwo", "oX", "one\nX|\ntwo"),
        ("one\ntwo", "jOX", "one\nX|\ntwo"),
        ("one", "AX<esc>", "one|X"),
        ("one", "AX<esc>u", "on|e"),
        ("one two", "dwu", "|one two"),
        ("one two", "dwdwuu", "|one two"),
        ("one two three", "dwdwuuU", "|two three"),
        ("one", "i<c-a>X", "X|one"),
    ] {
        assert_eq!(after(text, keys), expected, "{text:?} {keys}");
    }
}
