//! The tokens of an awk program. `/` is a division or begins a regular expression, depending on what stands before it.

/// A token, as far as effects are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    Text(String),
    Number,
    Regex,
    Op(String),
}

/// Operators of two characters; `|&` starts a coprocess, `||` does not.
const PAIRS: &[&str] =
    &["||", "|&", "&&", ">>", "==", "!=", "<=", ">=", "!~", "++", "--", "+=", "-=", "*=", "%=", "^="];

/// Words after which a slash may begin an expression or divide.
const KEYWORDS: &[&str] = &[
    "getline",
    "exit",
    "length",
    "next",
    "nextfile",
    "default",
    "delete",
    "break",
    "continue",
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "if",
    "while",
    "for",
    "switch",
    "func",
    "function",
];

/// Cuts a program into tokens, or says why it cannot be cut for sure.
pub(super) fn tokens(program: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer { rest: program, out: Vec::new() };
    while lexer.step()? {}
    Ok(lexer.out)
}

struct Lexer<'a> {
    rest: &'a str,
    out: Vec<Token>,
}

fn lost(near: &str) -> String {
    let near: String = near.chars().take(10).collect();
    format!("Cannot parse the `awk` program at `{near}`")
}

impl Lexer<'_> {
    fn step(&mut self) -> Result<bool, String> {
        let Some(c) = self.rest.chars().next() else { return Ok(false) };
        match c {
            ' ' | '\t' => self.cut(1),
            '\\' if self.rest.starts_with("\\\n") => self.cut(2),
            '#' => self.cut(self.rest.find('\n').unwrap_or(self.rest.len())),
            '"' => self.text()?,
            '/' => self.slash()?,
            c if c.is_ascii_alphabetic() || c == '_' => self.word(),
            c if c.is_ascii_digit() || c == '.' => self.number(),
            c if c.is_ascii() && !matches!(c, '\\' | '\'' | '`' | '@') => self.operator(c),
            _ => return Err(lost(self.rest)),
        }
        Ok(true)
    }

    fn cut(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or("");
    }

    fn text(&mut self) -> Result<(), String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.cut(at + 1);
                    self.out.push(Token::Text(text));
                    return Ok(());
                }
                '\n' => break,
                '\\' => {
                    text.push('\\');
                    text.extend(chars.next().map(|(_, c)| c));
                }
                c => text.push(c),
            }
        }
        Err(lost(self.rest))
    }

    fn word(&mut self) {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        self.out.push(Token::Word(self.rest.get(..end).unwrap_or("").to_owned()));
        self.cut(end);
    }

    fn number(&mut self) {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(self.rest.len());
        self.out.push(Token::Number);
        self.cut(end.max(1));
    }

    fn operator(&mut self, c: char) {
        let pair = PAIRS.iter().find(|p| self.rest.starts_with(**p));
        let op = pair.map_or_else(|| c.to_string(), |p| (*p).to_owned());
        self.cut(op.len());
        self.out.push(Token::Op(op));
    }

    /// A division after a value, else a regular expression; after `)`, `++` and `getline` both are possible, so then
    /// it is a division only if nothing on the line could close an expression.
    fn slash(&mut self) -> Result<(), String> {
        let after_value = match self.out.last() {
            Some(Token::Number | Token::Text(_) | Token::Regex) => true,
            Some(Token::Word(word)) => !matches!(
                word.as_str(),
                "print" | "printf" | "return" | "in" | "else" | "do" | "getline" | "case"
            ),
            Some(Token::Op(op)) => op == "]",
            None => false,
        };
        let unsure = match self.out.last() {
            Some(Token::Op(op)) => matches!(op.as_str(), ")" | "++" | "--" | "$"),
            Some(Token::Word(word)) => KEYWORDS.contains(&word.as_str()),
            _ => false,
        };
        let line = self.rest.get(1..).unwrap_or("").split('\n').next().unwrap_or("");
        if unsure && line.contains('/') {
            return Err(lost(self.rest));
        }
        if after_value || unsure {
            self.operator('/');
            return Ok(());
        }
        self.regex()
    }

    fn regex(&mut self) -> Result<(), String> {
        let mut bracket = false;
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => break,
                '\\' => {
                    chars.next();
                }
                '[' => bracket = true,
                ']' => bracket = false,
                // Implementations disagree whether a slash inside brackets ends the expression.
                '/' if bracket => break,
                '/' => {
                    self.cut(at + 1);
                    self.out.push(Token::Regex);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(lost(self.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn divisions_and_expressions() {
        let regexes = |p: &str| tokens(p).map(|t| t.iter().filter(|t| **t == Token::Regex).count());
        assert_eq!(regexes("/a|b/ {print}"), Ok(1));
        assert_eq!(regexes("{print $1/$2, a/b}"), Ok(0));
        assert_eq!(regexes("$1 ~ /x\\/y/ && !/z/"), Ok(2));
        assert_eq!(regexes("{x = (a+b)/2}"), Ok(0));
        assert!(regexes("{if (x) /\"/; y(\"\") ; /\"/}").is_err());
        assert!(regexes("/[/]/").is_err());
    }
}
