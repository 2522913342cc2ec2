//! Sequences behind `ESC [`: arrows and other keys with what is held down, focus, and where a paste begins.

use super::{MAX_SEQUENCE, Parsed};
use crate::term::keys::{Code, Input, Key};

/// What is held down, as bits of the number less one.
const SHIFT: u32 = 1;
const ALT: u32 = 2;
const CTRL: u32 = 4;
/// The kind of event that is no press.
const RELEASE: u32 = 3;

pub(super) fn parse(bytes: &[u8]) -> Parsed {
    match bytes {
        [] | [b'['] => return Parsed::Incomplete,
        // A function key of the Linux console.
        [b'[', _, ..] => return Parsed::Done(2, None),
        // A click in the oldest encoding: three bytes of any kind.
        [b'M', ..] => return if bytes.len() < 4 { Parsed::Incomplete } else { Parsed::Done(4, None) },
        _ => {}
    }
    let length = bytes.iter().position(|byte| !matches!(byte, 0x20..=0x3f));
    let Some(length) = length else {
        return if bytes.len() < MAX_SEQUENCE { Parsed::Incomplete } else { Parsed::Done(bytes.len(), None) };
    };
    let last = bytes[length];
    if !matches!(last, 0x40..=0x7e) {
        // No sequence: what broke it off is looked at by itself.
        return Parsed::Done(length, None);
    }
    let parameters = Parameters::of(&bytes[..length]);
    match (last, parameters.number(0)) {
        (b'~', Some(200)) => Parsed::PasteBegins(length + 1),
        _ => Parsed::Done(length + 1, input(last, &parameters)),
    }
}

/// The numbers of a sequence, each with numbers of its own behind colons.
struct Parameters(Vec<Vec<Option<u32>>>);

impl Parameters {
    fn of(bytes: &[u8]) -> Self {
        let numbers = |part: &[u8]| {
            let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|it| it.parse().ok());
            part.split(|byte| *byte == b':').map(number).collect()
        };
        Self(bytes.split(|byte| *byte == b';').map(numbers).collect())
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.0.get(at)?.first().copied().flatten()
    }

    fn behind_colon(&self, at: usize) -> Option<u32> {
        self.0.get(at)?.get(1).copied().flatten()
    }

    /// This key with what is held down; nothing if it is let go.
    fn held(&self, code: Code) -> Option<Key> {
        if self.behind_colon(1) == Some(RELEASE) {
            return None;
        }
        Some(with_held(code, self.number(1).unwrap_or(1)))
    }
}

fn with_held(code: Code, number: u32) -> Key {
    let bits = number.saturating_sub(1);
    let (ctrl, alt) = (bits & CTRL != 0, bits & ALT != 0);
    let code = match code {
        Code::Char(letter) if ctrl => Code::Char(letter.to_ascii_lowercase()),
        code => code,
    };
    // Shift is in a letter.
    let shift = bits & SHIFT != 0 && !matches!(code, Code::Char(_));
    Key { code, ctrl, alt, shift }
}

fn input(last: u8, parameters: &Parameters) -> Option<Input> {
    let key = match last {
        b'I' => return Some(Input::Focus(true)),
        b'O' => return Some(Input::Focus(false)),
        b'Z' => Some(Key::shift(Code::Tab)),
        b'~' => tilde(parameters),
        b'u' => unicode(parameters.number(0)?, parameters),
        last => parameters.held(named(last)?),
    };
    key.map(Input::Key)
}

/// Keys with a letter for a name.
pub(super) fn named(letter: u8) -> Option<Code> {
    Some(match letter {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        _ => return None,
    })
}

/// Keys with a number for a name.
fn tilde(parameters: &Parameters) -> Option<Key> {
    let code = match parameters.number(0)? {
        1 | 7 => Code::Home,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        // Any other key, as xterm sends it where it is told to.
        27 => return Some(with_held(code_of(parameters.number(2)?)?, parameters.number(1)?)),
        _ => return None,
    };
    parameters.held(code)
}

/// A key in kitty's encoding.
fn unicode(number: u32, parameters: &Parameters) -> Option<Key> {
    // Some keyboards tell what the letter is with Shift.
    let shifted = parameters.number(1).is_some_and(|held| held.saturating_sub(1) & SHIFT != 0);
    let letter = parameters.behind_colon(0).filter(|_| shifted).unwrap_or(number);
    parameters.held(code_of(letter)?)
}

/// The first of kitty's keys on the keypad, and what they are.
const KEYPAD: u32 = 57_399;
const KEYPAD_KEYS: [Code; 26] = [
    Code::Char('0'),
    Code::Char('1'),
    Code::Char('2'),
    Code::Char('3'),
    Code::Char('4'),
    Code::Char('5'),
    Code::Char('6'),
    Code::Char('7'),
    Code::Char('8'),
    Code::Char('9'),
    Code::Char('.'),
    Code::Char('/'),
    Code::Char('*'),
    Code::Char('-'),
    Code::Char('+'),
    Code::Enter,
    Code::Char('='),
    Code::Char(','),
    Code::Left,
    Code::Right,
    Code::Up,
    Code::Down,
    Code::PageUp,
    Code::PageDown,
    Code::Home,
    Code::End,
];
/// The last of them. Insert, before it, means nothing to us.
const KEYPAD_DELETE: u32 = 57_426;

fn code_of(number: u32) -> Option<Code> {
    let keypad = number.checked_sub(KEYPAD).and_then(|at| usize::try_from(at).ok());
    Some(match number {
        27 => Code::Esc,
        13 => Code::Enter,
        9 => Code::Tab,
        8 | 127 => Code::Backspace,
        KEYPAD_DELETE => Code::Delete,
        _ if let Some(code) = keypad.and_then(|at| KEYPAD_KEYS.get(at)) => *code,
        // Other keys have numbers in the range that Unicode leaves to whoever wants it.
        0..32 | 57_344..=63_743 => return None,
        number => Code::Char(char::from_u32(number)?),
    })
}
