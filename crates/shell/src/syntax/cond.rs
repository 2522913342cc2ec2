//! `[[ … ]]`.

use super::ParseError;
use super::ast::{CompoundKind, CondToken, RawWord};
use super::parser::Parser;

/// Operators that end a word inside `[[ ]]`.
const OPERATORS: &[&str] = &["&&", "||", "(", ")", "<", ">"];

impl Parser<'_> {
    pub(super) fn cond(&mut self) -> Result<CompoundKind, ParseError> {
        self.bash_only("`[[`")?;
        self.starts.push(self.pos);
        self.pos += 2;
        let mut tokens = Vec::new();
        let (mut pattern_next, mut regex) = (false, false);
        loop {
            self.blanks();
            if self.peek() == Some(b'\n') {
                return Err(ParseError::new("A `[[` test spans several lines"));
            }
            if self.keyword() == "]]" {
                if !is_expression(&tokens) {
                    return Err(self.unexpected());
                }
                self.pos += 2;
                return Ok(CompoundKind::Cond(tokens));
            }
            if !pattern_next && let Some(op) = OPERATORS.iter().find(|op| self.eat(op)) {
                tokens.push(CondToken::Op(op));
                continue;
            }
            let word = if pattern_next { self.pattern(regex)? } else { self.word()? };
            regex = word.text == "=~";
            pattern_next = matches!(word.text.as_str(), "=~" | "==" | "=" | "!=");
            tokens.push(CondToken::Word(word));
        }
    }

    /// The right side of `=~` and `==`; in the former balanced parentheses and `|` are ordinary.
    fn pattern(&mut self, regex: bool) -> Result<RawWord, ParseError> {
        let at = self.pos;
        let mut pieces = Vec::new();
        let mut open = 0usize;
        self.nested(|p| {
            loop {
                match p.peek() {
                    None | Some(b'\n' | b';' | b'<' | b'>') => return Err(p.unexpected()),
                    Some(b' ' | b'\t') if open > 0 => return Err(p.unexpected()),
                    Some(b' ' | b'\t') => return Ok(()),
                    Some(b'&' | b'|') if open == 0 => return Err(p.unexpected()),
                    Some(b'(') if !regex => return Err(p.unexpected()),
                    Some(b')') if open == 0 => return Err(p.unexpected()),
                    Some(b')') => open -= 1,
                    Some(b'(') => open += 1,
                    _ => {}
                }
                p.word_piece(&mut pieces)?;
            }
        })?;
        if self.pos == at {
            return Err(self.unexpected());
        }
        Ok(RawWord { pieces, text: self.slice(at).to_owned(), at })
    }
}

const UNARY: &[&str] = &[
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-o", "-p", "-r", "-s", "-t", "-u", "-v",
    "-w", "-x", "-z", "-G", "-L", "-N", "-O", "-R", "-S",
];

const BINARY: &[&str] =
    &["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot"];

/// Do the tokens follow the grammar of `[[`? What does not is a syntax error in bash, or something that we misread.
fn is_expression(tokens: &[CondToken]) -> bool {
    let mut rest = tokens;
    alternatives(&mut rest, 0) && rest.is_empty()
}

fn alternatives(rest: &mut &[CondToken], depth: usize) -> bool {
    loop {
        if depth > 20 || !term(rest, depth) {
            return false;
        }
        match rest.split_first() {
            Some((CondToken::Op("&&" | "||"), after)) => *rest = after,
            _ => return true,
        }
    }
}

fn term(rest: &mut &[CondToken], depth: usize) -> bool {
    match *rest {
        [CondToken::Word(bang), after @ ..] if bang.text == "!" => {
            *rest = after;
            depth < 20 && term(rest, depth + 1)
        }
        [CondToken::Op("("), after @ ..] => {
            *rest = after;
            let inner = alternatives(rest, depth + 1);
            match rest.split_first() {
                Some((CondToken::Op(")"), after)) => {
                    *rest = after;
                    inner
                }
                _ => false,
            }
        }
        [CondToken::Word(_), CondToken::Word(op), CondToken::Word(_), after @ ..]
            if BINARY.contains(&op.text.as_str()) =>
        {
            *rest = after;
            true
        }
        [CondToken::Word(_), CondToken::Op("<" | ">"), CondToken::Word(_), after @ ..] => {
            *rest = after;
            true
        }
        [CondToken::Word(op), CondToken::Word(_), after @ ..] if UNARY.contains(&op.text.as_str()) => {
            *rest = after;
            true
        }
        [CondToken::Word(word), after @ ..] if !word.text.starts_with('-') => {
            *rest = after;
            true
        }
        _ => false,
    }
}
