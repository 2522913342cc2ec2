//! The lines of a journal in memory, parsed on as many threads as is worthwhile.

use std::io::BufRead as _;
use std::num::NonZero;

use forelook_protocol::Entry;
use serde::de::IgnoredAny;

/// The number of bytes per thread: parsing this many takes a hundred times as long as starting a thread.
const BYTES_PER_THREAD: usize = 4 * 1024 * 1024;
/// More threads would only wait for memory.
const MAX_THREADS: usize = 8;

/// A line without its newline.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct JournalLine<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the line ended with a newline.
    pub(crate) terminated: bool,
}

/// A line with its entry, or a short reason why it is not one.
pub(crate) type ParsedLine<'a> = (JournalLine<'a>, Result<Entry, String>);

/// Iterates over the lines of a byte slice.
pub(crate) struct LineIter<'a> {
    rest: &'a [u8],
}

impl<'a> LineIter<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes that have not been returned yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for LineIter<'a> {
    type Item = JournalLine<'a>;

    fn next(&mut self) -> Option<JournalLine<'a>> {
        let all = self.rest;
        // `skip_until` finds the newline with the platform's `memchr`, while a slice's own `split` goes byte by byte.
        // On a slice it cannot fail.
        let length = self.rest.skip_until(b'\n').ok().filter(|length| *length > 0)?;
        let bytes = all.get(..length)?;
        Some(match bytes.strip_suffix(b"\n") {
            Some(bytes) => JournalLine { bytes, terminated: true },
            None => JournalLine { bytes, terminated: false },
        })
    }
}

/// Parses all lines, in order.
pub(crate) fn parse_all(bytes: &[u8]) -> Vec<ParsedLine<'_>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    parse_on(bytes, (bytes.len() / BYTES_PER_THREAD).clamp(1, threads))
}

fn parse_on(bytes: &[u8], threads: usize) -> Vec<ParsedLine<'_>> {
    let parse_part =
        |part| -> Vec<ParsedLine<'_>> { LineIter::new(part).map(|line| (line, parse(line.bytes))).collect() };
    let mut parts = parts(bytes, threads);
    // This thread takes the last part, so a single part starts no thread.
    let last = parts.pop().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || parse_part(part))).collect();
        let last = parse_part(last);
        let mut all = Vec::new();
        for other in others {
            all.append(&mut other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        if all.is_empty() {
            return last;
        }
        all.extend(last);
        all
    })
}

/// Splits the bytes after newlines into about this many parts of equal size.
fn parts(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let size = bytes.len() / count.max(1) + 1;
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while rest.len() > size {
        let mut after = LineIter::new(rest.split_at(size).1);
        let _ = after.next();
        let (part, others) = rest.split_at(rest.len() - after.rest().len());
        parts.push(part);
        rest = others;
    }
    parts.push(rest);
    parts
}

/// Parses a line, or gives a short reason why it is not an entry.
pub(crate) fn parse(line: &[u8]) -> Result<Entry, String> {
    if line.is_empty() {
        return Err("it is empty".to_owned());
    }
    if line.contains(&0) {
        return Err("it contains NUL bytes, as after a power loss".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    Entry::parse(text).map_err(|error| error.to_string())
}

/// Kinds of entries that say what a session may do.
const PERMISSION_KINDS: [&[u8]; 3] =
    [b"\"kind\":\"mode_changed\"", b"\"kind\":\"plan_reviewed\"", b"\"kind\":\"permissions_changed\""];

/// Whether a line that was torn would have changed permissions.
pub(crate) fn changes_permissions(torn: &[u8]) -> bool {
    PERMISSION_KINDS.iter().any(|kind| torn.windows(kind.len()).any(|part| part == *kind))
}

/// Whether the end of a file is a line that was being written when its writer stopped: whether it begins a JSON object and is not all of it.
pub(crate) fn is_torn(bytes: &[u8]) -> bool {
    let half_letter = |error: std::str::Utf8Error| error.error_len().is_none();
    if !bytes.starts_with(b"{") || std::str::from_utf8(bytes).is_err_and(|error| !half_letter(error)) {
        return false;
    }
    let is_cut =
        |bytes: &[u8]| serde_json::from_slice::<IgnoredAny>(bytes).is_err_and(|error| error.is_eof());
    // A number that is cut behind its point or sign is no number yet.
    is_cut(bytes) || is_cut(&[bytes, b"0"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_beginning_of_an_object_is_torn_and_nothing_else() {
        let line = r#"{"a":"\u00e4ä\"","b":[-1.5e+3,true,null,{"kind":"x"}]}"#.as_bytes();
        for end in 1..line.len() {
            assert!(is_torn(&line[..end]), "{end}");
        }
        for other in [b"".as_slice(), line, b"x", b"\"a", b"{\0", b"{\"a\xff\"", b"{\"a\":\0\0", b"{]"] {
            assert!(!is_torn(other), "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn any_number_of_threads_sees_the_same_lines(text in "[ab\n]{0,60}", threads in 1usize..6) {
            let whole: Vec<&[u8]> = text.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
            let seen: Vec<Vec<u8>> = parse_on(text.as_bytes(), threads)
                .into_iter()
                .map(|(line, _)| [line.bytes, if line.terminated { b"\n" } else { b"" }].concat())
                .collect();
            prop_assert_eq!(seen, whole);
        }
    }
}
