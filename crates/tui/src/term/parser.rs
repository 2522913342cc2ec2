//! Bytes of the terminal, turned into keys.
//!
//! crossterm's parser is not used: it takes two bytes of Esc that arrive together for one key, so that a stop pressed
//! twice over a slow line was heard once, and an arrow behind an Esc became letters in the message.

mod csi;
#[cfg(test)]
mod tests;

use super::keys::{Code, Input, Key};

const ESC: u8 = 0x1b;
const DELETE: u8 = 0x7f;
/// What ends a paste.
const PASTE_END: &[u8] = b"\x1b[201~";
/// No sequence of parameters is longer. What claims to be is none.
const MAX_SEQUENCE: usize = 256;

/// Bytes that came, as far as they are no whole key yet.
#[derive(Debug, Default)]
pub(super) struct InputParser {
    bytes: Vec<u8>,
    /// What was pasted so far, while a paste comes.
    paste: Option<Vec<u8>>,
}

/// What the first bytes are.
enum Parsed {
    /// So many bytes, and what they mean to us, if anything.
    Done(usize, Option<Input>),
    /// A paste begins behind so many bytes.
    PasteBegins(usize),
    /// More must come.
    Incomplete,
}

impl InputParser {
    /// More bytes; what became whole with them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.bytes.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        while let Some(input) = self.next() {
            inputs.extend(input);
        }
        inputs
    }

    /// Whether what came last could be a key by itself, and is the beginning of others.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.paste.is_none() && matches!(self.bytes[..], [ESC] | [ESC, b'[' | b'O'])
    }

    /// Nothing more came: what is there is a key by itself.
    pub(super) fn settle(&mut self) -> Option<Input> {
        if !self.is_ambiguous() {
            return None;
        }
        let bytes = std::mem::take(&mut self.bytes);
        Some(Input::Key(match bytes[..] {
            [_, letter] => Key { alt: true, ..Key::plain(Code::Char(char::from(letter))) },
            _ => Key::plain(Code::Esc),
        }))
    }

    /// The next step: a key, or something that means nothing to us.
    fn next(&mut self) -> Option<Option<Input>> {
        if self.paste.is_some() {
            return self.pasted().map(Some);
        }
        match parse(&self.bytes) {
            Parsed::Incomplete => None,
            Parsed::Done(length, input) => {
                self.bytes.drain(..length);
                Some(input)
            }
            Parsed::PasteBegins(length) => {
                self.bytes.drain(..length);
                self.paste = Some(Vec::new());
                Some(None)
            }
        }
    }

    /// The whole paste, once its end has come.
    fn pasted(&mut self) -> Option<Input> {
        let paste = self.paste.as_mut()?;
        // The end may come in two parts, so it is looked for where the two meet as well.
        let seen = paste.len().saturating_sub(PASTE_END.len());
        paste.append(&mut self.bytes);
        let end = paste[seen..].windows(PASTE_END.len()).position(|bytes| bytes == PASTE_END)? + seen;
        self.bytes = paste.split_off(end + PASTE_END.len());
        let text = String::from_utf8_lossy(&paste[..end]).into_owned();
        self.paste = None;
        // Terminals send line ends of pasted text as the Enter key does.
        Some(Input::Paste(text.replace("\r\n", "\n").replace('\r', "\n")))
    }
}

fn parse(bytes: &[u8]) -> Parsed {
    match bytes {
        [] | [ESC] => Parsed::Incomplete,
        [ESC, b'[', rest @ ..] => csi::parse(rest).after(2),
        [ESC, b'O', rest @ ..] => single_shift(rest).after(2),
        // A key of its own, whatever follows it.
        [ESC, ESC, ..] => Parsed::Done(1, Some(Input::Key(Key::plain(Code::Esc)))),
        [ESC, rest @ ..] => match letter(rest) {
            Parsed::Done(length, Some(Input::Key(key))) => {
                Parsed::Done(length, Some(Input::Key(Key { alt: true, ..key })))
            }
            other => other,
        }
        .after(1),
        letters => letter(letters),
    }
}

impl Parsed {
    /// The same, behind so many bytes.
    fn after(self, before: usize) -> Self {
        match self {
            Parsed::Done(length, input) => Parsed::Done(before + length, input),
            Parsed::PasteBegins(length) => Parsed::PasteBegins(before + length),
            Parsed::Incomplete => Parsed::Incomplete,
        }
    }

    fn key(length: usize, key: Key) -> Self {
        Parsed::Done(length, Some(Input::Key(key)))
    }
}

/// Behind `ESC O`: keys of the keypad and arrows, as some terminals send them.
fn single_shift(bytes: &[u8]) -> Parsed {
    match bytes {
        [] => Parsed::Incomplete,
        [b'M', ..] => Parsed::key(1, Key::plain(Code::Enter)),
        [name, ..] => match csi::named(*name) {
            Some(code) => Parsed::key(1, Key::plain(code)),
            // A function key, or one of the keypad.
            None if name.is_ascii_alphabetic() => Parsed::Done(1, None),
            None => Parsed::key(0, Key { alt: true, ..Key::plain(Code::Char('O')) }),
        },
    }
}

/// A letter, or a control character.
fn letter(bytes: &[u8]) -> Parsed {
    let Some(first) = bytes.first() else { return Parsed::Incomplete };
    let control = |base: u8, from: u8| Key::ctrl(char::from(base + (first - from)));
    match first {
        0 => Parsed::key(1, Key::ctrl(' ')),
        b'\r' => Parsed::key(1, Key::plain(Code::Enter)),
        b'\t' => Parsed::key(1, Key::plain(Code::Tab)),
        &DELETE => Parsed::key(1, Key::plain(Code::Backspace)),
        0x01..=0x1a => Parsed::key(1, control(b'a', 1)),
        0x1c..=0x1f => Parsed::key(1, control(b'4', 0x1c)),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Parsed {
    let some = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(some) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&some[..error.valid_up_to()]).unwrap_or_default()
        }
        // A letter whose bytes have not all come.
        Err(error) if error.error_len().is_none() => return Parsed::Incomplete,
        Err(_) => return Parsed::Done(1, None),
    };
    match valid.chars().next() {
        Some(letter) => Parsed::key(letter.len_utf8(), Key::plain(Code::Char(letter))),
        None => Parsed::Done(1, None),
    }
}
