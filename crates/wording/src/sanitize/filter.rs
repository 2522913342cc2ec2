//! What is taken out of a text, character by character, so that it does not matter where a text is cut.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use super::{is_active, sign};

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// Makes a text harmless that comes in pieces, cut anywhere: an escape sequence that begins in one piece and ends in
/// another is taken out as it would be if it had come in one.
///
/// All is as with [`super::sanitize`] but for one thing. What was printed cannot be taken back, so a carriage return
/// inside of a line begins a new one.
#[derive(Debug, Clone, Default)]
pub struct EscapeFilter {
    state: ParseState,
    /// Where the next character goes, for tabs.
    column: usize,
    /// A carriage return has come, and it is not known yet whether it only stands before a line's end.
    returned: bool,
}

/// `Text` → (an escape) → `Escape` → one of the others → `Text`. The end of a line leads back from everywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ParseState {
    #[default]
    Text,
    /// Behind an escape.
    Escape,
    /// Behind an escape and what is between it and its last letter.
    Between,
    /// Parameters, and the letter that ends them.
    Control,
    /// The title, links, pictures. They end with a bell or with `ESC \\`.
    String,
    /// Behind an escape in one of these.
    StringEscape,
}

impl EscapeFilter {
    /// The next piece, made harmless.
    pub fn push<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        let quiet = self.state == ParseState::Text && !self.returned;
        if quiet && !piece.chars().any(|c| c != '\n' && is_active(c)) {
            self.pass(piece);
            return Cow::Borrowed(piece);
        }
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            if c == '\r' {
                (self.state, self.returned) = (ParseState::Text, true);
                continue;
            }
            // Several in a row, or before a line's end, are one end of a line.
            if std::mem::take(&mut self.returned) && c != '\n' && self.column > 0 {
                self.take('\n', &mut out);
            }
            self.take(c, &mut out);
        }
        Cow::Owned(out)
    }

    /// Text with nothing in it that would be changed.
    fn pass(&mut self, piece: &str) {
        let line = match piece.rsplit_once('\n') {
            Some((_, line)) => {
                self.column = 0;
                line
            }
            None => piece,
        };
        self.column +=
            if line.is_ascii() { line.len() } else { line.chars().filter_map(|c| c.width()).sum() };
    }

    /// The next character; what is to be seen of it goes to `out`.
    pub(super) fn take(&mut self, c: char, out: &mut String) {
        if c == '\n' {
            (self.state, self.column) = (ParseState::Text, 0);
            out.push(c);
            return;
        }
        self.state = match (self.state, c) {
            (ParseState::Text, c) => self.text(c, out),
            (ParseState::Escape, '[') => ParseState::Control,
            (ParseState::Escape, ']' | 'P' | 'X' | '^' | '_') => ParseState::String,
            (ParseState::Escape | ParseState::Between, ' '..='/') => ParseState::Between,
            (ParseState::Escape | ParseState::Between, _) => ParseState::Text,
            (ParseState::Control, ' '..='?') => ParseState::Control,
            (ParseState::Control, '@'..='~') => ParseState::Text,
            (ParseState::String, '\x07' | '\u{9c}') => ParseState::Text,
            (ParseState::String, '\x1b') => ParseState::StringEscape,
            (ParseState::String, _) => ParseState::String,
            (ParseState::StringEscape, '\\') => ParseState::Text,
            // It ended without the letter that ends it: this one is not of it.
            (ParseState::Control | ParseState::StringEscape, c) => self.text(c, out),
        };
    }

    fn text(&mut self, c: char, out: &mut String) -> ParseState {
        match c {
            '\x1b' => return ParseState::Escape,
            '\u{9b}' => return ParseState::Control,
            '\t' => {
                let blanks = TAB - self.column % TAB;
                out.extend(std::iter::repeat_n(' ', blanks));
                self.column += blanks;
            }
            c if is_active(c) => {
                out.push(sign(c));
                self.column += 1;
            }
            c => {
                out.push(c);
                self.column += c.width().unwrap_or(0);
            }
        }
        ParseState::Text
    }
}
