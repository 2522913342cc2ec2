//! Reads a line of code.

use super::languages::{Grammar, Language, Quote};
use super::{Spans, TokenKind};

/// What a line begins inside of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LexState {
    #[default]
    Nothing,
    Comment,
    /// A string, by the place of its kind in the language's table.
    Text(usize),
    /// A tag of a markup language.
    Tag,
    /// A string inside of a tag.
    TagText(u8),
}

/// Reads the line; what the next one begins inside of.
pub(super) fn line(line: &str, language: &Language, inside: LexState, spans: &mut Spans<'_>) -> LexState {
    let mut reader = LineLexer { line, language, at: 0, unclosed: Vec::new(), spans };
    match inside {
        LexState::Comment => {
            reader.spans.at(0, TokenKind::Comment);
            if !reader.pass_comment() {
                return LexState::Comment;
            }
        }
        LexState::Text(which) => {
            reader.spans.at(0, TokenKind::Text);
            if !language.quotes.get(which).is_none_or(|quote| reader.pass(quote)) {
                return LexState::Text(which);
            }
        }
        LexState::Nothing | LexState::Tag | LexState::TagText(_) => reader.key(),
    }
    reader.rest()
}

/// A line of a diff.
pub(super) fn diff_line(line: &str, spans: &mut Spans<'_>) -> LexState {
    let part = match line.as_bytes().first() {
        Some(b'+') => TokenKind::Added,
        Some(b'-') => TokenKind::Removed,
        Some(b'@') => TokenKind::Type,
        _ => TokenKind::Plain,
    };
    spans.at(0, part);
    LexState::Nothing
}

struct LineLexer<'a, 'b, 'c> {
    line: &'a str,
    language: &'a Language,
    at: usize,
    /// Kinds of strings that do not end on this line: none that begins further on does, and looking again and again
    /// would cost the square of its length.
    unclosed: Vec<usize>,
    spans: &'b mut Spans<'c>,
}

impl LineLexer<'_, '_, '_> {
    fn left(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn rest(&mut self) -> LexState {
        while let Some(c) = self.left().chars().next() {
            if self.begins_comment() {
                self.spans.at(self.at, TokenKind::Comment);
                return LexState::Nothing;
            }
            if let Some((open, _)) = self.language.block
                && self.left().starts_with(open)
            {
                self.spans.at(self.at, TokenKind::Comment);
                self.at += open.len();
                if !self.pass_comment() {
                    return LexState::Comment;
                }
                continue;
            }
            if let Some(which) = self.quote() {
                if let Some(inside) = self.text(which) {
                    return inside;
                }
                continue;
            }
            match c {
                c if c.is_ascii_digit() => self.number(),
                c if is_word(c) => self.word(),
                c => {
                    self.spans.at(self.at, TokenKind::Plain);
                    self.at += c.len_utf8();
                }
            }
        }
        LexState::Nothing
    }

    /// `#` inside of a word is none: `$#`, `a#b`.
    fn begins_comment(&self) -> bool {
        let left = self.left();
        let fresh = || {
            let before = self.line.get(..self.at).and_then(|it| it.chars().next_back());
            before.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | ')' | '}' | ']' | ',' | '('))
        };
        let begins = |mark: &&&str| left.starts_with(**mark) && (**mark != "#" || fresh());
        self.language.comments.iter().any(|mark| begins(&mark))
    }

    fn pass_comment(&mut self) -> bool {
        let Some((_, close)) = self.language.block else { return true };
        match self.left().find(close) {
            Some(found) => {
                self.at += found + close.len();
                self.spans.at(self.at, TokenKind::Plain);
                true
            }
            None => false,
        }
    }

    fn quote(&self) -> Option<usize> {
        self.language.quotes.iter().position(|quote| self.left().starts_with(quote.open))
    }

    /// A string that begins here. What is given is where the line ends, if it ends inside of it.
    fn text(&mut self, which: usize) -> Option<LexState> {
        let quote = self.language.quotes.get(which)?;
        let start = self.at;
        let inner = self.left().get(quote.open.len()..).unwrap_or_default();
        if self.unclosed.contains(&which) || (quote.letter && !is_letter(inner)) {
            self.mark(quote);
            return None;
        }
        let end = end_of(inner, quote);
        if end.is_none() && !quote.lines {
            // A quote alone is a mark of something else, such as an apostrophe.
            self.unclosed.push(which);
            self.mark(quote);
            return None;
        }
        let key = end.and_then(|end| inner.get(end..)).is_some_and(|behind| self.names_a_field(behind));
        self.at += quote.open.len();
        self.spans.at(start, if key { TokenKind::Type } else { TokenKind::Text });
        match self.pass(quote) {
            true => None,
            false => Some(LexState::Text(which)),
        }
    }

    fn pass(&mut self, quote: &Quote) -> bool {
        match end_of(self.left(), quote) {
            Some(end) => {
                self.at += end;
                self.spans.at(self.at, TokenKind::Plain);
                true
            }
            None => false,
        }
    }

    /// A quote that begins no string.
    fn mark(&mut self, quote: &Quote) {
        self.spans.at(self.at, TokenKind::Plain);
        self.at += quote.open.len();
    }

    /// Whether a string before this names a field, as in JSON.
    fn names_a_field(&self, behind: &str) -> bool {
        matches!(self.language.grammar, Grammar::Keyed(sign) if behind.trim_start().starts_with(sign))
    }

    /// The name at the beginning of a line, as in YAML.
    fn key(&mut self) {
        let Grammar::Keyed(sign) = self.language.grammar else { return };
        let start = self.line.len() - self.line.trim_start_matches([' ', '-']).len();
        let left = self.line.get(start..).unwrap_or_default();
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ');
        let end = left.find(|c| !word(c)).unwrap_or(left.len());
        let (name, behind) = left.split_at(end);
        let followed = behind.strip_prefix(sign);
        if !name.is_empty()
            && followed.is_some_and(|it| it.is_empty() || it.starts_with([' ', '\n']) || sign == '=')
        {
            self.spans.at(start, TokenKind::Type);
            self.at = start + name.trim_end().len();
            self.spans.at(self.at, TokenKind::Plain);
        }
    }

    fn number(&mut self) {
        let left = self.left();
        let mut end = 0;
        let mut letters = left.char_indices().peekable();
        while let Some((at, c)) = letters.next() {
            // A point belongs to it only before a digit: `0..5`, `1.max(2)`.
            let point = c == '.' && letters.peek().is_some_and(|next| next.1.is_ascii_digit());
            if !(c.is_ascii_alphanumeric() || c == '_' || point) {
                break;
            }
            end = at + c.len_utf8();
        }
        self.spans.at(self.at, TokenKind::Number);
        self.at += end;
    }

    fn word(&mut self) {
        let left = self.left();
        let end = left.find(|c: char| !is_word(c)).unwrap_or(left.len());
        let part = self.language.part_of(&left[..end]);
        self.spans.at(self.at, part);
        self.at += end;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether one letter and a closing `'` follow: in Rust, a lifetime begins as a letter does.
fn is_letter(left: &str) -> bool {
    let mut letters = left.chars();
    match letters.next() {
        Some('\\') => left.get(2..).is_some_and(|rest| rest.contains('\'')),
        Some(_) => letters.next() == Some('\''),
        None => false,
    }
}

/// Where the string ends, its quote included.
fn end_of(left: &str, quote: &Quote) -> Option<usize> {
    let mut letters = left.char_indices();
    while let Some((at, c)) = letters.next() {
        if quote.escapes && c == '\\' {
            letters.next();
        } else if left[at..].starts_with(quote.close) {
            return Some(at + quote.close.len());
        }
    }
    None
}
