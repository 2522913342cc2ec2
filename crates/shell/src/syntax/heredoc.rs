//! Here-documents: the delimiter where it is written, the body after the next newline.

use super::ParseError;
use super::ast::{RawRedirect, RawWord, RedirectOp};
use super::parser::Parser;

/// A here-document whose body has not been reached yet.
#[derive(Debug)]
pub(super) struct PendingHeredoc {
    delimiter: String,
    /// `<<-`: leading tabs are removed.
    tabs: bool,
    /// The body is plain text.
    quoted: bool,
}

impl Parser<'_> {
    /// `<<WORD` or `<<-WORD`. The body is parsed when its line comes; until then the redirection carries no text.
    pub(super) fn heredoc(&mut self, at: usize) -> Result<RawRedirect, ParseError> {
        self.pos += 2;
        let tabs = self.eat("-");
        self.blanks();
        let (delimiter, quoted) = self.delimiter()?;
        self.pending.push(PendingHeredoc { delimiter, tabs, quoted });
        let text = self.slice(at).to_owned();
        Ok(RawRedirect { op: RedirectOp::Text, target: RawWord { at, ..RawWord::default() }, text })
    }

    /// Only delimiters that nobody can misread: bare or quoted as a whole, without a character that means something there.
    fn delimiter(&mut self) -> Result<(String, bool), ParseError> {
        let quote = match self.peek() {
            Some(b'\'') => "'",
            Some(b'"') => "\"",
            _ => "",
        };
        let escaped = quote.is_empty() && self.eat("\\");
        self.pos += quote.len();
        let name = self.rest();
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.+:@%,!".contains(c);
        let in_quotes = |c: char| plain(c) || " /=~^()[]{}<>|&;*?#".contains(c);
        let len = name.find(|c: char| !(plain(c) || !quote.is_empty() && in_quotes(c))).unwrap_or(name.len());
        let name = name.get(..len).unwrap_or("").to_owned();
        self.pos += len;
        if name.is_empty() || !self.eat(quote) || !self.at_word_end() {
            return Err(ParseError::new("A here-document has an unusual delimiter"));
        }
        Ok((name, escaped || !quote.is_empty()))
    }

    /// Reads the bodies that wait; called right after a newline.
    pub(super) fn read_pending(&mut self) -> Result<(), ParseError> {
        for document in std::mem::take(&mut self.pending) {
            self.document(&document)?;
        }
        Ok(())
    }

    fn document(&mut self, document: &PendingHeredoc) -> Result<(), ParseError> {
        let start = self.pos;
        loop {
            let line_start = self.pos;
            let line = self.rest().split('\n').next().unwrap_or("");
            let bare = if document.tabs { line.trim_start_matches('\t') } else { line };
            self.pos += line.len();
            if bare == document.delimiter {
                let after = self.pos;
                self.body_text(start, line_start, document)?;
                self.pos = after;
                return Ok(());
            }
            if !self.eat("\n") {
                return Err(ParseError::new("A here-document has no end"));
            }
        }
    }

    /// Finds the commands inside an unquoted body.
    fn body_text(&mut self, start: usize, end: usize, document: &PendingHeredoc) -> Result<(), ParseError> {
        let body = self.src.get(start..end).unwrap_or("");
        // Older shells look for the end of `$(` without regard to here-documents.
        let lone_quote = ["'", "\"", "`"].iter().any(|q| body.matches(q).count() % 2 == 1);
        let lone = body.matches('(').count() != body.matches(')').count();
        if self.substitutions > 0 && (lone || lone_quote) {
            return Err(ParseError::new(
                "A here-document in a substitution contains an unmatched parenthesis or quote",
            ));
        }
        if document.quoted {
            return Ok(());
        }
        // A continued line can hide the delimiter from us or show one that bash does not see.
        if body.contains("\\\n") {
            return Err(ParseError::new("A here-document contains a line that ends with a backslash"));
        }
        let outer = std::mem::replace(&mut self.end, end);
        self.pos = start;
        let mut pieces = Vec::new();
        while self.pos < self.end {
            self.quoted_piece(&mut pieces, false)?;
        }
        self.end = outer;
        self.bodies.push(RawWord { pieces, text: body.to_owned(), at: start });
        Ok(())
    }

    pub(super) fn no_pending(&self) -> Result<(), ParseError> {
        if self.pending.is_empty() { Ok(()) } else { Err(ParseError::new("A here-document has no end")) }
    }
}
