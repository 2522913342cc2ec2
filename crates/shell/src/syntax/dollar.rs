//! `$x`, `${x…}`, `$( )`, `$(( ))`, backquotes, `<( )`.

use super::ParseError;
use super::ast::{Param, Piece, Script};
use super::parser::{Parser, identifier};
use super::quote::push_char;

/// Operators of `${x…}` that are followed by a word: a default, a message or a pattern.
/// `=` and `:=` are left out on purpose: they assign.
const WORD_OPERATORS: &[&str] =
    &[":-", ":+", ":?", "-", "+", "?", "##", "#", "%%", "%", "//", "/#", "/%", "/", "^^", "^", ",,", ","];

/// Transformations that neither run nor decode anything; `@P` and `@E` do.
const HARMLESS_TRANSFORMS: &[&str] = &["@Q}", "@U}", "@L}", "@u}"];

impl Parser<'_> {
    /// Whatever begins with `$`.
    pub(super) fn dollar(&mut self, out: &mut Vec<Piece>, quoted: bool) -> Result<(), ParseError> {
        let at = self.pos;
        match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') => self.arith_expansion(out),
            Some(b'(') => self.substitution(out, quoted),
            Some(b'{') => self.nested(|p| p.braced(out, quoted)),
            Some(b'[') => Err(ParseError::new("The command uses the obsolete arithmetic syntax `$[…]`")),
            Some(b'\'') if !quoted => self.ansi_c(out),
            Some(b'"') if !quoted => Err(ParseError::new("The command uses a translated string, `$\"…\"`")),
            _ => {
                self.pos += 1;
                let name = self.parameter_name();
                // `$$'…'`: the quote belongs to the second dollar for some readers.
                let twice = match self.peek() {
                    Some(b'(' | b'{' | b'[') => true,
                    Some(b'\'' | b'"') => !quoted,
                    _ => false,
                };
                if name == "$" && twice {
                    return Err(self.unexpected());
                }
                if name.is_empty() {
                    push_char(out, '$', quoted);
                } else {
                    out.push(Piece::Param { param: Box::new(plain(name, at)), quoted });
                }
                Ok(())
            }
        }
    }

    /// The name after `$`: an identifier, one digit, or a special character.
    fn parameter_name(&mut self) -> String {
        let name = identifier(self.rest());
        if !name.is_empty() {
            self.pos += name.len();
            return name.to_owned();
        }
        match self.peek() {
            Some(b @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.pos += 1;
                char::from(b).to_string()
            }
            _ => String::new(),
        }
    }

    fn substitution(&mut self, out: &mut Vec<Piece>, quoted: bool) -> Result<(), ParseError> {
        self.pos += 2;
        let script = self.until_paren()?;
        out.push(Piece::Command { script, quoted });
        Ok(())
    }

    /// A list up to `)`, with here-documents of its own.
    fn until_paren(&mut self) -> Result<Script, ParseError> {
        let outer = std::mem::take(&mut self.pending);
        self.substitutions += 1;
        let script = self.nested(Self::list)?;
        self.substitutions -= 1;
        self.no_pending()?;
        self.pending = outer;
        self.blanks();
        self.expect(")")?;
        Ok(script)
    }

    pub(super) fn process(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        self.bash_only("process substitution")?;
        self.pos += 2;
        let script = self.until_paren()?;
        out.push(Piece::Process(script));
        Ok(())
    }

    /// A backquoted command. With a backslash inside, the text that runs is not the text that stands here.
    pub(super) fn backquoted(&mut self, out: &mut Vec<Piece>, quoted: bool) -> Result<(), ParseError> {
        self.pos += 1;
        let Some(len) = self.rest().find('`') else {
            return Err(ParseError::new("A backquote has no closing backquote"));
        };
        let inner = self.rest().get(..len).unwrap_or("");
        if inner.contains('\\') || inner.contains("<<") || (quoted && inner.contains('"')) {
            return Err(ParseError::new("A backquoted command contains characters that change its meaning"));
        }
        let end = std::mem::replace(&mut self.end, self.pos + len);
        let script = self.nested(Self::list)?;
        if self.pos != self.end {
            return Err(self.unexpected());
        }
        self.end = end;
        self.pos += 1;
        out.push(Piece::Command { script, quoted });
        Ok(())
    }

    fn arith_expansion(&mut self, out: &mut Vec<Piece>) -> Result<(), ParseError> {
        let at = self.pos;
        self.pos += 3;
        let pieces = self.nested(|p| p.arith_until("))"))?;
        out.push(Piece::Arith { pieces, at });
        Ok(())
    }

    /// An arithmetic expression up to `close`, which is taken. Quotes and backslashes are refused: they have no use
    /// there but to hide.
    pub(super) fn arith_until(&mut self, close: &str) -> Result<Vec<Piece>, ParseError> {
        let mut pieces = Vec::new();
        let mut open = 0usize;
        loop {
            match self.peek() {
                None | Some(b'\\' | b'\'' | b'"' | b'\n') => return Err(self.unexpected()),
                Some(b')' | b']') if open == 0 => {
                    self.expect(close)?;
                    return Ok(pieces);
                }
                Some(b'$') => self.dollar(&mut pieces, true)?,
                Some(b'`') => self.backquoted(&mut pieces, true)?,
                Some(b'}') if open == 0 && close == "}" => return Ok(pieces),
                Some(b) => {
                    match b {
                        b'(' | b'[' => open += 1,
                        b')' | b']' => open -= 1,
                        _ => {}
                    }
                    if let Some(c) = self.take_char() {
                        push_char(&mut pieces, c, true);
                    }
                }
            }
        }
    }

    /// `${…}`.
    fn braced(&mut self, out: &mut Vec<Piece>, quoted: bool) -> Result<(), ParseError> {
        let at = self.pos;
        self.pos += 2;
        let keys = self.eat("!");
        let length = !keys && self.peek() == Some(b'#') && self.peek_at(1) != Some(b'}') && self.eat("#");
        let name = self.braced_name()?;
        let mut param = Param { keys, length, ..plain(name, at) };
        self.subscript(&mut param)?;
        if keys {
            // `${!x}` alone takes the value of x for a name, subscripts and all: what it runs is in the data.
            if !(param.all || self.eat("*") || self.eat("@")) {
                return Err(ParseError::new("A variable is referenced indirectly, with `${!…}`"));
            }
            self.expect("}")?;
        } else if length {
            self.expect("}")?;
        } else {
            self.operator(&mut param, quoted)?;
        }
        out.push(Piece::Param { param: Box::new(param), quoted });
        Ok(())
    }

    fn braced_name(&mut self) -> Result<String, ParseError> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let name = self.rest().get(..digits).unwrap_or("").to_owned();
            self.pos += digits;
            return Ok(name);
        }
        let name = self.parameter_name();
        if name.is_empty() { Err(self.unexpected()) } else { Ok(name) }
    }

    fn subscript(&mut self, param: &mut Param) -> Result<(), ParseError> {
        if !self.eat("[") {
            return Ok(());
        }
        self.bash_only("subscripts")?;
        if self.eat("@]") || self.eat("*]") {
            param.all = true;
        } else {
            param.subscript = self.nested(|p| p.arith_until("]"))?;
        }
        Ok(())
    }

    fn operator(&mut self, param: &mut Param, quoted: bool) -> Result<(), ParseError> {
        if self.eat("}") {
            return Ok(());
        }
        param.changed = true;
        if HARMLESS_TRANSFORMS.iter().any(|t| self.eat(t)) {
            return Ok(());
        }
        if WORD_OPERATORS.iter().any(|op| self.eat(op)) {
            return self.operand(&mut param.operands, quoted);
        }
        if self.eat(":") && self.peek() != Some(b'=') {
            self.bash_only("`${x:1}`")?;
            param.offsets = self.nested(|p| p.arith_until("}"))?;
            return self.expect("}");
        }
        Err(ParseError::new("A variable is assigned or transformed inside `${…}`"))
    }

    /// The word of an operator, up to `}`. Where quotes nest in ways that shells disagree on, it is refused.
    fn operand(&mut self, out: &mut Vec<Piece>, quoted: bool) -> Result<(), ParseError> {
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.pos += 1;
                    return Ok(());
                }
                None | Some(b'{' | b'\n') => return Err(self.unexpected()),
                Some(b'\'' | b'"') if quoted => return Err(self.unexpected()),
                Some(b'<' | b'>' | b';' | b'&' | b'|') => return Err(self.unexpected()),
                Some(b'$') => self.dollar(out, quoted)?,
                Some(b'`') => self.backquoted(out, quoted)?,
                _ => self.word_piece(out)?,
            }
        }
    }
}

fn plain(name: String, at: usize) -> Param {
    Param {
        name,
        at,
        length: false,
        keys: false,
        all: false,
        subscript: Vec::new(),
        operands: Vec::new(),
        offsets: Vec::new(),
        changed: false,
    }
}
