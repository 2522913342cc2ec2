//! Reads a journal line by line, within bounds, whatever has become of the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Result};
use std::path::Path;

use forelook_disk::ReadError;

use crate::SessionError;

/// The longest line. The longest that there is a use for is a prompt with pictures, which is a quarter of it.
pub(crate) const MAX_LINE: usize = 256 * 1024 * 1024;

/// How much is read at once.
const BUFFER: usize = 256 * 1024;

/// How a line was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LineEnd {
    /// The number of its bytes, without the newline.
    pub(crate) length: u64,
    /// Whether it ended with a newline.
    pub(crate) terminated: bool,
    /// Whether only its start was kept.
    pub(crate) cut: Option<Cut>,
}

/// Why a line cannot be an entry, so that it need not be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It has a NUL byte: it is kept up to there.
    Nul,
    /// It is too long: a NUL byte stands for it, so that nothing takes it for the start of an entry.
    TooLong,
}

impl LineEnd {
    /// Takes one more piece of the line.
    fn take(&mut self, piece: &[u8], start: usize, limit: usize, into: &mut Vec<u8>) {
        self.length += piece.len() as u64;
        if self.cut.is_some() {
            return;
        }
        if piece.contains(&0) {
            into.extend(piece.iter().take_while(|byte| **byte != 0));
            into.push(0);
            self.cut = Some(Cut::Nul);
        } else if into.len() - start + piece.len() > limit {
            into.truncate(start);
            into.shrink_to(BUFFER);
            into.push(0);
            self.cut = Some(Cut::TooLong);
        } else {
            into.extend_from_slice(piece);
        }
    }
}

/// Adds the next line, without its newline, to these bytes. There is none at the end of the file.
pub(crate) fn read_line(file: &mut impl BufRead, into: &mut Vec<u8>) -> Result<Option<LineEnd>> {
    read_line_within(file, MAX_LINE, into)
}

fn read_line_within(file: &mut impl BufRead, limit: usize, into: &mut Vec<u8>) -> Result<Option<LineEnd>> {
    let (start, mut line) = (into.len(), LineEnd::default());
    loop {
        let all = match file.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            all => all?,
        };
        if all.is_empty() {
            return Ok((line.length > 0).then_some(line));
        }
        // A slice's own search goes byte by byte; this one uses the platform's `memchr`.
        let mut rest = all;
        let used = rest.skip_until(b'\n')?;
        let piece = all.get(..used).unwrap_or_default();
        line.terminated = piece.ends_with(b"\n");
        line.take(piece.strip_suffix(b"\n").unwrap_or(piece), start, limit, into);
        file.consume(used);
        if line.terminated {
            return Ok(Some(line));
        }
    }
}

/// The lines of a journal, as far as they can be entries.
#[derive(Debug, Default)]
pub(crate) struct JournalText {
    /// The lines, with their newlines. Of a line that cannot be an entry there is only the start.
    pub(crate) bytes: Vec<u8>,
    /// The lines that are not complete, by their number, starting at 1.
    pub(crate) cut: BTreeMap<usize, LineEnd>,
}

impl JournalText {
    /// Reads all lines.
    pub(crate) fn read(file: impl Read) -> Result<Self> {
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut text = Self::default();
        for number in 1.. {
            let Some(line) = read_line(&mut file, &mut text.bytes)? else { break };
            if line.terminated {
                text.bytes.push(b'\n');
            }
            if line.cut.is_some() {
                text.cut.insert(number, line);
            }
        }
        Ok(text)
    }

    /// Reads the journal at this path.
    pub(crate) fn open(path: &Path) -> std::result::Result<Self, SessionError> {
        Self::read(open(path)?).map_err(SessionError::unreadable(path))
    }
}

/// Opens a journal to be read in pieces. A pipe in its place makes nobody wait.
pub(crate) fn open(path: &Path) -> std::result::Result<File, SessionError> {
    forelook_disk::open_regular(path).map_err(|error| match error {
        ReadError::NotRegular => SessionError::NotRegular { path: path.to_path_buf() },
        error => SessionError::unreadable(path)(error.into()),
    })
}

/// A journal, to be read line by line.
pub(crate) fn buffered(path: &Path) -> std::result::Result<BufReader<File>, SessionError> {
    Ok(BufReader::with_capacity(BUFFER, open(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], buffer: usize) -> Vec<(Vec<u8>, LineEnd)> {
        let mut file = BufReader::with_capacity(buffer, bytes);
        let next = || {
            let mut line = Vec::new();
            let end = read_line_within(&mut file, 8, &mut line).unwrap()?;
            Some((line, end))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_line_is_kept_as_far_as_it_can_be_an_entry() {
        let whole = |length| LineEnd { length, terminated: true, cut: None };
        let bytes = [b"one\n\na\0b\n".as_slice(), &[b'x'; 30], b"\n12345678\nlast"].concat();
        for buffer in [1, 2, 7, 100] {
            let expected = [
                (b"one".to_vec(), whole(3)),
                (b"".to_vec(), whole(0)),
                (b"a\0".to_vec(), LineEnd { cut: Some(Cut::Nul), ..whole(3) }),
                (b"\0".to_vec(), LineEnd { cut: Some(Cut::TooLong), ..whole(30) }),
                (b"12345678".to_vec(), whole(8)),
                (b"last".to_vec(), LineEnd { terminated: false, ..whole(4) }),
            ];
            assert_eq!(lines(&bytes, buffer), expected, "{buffer}");
        }
        assert!(lines(b"", 4).is_empty());
    }
}
