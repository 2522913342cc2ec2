//! Compound commands and function definitions.

use super::ParseError;
use super::ast::{Command, Compound, CompoundKind, RawRedirect, Script};
use super::parser::{Parser, identifier};

/// Words that cannot name a function here.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "case", "esac", "in",
    "select", "time", "coproc", "{", "}", "!", "[[", "]]",
];

impl Parser<'_> {
    /// A compound command or a function, if one stands here.
    pub(super) fn compound(&mut self) -> Result<Option<Command>, ParseError> {
        if let Some(function) = self.function()? {
            return Ok(Some(function));
        }
        let Some(kind) = self.kind()? else { return Ok(None) };
        let mut redirects: Vec<RawRedirect> = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        let ends = matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')'));
        // `{ a; } b` is an error; `fi done` is not worth allowing without a separator.
        if ends {
            Ok(Some(Command::Compound(Compound { kind, redirects, valid_until: 0 })))
        } else {
            Err(self.unexpected())
        }
    }

    fn kind(&mut self) -> Result<Option<CompoundKind>, ParseError> {
        if self.rest().starts_with("((") {
            self.bash_only("`((`")?;
            let at = self.pos;
            self.pos += 2;
            let pieces = self.nested(|p| p.arith_until("))"))?;
            return Ok(Some(CompoundKind::Arith { pieces, at }));
        }
        if self.eat("(") {
            let script = self.body()?;
            self.blanks();
            self.expect(")")?;
            return Ok(Some(CompoundKind::Subshell(script)));
        }
        match self.keyword() {
            "{" => self.group().map(|s| Some(CompoundKind::Group(s))),
            "if" => self.branches_if().map(Some),
            "while" | "until" => self.branches_while().map(Some),
            "for" => self.for_loop().map(Some),
            "case" => self.case().map(Some),
            "[[" => self.cond().map(Some),
            "select" | "coproc" | "then" | "fi" | "do" | "done" | "elif" | "else" | "esac" | "}" | "in"
            | "!" => Err(self.unexpected()),
            _ => Ok(None),
        }
    }

    fn group(&mut self) -> Result<Script, ParseError> {
        self.pos += 1;
        let script = self.body()?;
        self.expect_keyword("}")?;
        Ok(script)
    }

    fn branches_if(&mut self) -> Result<CompoundKind, ParseError> {
        self.pos += 2;
        let mut all = vec![self.body()?];
        self.expect_keyword("then")?;
        all.push(self.body()?);
        loop {
            self.blanks();
            match self.keyword() {
                "elif" => {
                    self.pos += 4;
                    all.push(self.body()?);
                    self.expect_keyword("then")?;
                    all.push(self.body()?);
                }
                "else" => {
                    self.pos += 4;
                    all.push(self.body()?);
                    self.expect_keyword("fi")?;
                    return Ok(CompoundKind::If(all));
                }
                _ => {
                    self.expect_keyword("fi")?;
                    return Ok(CompoundKind::If(all));
                }
            }
        }
    }

    fn branches_while(&mut self) -> Result<CompoundKind, ParseError> {
        self.pos += 5;
        let condition = self.body()?;
        let body = self.do_group()?;
        Ok(CompoundKind::While(vec![condition, body]))
    }

    fn do_group(&mut self) -> Result<Script, ParseError> {
        self.newlines()?;
        self.expect_keyword("do")?;
        let body = self.body()?;
        self.expect_keyword("done")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Result<CompoundKind, ParseError> {
        self.pos += 3;
        self.blanks();
        let at = self.pos;
        if self.eat("((") {
            self.bash_only("`for ((`")?;
            let header = self.nested(|p| p.arith_until("))"))?;
            if self.slice(at).contains(";;") {
                return Err(self.unexpected());
            }
            self.blanks();
            self.eat(";");
            let body = self.do_group()?;
            return Ok(CompoundKind::ArithFor { header, at, body, end: self.pos });
        }
        let name = identifier(self.keyword()).to_owned();
        if name.is_empty() || name != self.keyword() {
            return Err(self.unexpected());
        }
        self.pos += name.len();
        self.newlines()?;
        let mut words = None;
        if self.keyword() == "in" {
            self.pos += 2;
            words = Some(self.words_until_end()?);
        }
        self.blanks();
        self.eat(";");
        let start = self.pos;
        let body = self.do_group()?;
        Ok(CompoundKind::For { name, words, body, scope: (start, self.pos) })
    }

    fn words_until_end(&mut self) -> Result<Vec<super::ast::RawWord>, ParseError> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b';' | b'\n') => return Ok(words),
                _ if self.at_word_end() => return Err(self.unexpected()),
                Some(b'<' | b'>') => return Err(self.unexpected()),
                _ => words.push(self.word()?),
            }
        }
    }

    fn case(&mut self) -> Result<CompoundKind, ParseError> {
        self.pos += 4;
        self.blanks();
        let subject = self.word()?;
        self.newlines()?;
        self.expect_keyword("in")?;
        self.newlines()?;
        let (mut patterns, mut bodies) = (Vec::new(), Vec::new());
        while self.keyword() != "esac" {
            // Older shells take the `)` of a pattern for the end of the substitution.
            if !self.eat("(") && self.substitutions > 0 {
                return Err(self.unexpected());
            }
            loop {
                self.blanks();
                patterns.push(self.word()?);
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            bodies.push(self.nested(Self::list)?);
            self.blanks();
            let more = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            self.newlines()?;
            if !more && self.keyword() != "esac" {
                return Err(self.unexpected());
            }
        }
        self.pos += 4;
        Ok(CompoundKind::Case { subject, patterns, bodies })
    }

    /// `name() …` and `function name …`, with a compound command as body.
    fn function(&mut self) -> Result<Option<Command>, ParseError> {
        let keyword = self.keyword();
        if RESERVED.contains(&keyword) {
            return Ok(None);
        }
        let with_word = keyword == "function";
        if with_word {
            self.bash_only("`function`")?;
            self.pos += 8;
            self.blanks();
        }
        let name = identifier(self.keyword()).to_owned();
        let after = self.rest().get(self.keyword().len()..).unwrap_or("").trim_start_matches([' ', '\t']);
        let parens = after.starts_with('(');
        if !with_word && (!parens || keyword.is_empty() || name != keyword) {
            return Ok(None);
        }
        if name.is_empty() || name != self.keyword() || RESERVED.contains(&name.as_str()) {
            return Err(self.unexpected());
        }
        self.pos += name.len();
        self.blanks();
        if self.eat("(") {
            self.blanks();
            self.expect(")")?;
        }
        self.newlines()?;
        match self.nested(Self::compound)? {
            Some(
                body @ Command::Compound(Compound {
                    kind: CompoundKind::Group(_) | CompoundKind::Subshell(_),
                    ..
                }),
            ) => {
                let at = self.pos;
                Ok(Some(Command::Function { name, body: Box::new(body), at, sure: true }))
            }
            _ => Err(self.unexpected()),
        }
    }
}
