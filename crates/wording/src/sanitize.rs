//! Text from elsewhere, without the power to do anything to a terminal.

mod filter;

use std::borrow::Cow;

pub use filter::EscapeFilter;

/// The text with nothing left in it that a terminal would obey: escape sequences are taken out, tabs become blanks, a
/// carriage return inside a line shows what a terminal would show (the last that was written), and other control
/// characters, and characters that turn the direction of writing, become signs that can be seen.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_active(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        // What was written before the last carriage return was written over.
        let shown = line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default();
        let mut filter = EscapeFilter::default();
        shown.chars().for_each(|c| filter.take(c, &mut out));
    }
    Cow::Owned(out)
}

/// The text with every control character as a sign that can be seen: nothing is left out, so that whoever says yes to it
/// has seen all of it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| !matches!(c, '\n' | '\t') && (is_active(c) || is_hidden(c))) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| match c {
        '\n' | '\t' => c,
        c if is_active(c) || is_hidden(c) => sign(c),
        c => c,
    });
    Cow::Owned(shown.collect())
}

fn is_active(c: char) -> bool {
    let turns_direction =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    c.is_control() || turns_direction
}

/// Characters that a model reads and nobody sees: tags that spell words, blanks without a width.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{3164}')
}

/// A sign for what cannot be shown: control characters have their own in Unicode.
fn sign(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_testkit::HOSTILE;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        for (text, expected) in [
            ("plain\ntext é 漢", "plain\ntext é 漢"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07after", "after"),
            ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\u{9b}2Jgone", "gone"),
            ("a\tb\n漢\tc", "a   b\n漢  c"),
            ("10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"),
            ("bell\x07 nul\0", "bell␇ nul␀"),
            ("a\u{202e}b", "a\u{fffd}b"),
            ("\x1b(Bx\x1b7y", "xy"),
            ("ends \x1b", "ends "),
            ("ends \x1b[12", "ends "),
        ] {
            assert_eq!(sanitize(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_sequence_in_two_pieces_is_no_less_harmless() {
        for text in HOSTILE {
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (one, two) = text.split_at(at);
                let mut filter = EscapeFilter::default();
                let shown = format!("{}{}", filter.push(one), filter.push(two));
                assert_eq!(shown, EscapeFilter::default().push(text), "{one:?} {two:?}");
                assert_eq!(shown, sanitize(text), "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn a_stream_takes_nothing_back() {
        let mut filter = EscapeFilter::default();
        assert_eq!(filter.push("10%\r"), "10%");
        assert_eq!(filter.push("100%\r"), "\n100%");
        assert_eq!(filter.push("\ndone\tx\r"), "\ndone    x");
        assert_eq!(filter.push("\r\n"), "\n");
    }

    #[test]
    fn what_is_approved_is_seen_whole() {
        assert_eq!(visible("a\u{e0041}\u{200b}b"), "a\u{fffd}\u{fffd}b");
        assert_eq!(visible("ls\tx\r\nrm \x1b[8my\u{202e}"), "ls\tx␍\nrm ␛[8my\u{fffd}");
    }

    proptest! {
        #[test]
        fn no_control_character_passes(text in "(\\PC|\x1b|\\[|\\]|;|m|\n|\r|\t|\x07|\u{9b}|[0-9]){0,60}") {
            let shown = sanitize(&text).into_owned();
            prop_assert!(shown.chars().all(|c| c == '\n' || !is_active(c)), "{shown:?}");
            prop_assert_eq!(sanitize(&shown), shown.as_str());
        }

        #[test]
        fn pieces_are_as_harmless_as_the_whole(text in "(\\PC|\x1b|\\[|\\]|P|\\\\|;|m|\n|\r|\t|\x07|\u{9b}|\u{9c}|[0-9]){0,40}", size in 1usize..5) {
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
            let mut filter = EscapeFilter::default();
            let shown: String = pieces.map(|piece| filter.push(&piece).into_owned()).collect();
            prop_assert!(shown.chars().all(|c| c == '\n' || !is_active(c)), "{shown:?}");
            prop_assert_eq!(EscapeFilter::default().push(&text), shown.as_str());
            // A carriage return is the one thing that a stream cannot show as a terminal would.
            if !text.contains('\r') {
                prop_assert_eq!(sanitize(&text), shown.as_str());
            }
        }
    }
}
