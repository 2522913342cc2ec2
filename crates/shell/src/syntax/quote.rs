//! Words: quoting and where a word ends.

use super::ParseError;
use super::ast::{Piece, RawWord};
use super::parser::Parser;

impl Parser<'_> {
    /// One word; the caller has seen that one starts here.
    pub(super) fn word(&mut self) -> Result<RawWord, ParseError> {
        let at_process = matches!(self.peek(), Some(b'<' | b'>'));
        if at_process { Err(self.unexpected()) } else { self.word_or_process() }
    }

    /// A word that may be a process substitution: an argument, or where a redirection goes. Elsewhere nobody needs one,
    /// and parsers of bash differ on it.
    pub(super) fn word_or_process(&mut self) -> Result<RawWord, ParseError> {
        self.count_word()?;
        let at = self.pos;
        let mut pieces = Vec::new();
        self.nested(|p| {
            while !p.at_word_end() {
                p.word_piece(&mut pieces)?;
            }
            Ok(())
        })?;
        // `a(b` and `@(a|b)`: a syntax error or an extended pattern, depending on an option.
        if self.pos == at || self.peek() == Some(b'(') {
            return Err(self.unexpected());
        }
        let text = self.slice(at).trim_end_matches("\\\n").to_owned();
        if pieces.is_empty() {
            return Err(self.unexpected());
        }
        self.refuse_odd(&pieces, &text)?;
        if text.starts_with('{') && text.ends_with('}') && matches!(self.peek(), Some(b'<' | b'>')) {
            return Err(ParseError::new("A variable holds a file descriptor"));
        }
        Ok(RawWord { pieces, text, at })
    }

    /// Words that bash may read otherwise: what looks like a comment, a newline between a here-document and its body,
    /// braces that only some shells expand.
    fn refuse_odd(&self, pieces: &[Piece], text: &str) -> Result<(), ParseError> {
        let braces = |p: &Piece| matches!(p, Piece::Text { text, quoted: false } if text.contains('{'));
        let process = |p: &Piece| matches!(p, Piece::Process(_));
        if pieces.len() > 1 && pieces.iter().any(process) {
            return Err(self.unexpected());
        }
        if text.starts_with('#') || (!self.pending.is_empty() && text.contains('\n')) {
            return Err(self.unexpected());
        }
        if pieces.iter().any(braces) && (text.contains(',') || text.contains("..")) {
            return self.bash_only("braces");
        }
        Ok(())
    }

    /// One quoted or unquoted stretch of a word.
    pub(super) fn word_piece(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        match self.peek() {
            Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.continued(),
            Some(b'\\') => self.escape(out),
            Some(b'\'') => self.single_quoted(out),
            Some(b'"') => self.double_quoted(out),
            Some(b'$') => self.dollar(out, false),
            Some(b'`') => self.backquoted(out, false),
            Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => self.process(out),
            _ => match self.take_char() {
                Some(c) => {
                    push_char(out, c, false);
                    Ok(())
                }
                None => Err(self.unexpected()),
            },
        }
    }

    /// A continued line may end a word; in the middle of one it only hides what the word is.
    fn continued(&mut self) -> Result<(), ParseError> {
        self.pos += 2;
        if self.at_word_end() { Ok(()) } else { Err(self.unexpected()) }
    }

    fn escape(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        self.pos += 1;
        match self.take_char() {
            Some('\n') => Ok(()),
            Some(c) => {
                push_char(out, c, true);
                Ok(())
            }
            None => Err(self.unexpected()),
        }
    }

    fn single_quoted(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        self.pos += 1;
        let Some(len) = self.rest().find('\'') else {
            return Err(ParseError::new("A single quote has no closing quote"));
        };
        let text = self.rest().get(..len).unwrap_or("").to_owned();
        self.pos += len + 1;
        out.push(Piece::Text { text, quoted: true });
        Ok(())
    }

    fn double_quoted(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        self.pos += 1;
        // An empty string is still a word.
        out.push(Piece::Text { text: String::new(), quoted: true });
        self.nested(|p| {
            while p.peek() != Some(b'"') {
                p.quoted_piece(out, true)?;
            }
            Ok(())
        })?;
        self.pos += 1;
        Ok(())
    }

    /// A stretch of a double-quoted string or, with `quotes` false, of a here-document.
    pub(super) fn quoted_piece(&mut self, out: &mut Vec<Piece>, quotes: bool) -> Result<(), ParseError> {
        match self.peek() {
            None => Err(ParseError::new("A double quote has no closing quote")),
            Some(b'\\') => {
                let escapes = match self.peek_at(1) {
                    Some(b'$' | b'`' | b'\\' | b'\n') => true,
                    Some(b'"') => quotes,
                    _ => false,
                };
                if escapes {
                    return self.escape(out);
                }
                self.pos += 1;
                push_char(out, '\\', true);
                Ok(())
            }
            Some(b'$') => self.dollar(out, true),
            Some(b'`') => self.backquoted(out, true),
            _ => {
                if let Some(c) = self.take_char() {
                    push_char(out, c, true);
                }
                Ok(())
            }
        }
    }

    /// `$'…'`, decoded. What does not decode to plain text (NUL, bytes, control codes by `\c`) is refused.
    pub(super) fn ansi_c(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        self.bash_only("`$'…'`")?;
        self.pos += 2;
        let mut text = String::new();
        loop {
            match self.take_char() {
                None => return Err(ParseError::new("A single quote has no closing quote")),
                Some('\'') => break,
                Some('\\') => self.ansi_escape(&mut text)?,
                Some(c) => text.push(c),
            }
        }
        out.push(Piece::Text { text, quoted: true });
        Ok(())
    }

    fn ansi_escape(&mut self, text: &mut String) -> Result<(), ParseError> {
        let Some(c) = self.take_char() else { return Err(self.unexpected()) };
        let plain = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'e' | 'E' => '\x1b',
            'f' => '\x0c',
            'v' => '\x0b',
            '\\' | '\'' | '"' | '?' => c,
            'x' => self.code(2, 16, 0x7f)?,
            'u' => self.code(4, 16, u32::MAX)?,
            'U' => self.code(8, 16, u32::MAX)?,
            '0'..='7' => {
                self.pos -= 1;
                self.code(3, 8, 0x7f)?
            }
            'c' => return Err(ParseError::new("`$'…'` contains a control character")),
            other => {
                text.push('\\');
                other
            }
        };
        text.push(plain);
        Ok(())
    }

    fn code(&mut self, max: usize, radix: u32, limit: u32) -> Result<char, ParseError> {
        let digits: String = self.rest().chars().take(max).take_while(|c| c.is_digit(radix)).collect();
        self.pos += digits.len();
        let value = u32::from_str_radix(&digits, radix).ok().filter(|v| *v != 0 && *v <= limit);
        value
            .and_then(char::from_u32)
            .ok_or_else(|| ParseError::new("`$'…'` contains an invalid character code"))
    }
}

/// Adds a character, joining stretches of the same kind.
pub(super) fn push_char(out: &mut Vec<Piece>, c: char, quoted: bool) {
    if let Some(Piece::Text { text, quoted: same }) = out.last_mut()
        && *same == quoted
    {
        text.push(c);
        return;
    }
    out.push(Piece::Text { text: c.to_string(), quoted });
}
