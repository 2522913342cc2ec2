//! Redirections.

use super::ParseError;
use super::ast::{Piece, RawRedirect, RawWord, RedirectOp};
use super::parser::Parser;

/// Descriptors have fewer digits than this or as many.
const MOST_DIGITS: usize = 4;

impl Parser<'_> {
    /// One redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Result<Option<RawRedirect>, ParseError> {
        let at = self.pos;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let next = self.peek_at(digits);
        let both = digits == 0 && next == Some(b'&') && self.peek_at(1) == Some(b'>');
        let process = matches!(next, Some(b'<' | b'>')) && self.peek_at(digits + 1) == Some(b'(');
        // A number that no descriptor can have is an argument to bash, and something else to other shells.
        let no_descriptor = digits > MOST_DIGITS && matches!(next, Some(b'<' | b'>'));
        if (process && digits > 0) || no_descriptor {
            return Err(self.unexpected());
        }
        if process || !(both || matches!(next, Some(b'<' | b'>'))) {
            return Ok(None);
        }
        self.pos += digits;
        if self.rest().starts_with("<<") && !self.rest().starts_with("<<<") {
            return self.heredoc(at).map(Some);
        }
        let op = self.redirect_op()?;
        self.blanks();
        if op != RedirectOp::Text && self.eat("-") && self.at_word_end() {
            return Ok(Some(RawRedirect { op, target: dash(at), text: self.slice(at).to_owned() }));
        }
        let plain =
            matches!(self.slice(at).trim_start_matches(|c: char| c.is_ascii_digit()).trim_end(), "<" | ">");
        let odd = !plain && matches!(self.peek(), Some(b'<' | b'>'));
        if odd || self.at_word_end() || self.slice(at).ends_with('-') {
            return Err(self.unexpected());
        }
        let target = self.word_or_process()?;
        Ok(Some(RawRedirect { op, target, text: self.slice(at).to_owned() }))
    }

    fn redirect_op(&mut self) -> Result<RedirectOp, ParseError> {
        for (token, op, posix) in [
            ("&>>", RedirectOp::Write, false),
            ("&>", RedirectOp::Write, false),
            ("<<<", RedirectOp::Text, false),
            (">>", RedirectOp::Write, true),
            (">|", RedirectOp::Write, true),
            ("<>", RedirectOp::Write, true),
            (">&", RedirectOp::DuplicateOut, true),
            ("<&", RedirectOp::DuplicateIn, true),
            (">", RedirectOp::Write, true),
            ("<", RedirectOp::Read, true),
        ] {
            if self.eat(token) {
                if !posix {
                    self.bash_only(&format!("`{token}`"))?;
                }
                return Ok(op);
            }
        }
        Err(self.unexpected())
    }
}

/// The target of `>&-`.
fn dash(at: usize) -> RawWord {
    let text = "-".to_owned();
    RawWord { pieces: vec![Piece::Text { text: text.clone(), quoted: true }], text, at }
}
