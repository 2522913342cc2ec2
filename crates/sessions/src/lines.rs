//! The lines of a journal in memory, read on as many threads as are worth it.

use std::io::BufRead as _;
use std::num::NonZero;

use forelook_protocol::Entry;

/// A thread for every so many bytes: reading as much takes a hundred times as long as starting one.
const SHARE: usize = 4 * 1024 * 1024;
/// More would wait for memory, not compute.
const MAX_THREADS: usize = 8;

/// A line without its newline.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Line<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the newline was there.
    pub(crate) ended: bool,
}

/// A line and what it says, or in a few words why it says nothing.
pub(crate) type Parsed<'a> = (Line<'a>, Result<Entry, String>);

/// The lines of some bytes.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What has not been given out yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let all = self.rest;
        // `skip_until` finds the newline with the platform's `memchr`; a slice's own `split` goes byte by
        // byte. On a slice it cannot fail.
        let length = self.rest.skip_until(b'\n').ok().filter(|length| *length > 0)?;
        let bytes = all.get(..length)?;
        Some(match bytes.strip_suffix(b"\n") {
            Some(bytes) => Line { bytes, ended: true },
            None => Line { bytes, ended: false },
        })
    }
}

/// Reads every line, in order.
pub(crate) fn parse_all(bytes: &[u8]) -> Vec<Parsed<'_>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    parse_on(bytes, (bytes.len() / SHARE).clamp(1, threads))
}

fn parse_on(bytes: &[u8], threads: usize) -> Vec<Parsed<'_>> {
    let parse_part =
        |part| -> Vec<Parsed<'_>> { Lines::new(part).map(|line| (line, parse(line.bytes))).collect() };
    let mut parts = parts(bytes, threads);
    // The last part is ours: with one part, no thread is started.
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

/// Cuts the bytes after newlines into about as many equal parts.
fn parts(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let size = bytes.len() / count.max(1) + 1;
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while rest.len() > size {
        let mut after = Lines::new(rest.split_at(size).1);
        let _ = after.next();
        let (part, others) = rest.split_at(rest.len() - after.rest().len());
        parts.push(part);
        rest = others;
    }
    parts.push(rest);
    parts
}

/// Reads a line, or says in a few words why not.
pub(crate) fn parse(line: &[u8]) -> Result<Entry, String> {
    if line.is_empty() {
        return Err("it is empty".to_owned());
    }
    if line.contains(&0) {
        return Err("it holds NUL bytes, as a power cut can leave them".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    Entry::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_number_of_threads_sees_the_same_lines(text in "[ab\n]{0,60}", threads in 1usize..6) {
            let whole: Vec<&[u8]> = text.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
            let seen: Vec<Vec<u8>> = parse_on(text.as_bytes(), threads)
                .into_iter()
                .map(|(line, _)| [line.bytes, if line.ended { b"\n" } else { b"" }].concat())
                .collect();
            prop_assert_eq!(seen, whole);
        }
    }
}
