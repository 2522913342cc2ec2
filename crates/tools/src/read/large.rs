//! A part of a file that is too large to be read whole: piece by piece, up to the wanted lines.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read, Seek};

use forelook_disk::text_file::{self, SNIFF};
use forelook_protocol::AbsPath;
use memchr::{memchr, memchr_iter};

use crate::file::{MAX_FILE, failure};
use crate::typed::{ToolFailure, ToolSuccess};

use super::lines::{LineRange, MAX_LINE, NumberedLines, ending, past_end, quoted};
use super::{ReadJob, binary};

const PIECE: usize = 256 * 1024;
/// Bytes that hold the characters of a line that are shown, whatever they are.
const LINE_BYTES: usize = 4 * MAX_LINE;
const MIB: u64 = 1024 * 1024;

/// The wanted lines. The file is not "seen" by that: nobody knows what the rest of it is.
pub(super) fn read(job: &ReadJob, mut file: File) -> Result<ToolSuccess, ToolFailure> {
    let path = &job.path;
    let fail = |error: io::Error| failure(path, &error);
    file.rewind().map_err(fail)?;
    // No further than it goes now: a file that grows has no end.
    let size = file.metadata().map_err(fail)?.len().max(MAX_FILE);
    let mut pieces = ChunkReader { job, file: file.take(size), buffer: vec![0; PIECE], done: 0 };
    let mut scan = LineScanner::new(job.range);
    let mut first = true;
    while let Some(piece) = pieces.next()? {
        if std::mem::take(&mut first) {
            must_be_text(path, piece, size)?;
            scan.ending = ending(piece);
        }
        if !scan.take(piece) {
            break;
        }
    }
    if scan.wants_more {
        scan.end();
    }
    if scan.output.next == job.range.first {
        return Err(past_end(path, scan.line - 1, job.range.first));
    }
    Ok(ToolSuccess::new(scan.finish(path, size)))
}

fn must_be_text(path: &AbsPath, start: &[u8], size: u64) -> Result<(), ToolFailure> {
    if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
        return Err(ToolFailure::new(format!(
            "`{path}` is UTF-16 and has {} MiB, too large to read\n\
             View part of it with Bash: `iconv -f UTF-16 -t UTF-8 {} | sed -n 1,200p`",
            size / MIB,
            quoted(path)
        )));
    }
    match text_file::view(&start[..start.len().min(SNIFF)]) {
        Ok(_) => Ok(()),
        Err(_) => Err(binary(path, start, size)),
    }
}

/// A file in pieces.
struct ChunkReader<'a> {
    job: &'a ReadJob,
    file: io::Take<File>,
    buffer: Vec<u8>,
    done: u64,
}

impl ChunkReader<'_> {
    fn next(&mut self) -> Result<Option<&[u8]>, ToolFailure> {
        if self.job.cancel.is_cancelled() {
            return Err(ToolFailure::interrupted());
        }
        let length = self.file.read(&mut self.buffer).map_err(|error| failure(&self.job.path, &error))?;
        self.done += length as u64;
        if self.done / (64 * MIB) > (self.done - length as u64) / (64 * MIB) {
            self.job.progress.say(format!("{} MiB read", self.done / MIB));
        }
        Ok((length > 0).then(|| &self.buffer[..length]))
    }
}

/// Where in the lines the pieces have come to.
struct LineScanner {
    output: NumberedLines,
    first: usize,
    ending: u8,
    /// The number of the line that the next byte belongs to.
    line: usize,
    /// The beginning of that line, if it is wanted.
    start: Vec<u8>,
    /// All bytes of that line so far.
    length: usize,
    wants_more: bool,
}

impl LineScanner {
    fn new(range: LineRange) -> Self {
        let output = NumberedLines::new(range);
        Self {
            output,
            first: range.first,
            ending: b'\n',
            line: 1,
            start: Vec::new(),
            length: 0,
            wants_more: true,
        }
    }

    /// Takes the next piece; false when no more is wanted.
    fn take(&mut self, piece: &[u8]) -> bool {
        let mut rest = self.skip(piece);
        while self.wants_more && !rest.is_empty() {
            let end = memchr(self.ending, rest);
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.line >= self.first {
                let room = LINE_BYTES - self.start.len();
                self.start.extend_from_slice(&part[..part.len().min(room)]);
            }
            self.length += part.len();
            let Some(end) = end else { break };
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.wants_more
    }

    /// What comes after the lines that are not wanted.
    fn skip<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        if self.line >= self.first {
            return piece;
        }
        // Counting alone is much quicker than looking at each, and nearly always enough.
        let count = memchr_iter(self.ending, piece).count();
        let wanted = self.first - self.line;
        if count < wanted {
            self.line += count;
            self.length = match memchr::memrchr(self.ending, piece) {
                Some(at) => piece.len() - at - 1,
                None => self.length + piece.len(),
            };
            return &[];
        }
        (self.line, self.length) = (self.first, 0);
        let at = memchr_iter(self.ending, piece).nth(wanted - 1).unwrap_or(piece.len() - 1);
        &piece[at + 1..]
    }

    fn end_line(&mut self) {
        let start = std::mem::take(&mut self.start);
        let whole = self.length == start.len();
        let bytes = match self.ending {
            b'\n' if whole => start.strip_suffix(b"\r").unwrap_or(&start),
            _ => &start,
        };
        let text = shown(bytes);
        self.wants_more = match text.char_indices().nth(MAX_LINE) {
            None if whole => self.output.push(&text),
            at => {
                let end = at.map_or(text.len(), |(at, _)| at);
                let more = self.length.saturating_sub(end);
                self.output.push_cut(&format!("{}… [+{more} bytes]", &text[..end]))
            }
        };
        self.line += 1;
        self.length = 0;
    }

    /// The file has ended: so has its last line, if it had no ending.
    fn end(&mut self) {
        if self.length == 0 {
            return;
        }
        match self.line >= self.first {
            true => self.end_line(),
            false => self.line += 1,
        }
    }

    fn finish(self, path: &AbsPath, size: u64) -> String {
        let Self { output, first, wants_more, ending, .. } = self;
        let next = output.next;
        let read_on = |line: usize| {
            (ending == b'\n').then(|| {
                format!("sed -n '{line}{{p;q}}' {} | cut -c {}-{}", quoted(path), MAX_LINE + 1, 3 * MAX_LINE)
            })
        };
        let mut out = output.finish(read_on);
        let _ = write!(out, "\n[Lines {first} to {} of a file of {} MiB. ", next - 1, size / MIB);
        let _ = match wants_more {
            true => write!(out, "This is the end of the file. "),
            false => write!(out, "Continue with `offset` {next}. "),
        };
        let _ = writeln!(
            out,
            "Edit and Write do not accept files over {} MiB: change them with Bash.]",
            MAX_FILE / MIB
        );
        out
    }
}

/// The bytes of a line as text: UTF-8, be it that the last character is cut; else one byte a character.
fn shown(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => text_file::latin1(bytes),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lines::NumberedText;
    use super::*;

    proptest! {
        /// However a text is cut into pieces, the same lines come as from the whole.
        #[test]
        fn pieces_give_the_lines_of_the_whole(
            text in "([ab]|é|\r\n|\n){1,60}",
            cuts in proptest::collection::vec(1usize..9, 0..20),
            first in 1usize..6,
            limit in 1usize..6,
        ) {
            let path = AbsPath::new("/file").unwrap();
            let range = LineRange { first, limit };
            let mut scan = LineScanner::new(range);
            let mut rest = text.as_bytes();
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                rest = after;
                if !scan.take(piece) {
                    break;
                }
            }
            if scan.wants_more {
                scan.end();
            }
            let (lines, count) = (scan.line - 1, scan.output.next - first);
            match (NumberedText { path: &path, text: &text, encoding: None }).numbered(range) {
                Err(behind) => {
                    prop_assert_eq!(count, 0);
                    prop_assert!(behind.text.contains(&format!("has only {lines} line")), "{} {lines}", behind.text);
                }
                Ok(whole) => {
                    let whole = whole.split("\n\n[Lines").next().unwrap().trim_end_matches('\n');
                    let found = scan.output.finish(|_| None);
                    prop_assert_eq!(found.trim_end_matches('\n'), whole);
                }
            }
        }
    }
}
