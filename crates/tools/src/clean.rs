//! A program's output as plain text, piece by piece: UTF-8 whatever comes, no escapes, no control
//! characters, `\n` for every line. Two are left, for [`crate::output`] to draw: [`AGAIN`] and [`BACK`].

/// The line is drawn anew from its beginning.
pub(crate) const AGAIN: char = '\r';
/// One character back.
pub(crate) const BACK: char = '\x08';

/// A title in an escape sequence is given up after this many characters, so that a broken one cannot
/// swallow the output.
const MAX_STRING: usize = 4096;

/// What a character belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum EscapeState {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// In `ESC [ … letter`, with whether all so far says no more than "first".
    Sequence(bool),
    /// In `ESC ( B` and the like.
    Charset,
    /// In `ESC ] … BEL`: a title, a link.
    Words(usize),
    /// After the ESC that may end it.
    WordsEscape,
}

/// Cleans bytes that come in pieces.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    /// The first bytes of a character whose rest is to come.
    partial: Vec<u8>,
    state: EscapeState,
    /// A `\r` that may be half of a `\r\n`.
    after_return: bool,
    /// Something stands on the current line.
    in_line: bool,
}

impl Cleaner {
    /// The text of some more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let whole = whole_characters(&all);
        let mut out = String::with_capacity(whole);
        let mut rest = &all[..whole];
        while let Some(first) = rest.first() {
            let taken = match self.state {
                EscapeState::Text if !self.after_return && is_plain(*first) => self.plain(rest, &mut out),
                _ if first.is_ascii() => {
                    self.character(char::from(*first), &mut out);
                    1
                }
                _ => self.beyond_ascii(rest, &mut out),
            };
            rest = &rest[taken..];
        }
        self.partial = all.split_off(whole);
        out
    }

    /// A run of characters that need no care goes as it is: most output is nothing else.
    fn plain(&mut self, bytes: &[u8], out: &mut String) -> usize {
        let mut length = 0;
        while let Some(block) = bytes[length..].first_chunk()
            && are_plain(*block)
        {
            length += block.len();
        }
        length += bytes[length..].iter().take_while(|byte| is_plain(**byte)).count();
        let run = &bytes[..length];
        out.push_str(str::from_utf8(run).unwrap_or_default());
        self.in_line = run.last() != Some(&b'\n');
        length
    }

    /// A run of bytes that are not ASCII. No character has bytes of both kinds.
    fn beyond_ascii(&mut self, bytes: &[u8], out: &mut String) -> usize {
        let length = bytes.iter().position(u8::is_ascii).unwrap_or(bytes.len());
        for piece in bytes[..length].utf8_chunks() {
            piece.valid().chars().for_each(|c| self.character(c, out));
            if !piece.invalid().is_empty() {
                self.character(char::REPLACEMENT_CHARACTER, out);
            }
        }
        length
    }

    /// The text of what is left at the end.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        if !std::mem::take(&mut self.partial).is_empty() {
            self.character(char::REPLACEMENT_CHARACTER, &mut out);
        }
        out
    }

    fn character(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (EscapeState::Words(_), '\x07') | (EscapeState::WordsEscape, '\\') => EscapeState::Text,
            (EscapeState::Words(_), '\x1b') => EscapeState::WordsEscape,
            (EscapeState::Words(length), c) if length < MAX_STRING && c != '\n' => {
                EscapeState::Words(length + 1)
            }
            (EscapeState::Escape, '[') => EscapeState::Sequence(true),
            (EscapeState::Escape, ']' | 'P' | 'X' | '^' | '_') => EscapeState::Words(0),
            (EscapeState::Escape | EscapeState::Charset, ' '..='/') => EscapeState::Charset,
            (EscapeState::Escape | EscapeState::Charset, '0'..='~') => EscapeState::Text,
            (EscapeState::Sequence(first), ' '..='?') => {
                EscapeState::Sequence(first && matches!(c, '0' | '1'))
            }
            // To the first column: that is what `\r` does.
            (EscapeState::Sequence(true), 'G') => {
                self.text('\r', out);
                EscapeState::Text
            }
            (EscapeState::Sequence(_), '@'..='~') => EscapeState::Text,
            (_, '\x1b') => EscapeState::Escape,
            (_, c) => {
                self.text(c, out);
                EscapeState::Text
            }
        };
    }

    fn text(&mut self, c: char, out: &mut String) {
        let after_return = std::mem::take(&mut self.after_return);
        if after_return && self.in_line && !matches!(c, '\r' | '\n' | BACK) {
            out.push(AGAIN);
            self.in_line = false;
        }
        match c {
            '\r' => self.after_return = true,
            '\n' => out.push('\n'),
            '\0' => out.push(char::REPLACEMENT_CHARACTER),
            // Before the beginning of a line is nothing.
            BACK if !after_return && self.in_line => out.push(BACK),
            BACK => self.after_return = after_return,
            c if c.is_control() && c != '\t' => {
                self.after_return = after_return;
                return;
            }
            c => out.push(c),
        }
        self.in_line = match c {
            '\n' => false,
            '\r' | BACK => self.in_line,
            _ => true,
        };
    }
}

/// Printable ASCII, and what a plain text has beside it.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// The same for sixteen at once: a command may write a gigabyte.
fn are_plain(block: [u8; 16]) -> bool {
    const ONES: u128 = u128::MAX / 0xff;
    const HIGH: u128 = 0x80 * ONES;
    let bytes = u128::from_le_bytes(block);
    if bytes & HIGH != 0 {
        return false;
    }
    // No byte is above 0x7f, so no sum goes over into the next one. The high bit says: not this byte.
    let not = |byte: u128| (bytes ^ (byte * ONES)) + 0x7f * ONES;
    let at_least_space = bytes + (0x80 - 0x20) * ONES;
    (at_least_space | !not(0x0a) | !not(0x09)) & not(0x7f) & HIGH == HIGH
}

/// How many of these bytes are whole characters, or never will be any.
fn whole_characters(bytes: &[u8]) -> usize {
    // A character has at most four bytes: only the last three can be the start of one.
    for back in 1..=bytes.len().min(3) {
        let start = bytes.len() - back;
        if bytes[start] >= 0xC0 {
            let unfinished = str::from_utf8(&bytes[start..]).is_err_and(|error| error.error_len().is_none());
            return if unfinished { start } else { bytes.len() };
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clean(bytes: &[u8], piece: usize) -> String {
        let mut cleaner = Cleaner::default();
        let mut out: String = bytes.chunks(piece).map(|bytes| cleaner.push(bytes)).collect();
        out.push_str(&cleaner.finish());
        out
    }

    #[test]
    fn output_becomes_plain_text_however_it_is_cut() {
        for (bytes, expected) in [
            (&b"plain\n"[..], "plain\n"),
            ("é→😀".as_bytes(), "é→😀"),
            (b"a\xffb\xc3", "a\u{fffd}b\u{fffd}"),
            (b"\x1b[1;31mred\x1b[0m\x1b[K!", "red!"),
            (b"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
            (b"\x1b(Bx\x1b=y\x1bMz", "xyz"),
            (b"a\r\nb\r\r\n", "a\nb\n"),
            (b"10%\r20%\r\n", "10%\r20%\n"),
            (b"10%\r\x0720%\r\x1b[0K\n", "10%\r20%\n"),
            (b"10%\x1b[1G\x1b[0K20%\x1b[G30%\x1b[12Gx", "10%\r20%\r30%x"),
            (b"\r\x08a\x08\x08\r\x08b\x08", "a\x08\x08\rb\x08"),
            (b"a\0b\x07", "a\u{fffd}b"),
            (b"\xe4\xbd\xa0\xe4\xbdA\xc3\xa9\x1b[1m\xe5\xa5\xbd", "\u{4f60}\u{fffd}A\u{e9}\u{597d}"),
            (b"\x1b]never ends\nkept", "\nkept"),
            (b"end\x1b[", "end"),
        ] {
            for piece in [1, 2, 3, 1000] {
                assert_eq!(clean(bytes, piece), expected, "{bytes:?} in pieces of {piece}");
            }
        }
    }

    proptest! {
        #[test]
        fn many_at_once_are_judged_as_one_by_one(block in proptest::array::uniform16(0u8..)) {
            prop_assert_eq!(are_plain(block), block.iter().all(|byte| is_plain(*byte)));
            for byte in 0..=255 {
                let mut block = *b"a \n~ \tb \n~ \tc \nz";
                block[usize::from(byte % 16)] = byte;
                prop_assert_eq!(are_plain(block), is_plain(byte));
            }
        }

        #[test]
        fn plain_text_stays(text in "[a-zé→😀 \t\n]{0,60}", piece in 1usize..9) {
            prop_assert_eq!(clean(text.as_bytes(), piece), text);
        }
    }
}
