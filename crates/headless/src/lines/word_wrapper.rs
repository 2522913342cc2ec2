//! Breaks words at the edge of a terminal while they come, piece by piece.
//!
//! The word that is being spoken is held back until its end is known. What stands in a fence is code, and is printed
//! as it is.

use forelook_wording::{char_width, display_width};

/// Where lines begin, under the first, which has a mark.
pub(super) const MARGIN: usize = 2;

/// Narrower than this nothing is gained by breaking at words.
const NARROW: usize = 20;

/// Words on their way to the paper.
#[derive(Debug)]
pub(super) struct WordWrapper {
    width: Option<usize>,
    state: WrapState,
    /// Where the next character goes.
    column: usize,
    /// Where the line goes on if it is broken.
    hang: usize,
    /// Blanks that are printed only if a word follows on the same line.
    blanks: String,
    /// What is held back.
    word: String,
    /// The fence that is open: its character, and how many.
    fence: Option<(char, usize)>,
}

/// `Start` → (the first word) → `TextUpdate` ⇄ `Long`; a line's end leads back. From `Start`, a fence leads to `Code`, each
/// of whose lines begins in `CodeStart`, until one of them closes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrapState {
    /// No word of this line is printed yet.
    Start,
    TextUpdate,
    /// In a word that is too long for any line: the terminal breaks it, so that an address stays whole.
    Long,
    /// At the start of a line of code, which may close the fence.
    CodeStart,
    Code,
}

impl WordWrapper {
    pub(super) fn new(width: Option<usize>) -> Self {
        Self {
            width: width.filter(|&width| width >= NARROW),
            state: WrapState::Start,
            column: 0,
            hang: MARGIN,
            blanks: String::new(),
            word: String::new(),
            fence: None,
        }
    }

    /// New words, the first behind so many columns.
    pub(super) fn begin(&mut self, column: usize) {
        *self = Self { column, ..Self::new(self.width) };
    }

    /// Takes more words; returns what is to be printed of all so far.
    pub(super) fn feed(&mut self, text: &str) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        let mut out = String::new();
        for c in text.chars() {
            match self.state {
                WrapState::Code => self.code(c, &mut out),
                WrapState::CodeStart => self.code_start(c, &mut out),
                WrapState::Start | WrapState::TextUpdate | WrapState::Long => self.prose(c, width, &mut out),
            }
        }
        out
    }

    /// The line ends here, whatever was held back.
    pub(super) fn finish(&mut self) -> String {
        let Some(width) = self.width else { return String::new() };
        let mut out = String::new();
        match self.state {
            WrapState::Code => {}
            WrapState::CodeStart => out = std::mem::take(&mut self.word),
            WrapState::Start | WrapState::TextUpdate | WrapState::Long => self.put(width, &mut out),
        }
        self.next_line();
        out
    }

    fn prose(&mut self, c: char, width: usize, out: &mut String) {
        match c {
            '\n' => {
                self.put(width, out);
                out.push('\n');
                self.next_line();
            }
            ' ' | '\t' => {
                self.put(width, out);
                if self.state == WrapState::Long {
                    self.state = WrapState::TextUpdate;
                    self.column %= width;
                }
                self.blanks.push(c);
            }
            c if self.state == WrapState::Long => {
                out.push(c);
                self.column += char_width(c);
            }
            c => {
                // Between wide characters a line may be broken anywhere.
                let wide = char_width(c) > 1;
                if wide {
                    self.put(width, out);
                }
                self.word.push(c);
                if wide {
                    self.put(width, out);
                } else if self.hang + display_width(&self.word) > width {
                    self.put(width, out);
                    self.state = WrapState::Long;
                }
            }
        }
    }

    /// Prints the word that was held back, on this line if it fits.
    fn put(&mut self, width: usize, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let blanks = std::mem::take(&mut self.blanks);
        if self.state == WrapState::Start {
            return self.put_first(&blanks, &word, width, out);
        }
        if self.column + display_width(&blanks) + display_width(&word) > width && self.column > self.hang {
            out.push('\n');
            out.push_str(&" ".repeat(self.hang));
            self.column = self.hang;
        } else {
            out.push_str(&blanks);
            self.column += display_width(&blanks);
        }
        out.push_str(&word);
        self.column += display_width(&word);
    }

    fn put_first(&mut self, blanks: &str, word: &str, width: usize, out: &mut String) {
        if let Some(fence) = opens(word) {
            self.fence = Some(fence);
            self.state = WrapState::Code;
            out.push_str(blanks);
            out.push_str(word);
            return;
        }
        if self.column == 0 {
            out.push_str(&" ".repeat(MARGIN));
            self.column = MARGIN;
        }
        out.push_str(blanks);
        out.push_str(word);
        self.column += display_width(blanks);
        // What follows a list's mark stays beside it.
        let hang = if is_mark(word) { self.column + display_width(word) + 1 } else { self.column };
        self.hang = if hang > width / 2 { MARGIN } else { hang };
        self.column += display_width(word);
        self.state = WrapState::TextUpdate;
    }

    fn code(&mut self, c: char, out: &mut String) {
        out.push(c);
        if c == '\n' {
            self.next_line();
        }
    }

    fn code_start(&mut self, c: char, out: &mut String) {
        self.word.push(c);
        let Some((mark, count)) = self.fence else { return };
        let rest = self.word.trim_start().trim_start_matches(mark);
        let closes = self.word.trim_start().chars().take_while(|&it| it == mark).count() >= count;
        match c {
            '\n' => {
                if closes && rest.trim().is_empty() {
                    self.fence = None;
                }
                out.push_str(&std::mem::take(&mut self.word));
                self.next_line();
            }
            _ if rest.trim().is_empty() => {}
            _ => {
                out.push_str(&std::mem::take(&mut self.word));
                self.state = WrapState::Code;
            }
        }
    }

    fn next_line(&mut self) {
        self.blanks.clear();
        self.column = 0;
        self.hang = MARGIN;
        self.state = if self.fence.is_some() { WrapState::CodeStart } else { WrapState::Start };
    }
}

/// The fence that a line's first word opens.
fn opens(word: &str) -> Option<(char, usize)> {
    let mark = word.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = word.trim_start_matches(mark);
    let count = word.len() - rest.len();
    (count >= 3 && !rest.contains('`')).then_some((mark, count))
}

/// Whether a word is the mark of a list's item.
fn is_mark(word: &str) -> bool {
    let number = word
        .strip_suffix(['.', ')'])
        .is_some_and(|it| !it.is_empty() && it.len() <= 3 && it.bytes().all(|byte| byte.is_ascii_digit()));
    number || matches!(word, "-" | "*" | "+" | "•")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flowed(text: &str, width: usize, pieces: usize) -> String {
        let mut word_wrapper = WordWrapper::new(Some(width));
        word_wrapper.begin(MARGIN);
        let all: Vec<char> = text.chars().collect();
        let mut out: String = all
            .chunks(pieces.max(1))
            .map(|piece| word_wrapper.feed(&piece.iter().collect::<String>()))
            .collect();
        out.push_str(&word_wrapper.finish());
        out
    }

    #[test]
    fn lines_break_at_words() {
        for (text, expected) in [
            ("short", "short"),
            ("one two three four five six", "one two three four\n  five six"),
            ("exactly eighteen.. more", "exactly eighteen..\n  more"),
            ("one\n\ntwo  \nthree", "one\n\n  two\n  three"),
            ("- an item of a list that is long", "- an item of a\n    list that is\n    long"),
            ("So:\n12. an item of a list", "So:\n  12. an item of a\n      list"),
            ("see https://example.org/a/long/path now", "see\n  https://example.org/a/long/path now"),
            ("日本語のテキストは空白がない", "日本語のテキストは\n  空白がない"),
            (
                "a\n```sh\nls -l one two three four five\n```\none two three four five",
                "a\n```sh\nls -l one two three four five\n```\n  one two three four\n  five",
            ),
            (
                "````\n```\nstill code that is not wrapped\n````\nout",
                "````\n```\nstill code that is not wrapped\n````\n  out",
            ),
            ("```inline``` is no fence at all", "```inline``` is no\n  fence at all"),
        ] {
            for pieces in [1, 2, 3, 1000] {
                assert_eq!(flowed(text, 20, pieces), expected, "{text:?} in pieces of {pieces}");
            }
        }
    }

    #[test]
    fn a_word_is_held_back_until_it_ends() {
        let mut word_wrapper = WordWrapper::new(Some(20));
        word_wrapper.begin(MARGIN);
        assert_eq!(word_wrapper.feed("wor"), "");
        assert_eq!(word_wrapper.feed("ds a"), "words");
        assert_eq!(word_wrapper.finish(), " a");
    }

    #[test]
    fn without_a_width_nothing_is_held_back_or_broken() {
        let mut word_wrapper = WordWrapper::new(None);
        word_wrapper.begin(MARGIN);
        let long = "word ".repeat(40);
        assert_eq!((word_wrapper.feed(&long), word_wrapper.finish()), (long, String::new()));
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_too_long(
            words in proptest::collection::vec("[a-zé日,.*-]{1,12}[ \n]{1,2}", 0..60),
            width in 30_usize..90,
            pieces in 1_usize..9,
        ) {
            let text = words.concat();
            let out = flowed(&text, width, pieces);
            // A line may be broken inside a word of wide characters, so blanks count for nothing.
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&out), bare(&text));
            for (at, line) in out.lines().enumerate() {
                let mark = if at == 0 { MARGIN } else { 0 };
                prop_assert!(display_width(line) + mark <= width, "{line:?}");
                prop_assert!(line.is_empty() || line == line.trim_end(), "{line:?}");
            }
        }
    }
}
