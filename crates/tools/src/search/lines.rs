//! Matching lines with what is around them, as one page of bounded length.

use std::fmt::Write;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::display::number;
use super::searcher::count_each;

/// Bytes of a line that are shown.
const MAX_LINE: usize = 500;
/// Bytes of it before the match.
const LEAD: usize = 100;

/// What is shown beside the matching lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContextLines {
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// Whether lines have their numbers.
    pub(crate) numbers: bool,
}

/// The text for the model, and how much more of it there may be.
#[derive(Debug)]
pub(crate) struct ResultPage {
    pub(crate) text: String,
    /// Matches on the page.
    pub(crate) matches: u64,
    /// Files on the page.
    pub(crate) files: u64,
    room: usize,
    matches_left: u64,
    full: bool,
}

impl ResultPage {
    /// A page for so many characters and matches.
    pub(crate) fn new(room: usize, matches: usize) -> Self {
        Self { text: String::new(), matches: 0, files: 0, room, matches_left: matches as u64, full: false }
    }

    /// Whether nothing more can come.
    pub(crate) fn is_full(&self) -> bool {
        self.full || self.matches_left == 0
    }

    /// Whether it ended for its length, so that more matches would not fit either.
    pub(crate) fn is_long(&self) -> bool {
        self.full
    }

    /// Adds a line if there is room.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        let chars = line.chars().count() + 1;
        if self.full || chars > self.room {
            self.full = true;
            return false;
        }
        self.room -= chars;
        self.text.push_str(line);
        self.text.push('\n');
        true
    }

    /// Adds one of a list of files if there is room.
    pub(crate) fn entry(&mut self, line: &str) -> bool {
        if self.matches_left == 0 || !self.line(line) {
            return false;
        }
        self.matches_left -= 1;
        self.files += 1;
        true
    }
}

/// Writes the matching lines of one file to a page.
pub(crate) struct LineSink<'a> {
    pub(crate) page: &'a mut ResultPage,
    pub(crate) matcher: &'a RegexMatcher,
    pub(crate) numbers: bool,
    /// The file's name, until it is written.
    pub(crate) heading: Option<&'a str>,
}

impl LineSink<'_> {
    /// Writes one line, the file's name before the first.
    fn write(&mut self, number: Option<u64>, mark: char, line: &[u8], is_match: bool) -> bool {
        let text = fold(line, if is_match { Some(self.matcher) } else { None });
        let mut whole = String::with_capacity(text.len() + 8);
        if let Some(number) = number.filter(|_| self.numbers) {
            let _ = write!(whole, "{number}{mark}");
        }
        whole.push_str(&text);
        if let Some(heading) = self.heading.take() {
            let gap = if self.page.text.is_empty() { "" } else { "\n" };
            // Both or neither: a name without a line would say nothing.
            let fits = self.page.line(&format!("{gap}{heading}\n{whole}"));
            self.page.files += u64::from(fits);
            return fits;
        }
        self.page.line(&whole)
    }
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.page.is_full() {
            return Ok(false);
        }
        let count = if searcher.multi_line() { count_each(self.matcher, found) } else { 1 };
        let mut number = found.line_number();
        for (at, line) in found.lines().enumerate() {
            if !self.write(number, ':', line, true) {
                return Ok(false);
            }
            if at == 0 {
                self.page.matches += count;
                self.page.matches_left = self.page.matches_left.saturating_sub(count);
            }
            number = number.map(|number| number + 1);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // What stands before a match that does not come any more.
        if self.page.is_full() && *context.kind() != SinkContextKind::After {
            return Ok(false);
        }
        Ok(self.write(context.line_number(), '-', context.bytes(), false))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if self.page.is_full() {
            return Ok(false);
        }
        // The gap before the first line of a file is its name.
        Ok(self.heading.is_some() || self.page.line("--"))
    }
}

/// A line as text; a long one is cut around its match.
fn fold(whole: &[u8], matcher: Option<&RegexMatcher>) -> String {
    let line = whole.strip_suffix(b"\n").unwrap_or(whole);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE {
        return plain(line);
    }
    // With its end, which may be part of the match.
    let found = matcher.and_then(|matcher| matcher.find(whole).ok().flatten());
    let at = found.map_or(0, |found| found.start());
    let begin = at.saturating_sub(LEAD).min(line.len() - MAX_LINE);
    let begin = boundary(line, begin);
    let end = boundary(line, (begin + MAX_LINE).min(line.len()));
    let mut text = String::new();
    if begin > 0 {
        let _ = write!(text, "[+{} bytes] …", number(begin as u64));
    }
    text.push_str(&plain(line.get(begin..end).unwrap_or_default()));
    if end < line.len() {
        let _ = write!(text, "… [+{} bytes]", number((line.len() - end) as u64));
    }
    text
}

/// The first place from `at` on where a character begins; in what is no UTF-8 it is not searched for far.
fn boundary(line: &[u8], at: usize) -> usize {
    (at..line.len().min(at + 4)).find(|at| line.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80)).unwrap_or(at)
}

/// A NUL is no text to some providers.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let matcher = RegexMatcher::new("needle").unwrap();
        let far = "é".repeat(5000) + "needle" + &"x".repeat(5000);
        let text = fold(far.as_bytes(), Some(&matcher));
        assert!(text.starts_with("[+9,900 bytes] …é") && text.contains("éneedlex"), "{text}");
        assert!(text.ends_with("x… [+4,606 bytes]") && !text.contains('\u{fffd}'), "{text}");
        let last = "x".repeat(5000) + "needle\r\n";
        let text = fold(last.as_bytes(), Some(&matcher));
        assert!(text.starts_with("[+4,506 bytes] …x") && text.ends_with("xneedle"), "{text}");
        let text = fold("x".repeat(501).as_bytes(), None);
        assert!(text.ends_with("x… [+1 bytes]") && text.starts_with("xx"), "{text}");
        assert_eq!(fold(b"a\xff\0b\r\n", None), "a\u{fffd}\u{fffd}b");
        assert_eq!(fold("x".repeat(500).as_bytes(), None), "x".repeat(500));
    }
}
