//! Lines with their numbers, as many as a result may hold.

use std::fmt::Write;

use forelook_disk::text_file::Encoding;
use forelook_protocol::AbsPath;
use memchr::{memchr, memchr_iter};

use crate::output::shorten;
use crate::typed::ToolFailure;

/// Characters of a line that are shown.
pub(super) const MAX_LINE: usize = 2000;
/// Text of one result; a model reads on with `offset`.
const MAX_BYTES: usize = 256 * 1024;
/// Cut lines that are named.
const MAX_CUT: usize = 5;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRange {
    /// Counted from 1.
    pub(super) first: usize,
    pub(super) limit: usize,
}

/// Lines of a result, one after the other.
#[derive(Debug)]
pub(super) struct NumberedLines {
    range: LineRange,
    text: String,
    /// The number of the next line.
    pub(super) next: usize,
    cut: Vec<usize>,
}

impl NumberedLines {
    pub(super) fn new(range: LineRange) -> Self {
        Self { range, text: String::new(), next: range.first, cut: Vec::new() }
    }

    /// Adds a line, a long one folded; false when there is no room for it.
    #[must_use]
    pub(super) fn push(&mut self, line: &str) -> bool {
        // Few lines are long, and to count what is beyond is the costly part.
        if line.len() <= MAX_LINE || line.chars().nth(MAX_LINE).is_none() {
            return self.add(line);
        }
        self.push_cut(&shorten(line, MAX_LINE))
    }

    /// Adds the beginning of a line, with the words that say so; false when there is no room for it.
    #[must_use]
    pub(super) fn push_cut(&mut self, folded: &str) -> bool {
        let number = self.next;
        let added = self.add(folded);
        if added {
            self.cut.push(number);
        }
        added
    }

    fn add(&mut self, line: &str) -> bool {
        let count = self.next - self.range.first;
        if count == self.range.limit || (self.text.len() + line.len() > MAX_BYTES && count > 0) {
            return false;
        }
        // A NUL is no text to some providers.
        let _ = writeln!(self.text, "{:>6}\t{}", self.next, line.replace('\0', "\u{fffd}"));
        self.next += 1;
        true
    }

    /// The lines, and after them what is to be said about those that were cut; `read_on` reads on in a line.
    pub(super) fn finish(mut self, read_on: impl FnOnce(usize) -> Option<String>) -> String {
        let Some(first) = self.cut.first().copied() else { return self.text };
        let named: Vec<String> = self.cut.iter().take(MAX_CUT).map(ToString::to_string).collect();
        let more = if self.cut.len() > MAX_CUT { ", …" } else { "" };
        let _ = write!(
            self.text,
            "\n[Truncated after {MAX_LINE} characters: {}{more}.",
            of_lines(&named.join(", "), self.cut.len())
        );
        if let Some(read_on) = read_on(first) {
            let _ = write!(self.text, " To read the rest of line {first}, use Bash: `{read_on}`");
        }
        self.text.push_str("]\n");
        self.text
    }
}

fn of_lines(numbers: &str, count: usize) -> String {
    format!("{} {numbers}", if count == 1 { "line" } else { "lines" })
}

/// A text with the words for its lines.
pub(super) struct NumberedText<'a> {
    pub(super) path: &'a AbsPath,
    pub(super) text: &'a str,
    /// Of the file, if the lines are those of a file.
    pub(super) encoding: Option<Encoding>,
}

impl NumberedText<'_> {
    /// The wanted lines with their numbers, and a note when there are more.
    pub(super) fn numbered(&self, range: LineRange) -> Result<String, ToolFailure> {
        let Self { path, text, .. } = self;
        if text.is_empty() {
            return Ok(format!("`{path}` is empty"));
        }
        let ending = ending(text.as_bytes());
        let all = memchr_iter(ending, text.as_bytes()).count();
        let total = all + usize::from(!text.as_bytes().ends_with(&[ending]));
        if range.first > total {
            return Err(past_end(path, total, range.first));
        }
        let start = match range.first {
            1 => 0,
            first => memchr_iter(ending, text.as_bytes()).nth(first - 2).map_or(0, |at| at + 1),
        };
        let mut output = NumberedLines::new(range);
        for line in lines(&text[start..], ending) {
            if !output.push(line) {
                break;
            }
        }
        let (first, next) = (range.first, output.next);
        let mut out = output.finish(|line| self.read_on(line, ending));
        if next <= total {
            let _ =
                writeln!(out, "\n[Lines {first} to {} of {total}. Continue with `offset` {next}.]", next - 1);
        }
        Ok(out)
    }

    fn read_on(&self, line: usize, ending: u8) -> Option<String> {
        let path = quoted(self.path);
        let lines = match (self.encoding?, ending) {
            (Encoding::Utf16Le | Encoding::Utf16Be, _) => {
                format!("iconv -f UTF-16 -t UTF-8 {path} | sed -n {line}p")
            }
            (_, b'\r') => format!("tr '\\r' '\\n' < {path} | sed -n {line}p"),
            _ => format!("sed -n {line}p {path}"),
        };
        Some(format!("{lines} | cut -c {}-{}", MAX_LINE + 1, 3 * MAX_LINE))
    }
}

/// What ends the lines of a text: `\r` only where there is no `\n` at all.
pub(super) fn ending(text: &[u8]) -> u8 {
    match (memchr(b'\n', text), memchr(b'\r', text)) {
        (None, Some(_)) => b'\r',
        _ => b'\n',
    }
}

/// The lines of a text, without their endings.
fn lines(text: &str, ending: u8) -> impl Iterator<Item = &str> {
    let lines = text.split_terminator(char::from(ending));
    lines.map(move |line| if ending == b'\n' { line.strip_suffix('\r').unwrap_or(line) } else { line })
}

/// The wanted lines are not there. A person who named them reads the first line alone.
pub(super) fn past_end(path: &AbsPath, total: usize, first: usize) -> ToolFailure {
    ToolFailure::new(format!(
        "`{path}` has only {total} {}\n\
         `offset` {first} is past the end; send a smaller one, or leave it out",
        if total == 1 { "line" } else { "lines" }
    ))
}

/// A path as a shell takes it.
pub(super) fn quoted(path: &AbsPath) -> String {
    format!("'{}'", path.to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Read on from where each part says, and all lines come, once and in order.
        #[test]
        fn parts_make_the_whole(text in "[ab\r\n]{1,60}", limit in 1usize..5) {
            let path = AbsPath::new("/file").unwrap();
            let whole = NumberedText { path: &path, text: &text, encoding: Some(Encoding::Utf8) };
            let (mut first, mut parts) = (1, String::new());
            while let Ok(part) = whole.numbered(LineRange { first, limit }) {
                let body = part.split("\n\n[Lines").next().unwrap();
                parts.extend(body.split_inclusive('\n'));
                if !parts.ends_with('\n') {
                    parts.push('\n');
                }
                if body.len() == part.len() {
                    break;
                }
                first += limit;
            }
            let all = whole.numbered(LineRange { first: 1, limit: usize::MAX }).unwrap();
            prop_assert_eq!(parts, all);
        }

        #[test]
        fn lines_are_those_of_plain_text(text in "[ab\n]{0,40}", raw in 0usize..3) {
            let raw_ending = ["\n", "\r\n", "\r"][raw];
            let written = text.replace('\n', raw_ending);
            let found: Vec<&str> = lines(&written, ending(written.as_bytes())).collect();
            prop_assert_eq!(found, text.lines().collect::<Vec<_>>());
        }
    }
}
