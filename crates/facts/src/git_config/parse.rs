//! Reads a configuration file as git reads it, byte by byte.
//!
//! A reader that is nearly right is worse than none: what it takes for the end of a value and git does not hides the rest.

use ParseError::Refused;

/// One setting. The key is `section.name` or `section.subsection.name`, with the section and the name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: Vec<u8>,
    /// None if there is no `=`.
    pub(super) value: Option<Vec<u8>>,
}

impl Setting {
    /// Section, subsection and name.
    pub(super) fn parts(&self) -> (&[u8], Option<&[u8]>, &[u8]) {
        let dot = |byte: &u8| *byte == b'.';
        let (Some(first), Some(last)) = (self.key.iter().position(dot), self.key.iter().rposition(dot))
        else {
            return (&[], None, &self.key);
        };
        let part = |from: usize, to: usize| self.key.get(from..to).unwrap_or_default();
        let below = (first < last).then(|| part(first + 1, last));
        (part(0, first), below, part(last + 1, self.key.len()))
    }
}

/// All keys of a file together are not longer than this. Each repeats the name of its section: a long name and many settings
/// would take the square of what the file takes.
const MAX_KEYS: usize = 8 * 1024 * 1024;

/// Why the settings of a file are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParseError {
    /// Git would not read it either.
    Refused,
    /// Git reads what we do not follow.
    NotFollowed,
}

/// All settings of a file, in their order.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Setting>, ParseError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Git goes on behind a zero byte but compares names only up to it; we do not follow it there.
    if bytes.contains(&0) {
        return Err(ParseError::NotFollowed);
    }
    let (mut from, mut settings, mut section) = (ByteReader { rest: bytes }, Vec::new(), Vec::new());
    let mut left = MAX_KEYS;
    while let Some(byte) = from.next() {
        match byte {
            b'#' | b';' => while !matches!(from.next(), None | Some(b'\n')) {},
            b'[' => section = header(&mut from)?,
            byte if byte.is_ascii_alphabetic() => {
                left = left.checked_sub(section.len()).ok_or(ParseError::NotFollowed)?;
                let mut key = section.clone();
                key.push(byte.to_ascii_lowercase());
                let value = setting(&mut from, &mut key)?;
                settings.push(Setting { key, value });
            }
            byte if is_space(byte) => {}
            _ => return Err(Refused),
        }
    }
    Ok(settings)
}

struct ByteReader<'a> {
    rest: &'a [u8],
}

impl ByteReader<'_> {
    /// The next byte; the end of a line is one byte however it is written.
    fn next(&mut self) -> Option<u8> {
        self.rest = match self.rest {
            [b'\r', b'\n', ..] => self.rest.get(1..)?,
            rest => rest,
        };
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    /// The same where the end of the file ends a line too.
    fn next_or_newline(&mut self) -> u8 {
        self.next().unwrap_or(b'\n')
    }
}

/// What C calls space, but for the two that nobody has in a file; git's own table has these.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// `section]`, `section "subsection"]` or, as it once was, `section.subsection]`; with a dot at the end.
fn header(from: &mut ByteReader) -> Result<Vec<u8>, ParseError> {
    let mut name = Vec::new();
    loop {
        match from.next().ok_or(Refused)? {
            // Git refuses `[]`, but reads `[ "a"]` as a section without a name.
            b']' if name.is_empty() => return Err(Refused),
            b']' => break,
            byte if is_space(byte) => {
                subsection(from, byte, &mut name)?;
                break;
            }
            byte if is_key(byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
            _ => return Err(Refused),
        }
    }
    name.push(b'.');
    Ok(name)
}

fn subsection(from: &mut ByteReader, mut byte: u8, name: &mut Vec<u8>) -> Result<(), ParseError> {
    while is_space(byte) {
        if byte == b'\n' {
            return Err(Refused);
        }
        byte = from.next_or_newline();
    }
    if byte != b'"' {
        return Err(Refused);
    }
    name.push(b'.');
    loop {
        let mut byte = from.next_or_newline();
        if byte == b'"' {
            break;
        }
        if byte == b'\\' {
            byte = from.next_or_newline();
        }
        if byte == b'\n' {
            return Err(Refused);
        }
        name.push(byte);
    }
    if from.next_or_newline() == b']' { Ok(()) } else { Err(Refused) }
}

/// The rest of a key, and its value.
fn setting(from: &mut ByteReader, key: &mut Vec<u8>) -> Result<Option<Vec<u8>>, ParseError> {
    let mut byte = from.next_or_newline();
    while is_key(byte) {
        key.push(byte.to_ascii_lowercase());
        byte = from.next_or_newline();
    }
    while matches!(byte, b' ' | b'\t') {
        byte = from.next_or_newline();
    }
    match byte {
        b'\n' => Ok(None),
        b'=' => value(from).map(Some),
        _ => Err(Refused),
    }
}

fn value(from: &mut ByteReader) -> Result<Vec<u8>, ParseError> {
    let (mut value, mut kept, mut quoted, mut comment) = (Vec::new(), 0, false, false);
    loop {
        match from.next_or_newline() {
            b'\n' if quoted => return Err(Refused),
            b'\n' => break,
            _ if comment => continue,
            byte if is_space(byte) && !quoted => {
                // Inside of a value it counts, at its ends it does not.
                if !value.is_empty() {
                    value.push(byte);
                }
                continue;
            }
            b'#' | b';' if !quoted => {
                comment = true;
                continue;
            }
            b'\\' => match from.next_or_newline() {
                b'\n' => {}
                b't' => value.push(b'\t'),
                b'b' => value.push(8),
                b'n' => value.push(b'\n'),
                byte @ (b'\\' | b'"') => value.push(byte),
                _ => return Err(Refused),
            },
            b'"' => quoted = !quoted,
            byte => value.push(byte),
        }
        kept = value.len();
    }
    value.truncate(kept);
    Ok(value)
}
