//! The parser's core: lists, pipelines, simple commands.
//!
//! Recursive descent over the bash grammar, strict on purpose: whatever bash might read in more than one way, or only
//! with an option switched on, is refused instead of guessed.

use std::ops::Range;

use super::ast::{AssignedValue, Command, Link, LinkCondition, RawAssignment, RawWord, Script, Simple};
use super::heredoc::PendingHeredoc;
use super::{Dialect, ParseError};

/// Nesting beyond this is refused; it also bounds the stack.
const MAX_DEPTH: usize = 40;

/// A line has a few words, perhaps a hundred file names. With thousands, two readings take longer than a decision may.
const MAX_WORDS: usize = 2000;

/// Commands whose arguments may be assignments, arrays included.
const DECLARERS: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// Words that end a list when they stand where a command is expected.
const CLOSERS: &[&str] = &["then", "fi", "do", "done", "elif", "else", "esac", "}", "in"];

pub(super) struct Parser<'a> {
    pub src: &'a str,
    pub pos: usize,
    /// Where the text ends for now: a here-document or a backquoted command is parsed as a stretch of its own.
    pub end: usize,
    pub dialect: Dialect,
    pub depth: usize,
    /// How many words were read.
    words: usize,
    pub pending: Vec<PendingHeredoc>,
    /// How many substitutions are open.
    pub substitutions: usize,
    /// Bodies of here-documents, whose expansions run too.
    pub bodies: Vec<RawWord>,
    /// Where each simple command starts, to be compared with the second reading.
    pub starts: Vec<usize>,
    /// Where `time` stands before a compound command, from its first letter to the end of its option.
    pub timed: Vec<Range<usize>>,
}

/// A line as this parser reads it.
pub(super) struct ParseOutput {
    pub script: Script,
    pub starts: Vec<usize>,
    pub timed: Vec<Range<usize>>,
}

/// Parses a whole line; gives the tree and where its commands start.
pub(super) fn parse(src: &str, dialect: Dialect) -> Result<ParseOutput, ParseError> {
    let mut parser = Parser {
        src,
        pos: 0,
        end: src.len(),
        dialect,
        depth: 0,
        words: 0,
        pending: Vec::new(),
        substitutions: 0,
        bodies: Vec::new(),
        starts: Vec::new(),
        timed: Vec::new(),
    };
    let mut script = parser.list()?;
    if parser.pos < parser.end {
        return Err(parser.unexpected());
    }
    parser.no_pending()?;
    script.texts = parser.bodies;
    Ok(ParseOutput { script, starts: parser.starts, timed: parser.timed })
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.pos + ahead;
        if at < self.end { self.src.as_bytes().get(at).copied() } else { None }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.src.get(self.pos..self.end).unwrap_or("")
    }

    pub(super) fn slice(&self, from: usize) -> &'a str {
        self.src.get(from..self.pos).unwrap_or("")
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.pos += token.len();
        }
        there
    }

    pub(super) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The next whole character, taken.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    pub(super) fn unexpected(&self) -> ParseError {
        let near: String = self.rest().chars().take(12).collect();
        if near.is_empty() {
            ParseError::new("The command is incomplete")
        } else {
            ParseError::new(format!("Cannot parse the command at `{}`", near.trim_end()))
        }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError::new("The command is nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Counts a word or an assignment.
    pub(super) fn count_word(&mut self) -> Result<(), ParseError> {
        self.words += 1;
        match self.words > MAX_WORDS {
            true => Err(ParseError::new(format!("The command has more than {MAX_WORDS} words"))),
            false => Ok(()),
        }
    }

    pub(super) fn bash_only(&self, what: &str) -> Result<(), ParseError> {
        match self.dialect {
            Dialect::Bash => Ok(()),
            Dialect::Posix => {
                Err(ParseError::new(format!("Different `sh` implementations interpret {what} differently")))
            }
        }
    }

    /// Spaces, tabs, continued lines, and a comment if one starts here.
    pub(super) fn blanks(&mut self) {
        let before = self.pos;
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                _ => break,
            }
        }
        if self.peek() == Some(b'#') && self.at_token_start(before) {
            while !matches!(self.peek(), None | Some(b'\n')) {
                self.pos += 1;
            }
        }
    }

    /// `#` begins a comment only where a word could begin.
    fn at_token_start(&self, before: usize) -> bool {
        if self.pos > before && self.src.as_bytes().get(self.pos - 1) != Some(&b'\n') {
            return true;
        }
        match self.pos.checked_sub(1).and_then(|p| self.src.as_bytes().get(p)) {
            None => true,
            Some(b) => matches!(b, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')'),
        }
    }

    /// A newline token: what here-documents wait for.
    pub(super) fn newline(&mut self) -> Result<bool, ParseError> {
        self.blanks();
        if self.peek() != Some(b'\n') {
            return Ok(false);
        }
        self.pos += 1;
        self.read_pending()?;
        Ok(true)
    }

    pub(super) fn newlines(&mut self) -> Result<(), ParseError> {
        while self.newline()? {}
        Ok(())
    }

    /// The unquoted word at this place if it is made of reserved-word characters only and ends there.
    pub(super) fn keyword(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| " \t\n;&|<>()".contains(c)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }

    /// Takes the reserved word or fails.
    pub(super) fn expect_keyword(&mut self, word: &str) -> Result<(), ParseError> {
        self.blanks();
        if self.keyword() == word {
            self.pos += word.len();
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Commands up to a closing word, `)`, `;;` or the end.
    pub(super) fn list(&mut self) -> Result<Script, ParseError> {
        let (mut commands, mut links) = (Vec::new(), Vec::new());
        // The first command of each `&&` list: it runs before everything that follows in this list.
        let mut sure = Vec::new();
        self.newlines()?;
        while !self.at_close() {
            let first = commands.len();
            self.and_or(&mut commands, &mut links)?;
            sure.push(first);
            self.blanks();
            match self.peek() {
                Some(b';') if !matches!(self.peek_at(1), Some(b';' | b'&')) => self.pos += 1,
                Some(b'&') if self.peek_at(1) != Some(b'&') => {
                    unsure(commands.get_mut(first..));
                    links.iter_mut().skip(first).for_each(|link| link.background = true);
                    sure.pop();
                    self.pos += 1;
                }
                Some(b'\n') => {}
                _ => break,
            }
            self.newlines()?;
        }
        for index in sure {
            set_valid_until(commands.get_mut(index), self.pos);
        }
        Ok(Script { commands, links, texts: Vec::new() })
    }

    /// A list that must not be empty.
    pub(super) fn body(&mut self) -> Result<Script, ParseError> {
        let script = self.list()?;
        if script.commands.is_empty() { Err(self.unexpected()) } else { Ok(script) }
    }

    fn at_close(&mut self) -> bool {
        self.blanks();
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.peek_at(1) == Some(b';') || self.peek_at(1) == Some(b'&'),
            _ => CLOSERS.contains(&self.keyword()),
        }
    }

    fn and_or(&mut self, out: &mut Vec<Command>, links: &mut Vec<Link>) -> Result<(), ParseError> {
        let first = out.len();
        // Where the commands begin that all have run when the next one behind `&&` does.
        let mut run = first;
        let mut condition = LinkCondition::Always;
        loop {
            let (command, negated) = self.pipeline()?;
            out.push(command);
            links.push(Link { condition, negated, background: false });
            unsure(out.get_mut(first + 1..));
            self.blanks();
            let and = self.eat("&&");
            condition = if and { LinkCondition::Success } else { LinkCondition::Failure };
            if !and {
                out.iter_mut().skip(run).for_each(|c| set_valid_until(Some(c), self.pos));
                if !self.eat("||") {
                    return Ok(());
                }
                // What stands right behind `||` may be skipped; what follows it behind `&&` runs all the same.
                run = out.len() + 1;
            }
            self.newlines()?;
        }
    }

    /// A pipeline, and whether `!` stands before it.
    fn pipeline(&mut self) -> Result<(Command, bool), ParseError> {
        self.blanks();
        let negated = self.keyword() == "!";
        if negated {
            self.pos += 1;
            self.blanks();
            // bash times it; other shells look for a program of that name.
            if self.keyword() == "time" {
                return Err(self.unexpected());
            }
        }
        let mut stages = vec![self.command()?];
        loop {
            self.blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                break;
            }
            self.pos += 1;
            if self.peek() == Some(b'&') {
                self.bash_only("`|&`")?;
                if !matches!(stages.last(), Some(Command::Simple(_))) {
                    return Err(self.unexpected());
                }
                self.pos += 1;
            }
            self.newlines()?;
            if self.keyword() == "time" {
                return Err(self.unexpected());
            }
            stages.push(self.command()?);
        }
        let command = if stages.len() == 1 { stages.remove(0) } else { Command::Pipeline(stages) };
        Ok((command, negated))
    }

    fn command(&mut self) -> Result<Command, ParseError> {
        self.blanks();
        self.time_before_compound()?;
        self.nested(|p| match p.compound()? {
            Some(command) => Ok(command),
            None => p.simple().map(Command::Simple),
        })
    }

    /// Assignments, words and redirections up to an operator.
    fn simple(&mut self) -> Result<Simple, ParseError> {
        let mut simple = Simple { at: self.pos, timed: self.timed()?, ..Simple::default() };
        let start = self.pos;
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            if self.at_word_end() {
                break;
            }
            let declares = simple.words.first().is_some_and(|w| DECLARERS.contains(&w.text.as_str()));
            if (simple.words.is_empty() || declares)
                && let Some(assignment) = self.assignment()?
            {
                if declares {
                    simple.declared.push(assignment)
                } else {
                    simple.assignments.push(assignment)
                }
                continue;
            }
            let word = self.word_or_process()?;
            if simple.words.is_empty() && word.text == "time" {
                return Err(ParseError::new("`time` after an assignment or a redirection is ambiguous"));
            }
            if simple.words.is_empty() {
                self.starts.push(if simple.timed { simple.at } else { word.at });
            }
            simple.words.push(word);
        }
        let empty = self.pos == start || (simple.timed && simple.words.is_empty());
        if empty { Err(self.unexpected()) } else { Ok(simple) }
    }

    /// Steps over `time` where a compound command follows: it measures, and changes nothing about what runs.
    fn time_before_compound(&mut self) -> Result<(), ParseError> {
        let start = self.pos;
        if self.keyword() != "time" {
            return Ok(());
        }
        self.pos += 4;
        self.blanks();
        if self.keyword() == "-p" {
            self.pos += 2;
        }
        let end = self.pos;
        self.blanks();
        let compound = self.peek() == Some(b'(')
            || ["{", "[[", "if", "for", "while", "until", "case"].contains(&self.keyword());
        // A newline or a comment ends what is timed.
        if compound && self.slice(end).bytes().all(|b| matches!(b, b' ' | b'\t')) {
            self.bash_only("`time`")?;
            self.timed.push(start..end);
        } else {
            self.pos = start;
        }
        Ok(())
    }

    /// `time`, which bash reads as a reserved word, before a simple command.
    fn timed(&mut self) -> Result<bool, ParseError> {
        if self.keyword() != "time" {
            return Ok(false);
        }
        self.bash_only("`time`")?;
        self.pos += 4;
        self.blanks();
        if self.keyword() == "-p" {
            self.pos += 2;
            self.blanks();
        }
        let odd =
            ["time", "!", "{", "[[", "if", "for", "while", "until", "case", "select", "function", "coproc"];
        if self.at_word_end() || odd.contains(&self.keyword()) || self.keyword().starts_with('-') {
            return Err(self.unexpected());
        }
        Ok(true)
    }

    pub(super) fn at_word_end(&self) -> bool {
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => self.peek_at(1) != Some(b'('),
            _ => false,
        }
    }

    /// `name=value`, `name+=value`, `name[i]=value`, with `value` a word or an array.
    fn assignment(&mut self) -> Result<Option<RawAssignment>, ParseError> {
        let at = self.pos;
        let name = identifier(self.rest());
        let after = self.rest().get(name.len()..).unwrap_or("");
        if name.is_empty() || !(after.starts_with('=') || after.starts_with("+=") || after.starts_with('[')) {
            return Ok(None);
        }
        self.count_word()?;
        self.pos += name.len();
        let mut subscript = None;
        if self.eat("[") {
            self.bash_only("subscripts")?;
            let inside = self.pos;
            subscript = Some(self.nested(|p| p.arith_until("]"))?);
            if self.slice(inside).contains([' ', '\t', '\n']) {
                return Err(ParseError::new("A subscript with a space in it is ambiguous"));
            }
            if !self.rest().starts_with('=') && !self.rest().starts_with("+=") {
                // A pattern such as `a[bc]d`: possible in bash, but not worth telling from an assignment.
                return Err(self.unexpected());
            }
        }
        let append = self.eat("+");
        self.expect("=")?;
        let value = self.assigned()?;
        Ok(Some(RawAssignment {
            name: name.to_owned(),
            at,
            subscript,
            value,
            append,
            text: self.slice(at).to_owned(),
        }))
    }

    fn assigned(&mut self) -> Result<AssignedValue, ParseError> {
        if self.peek() != Some(b'(') {
            let at = self.pos;
            if matches!(self.peek(), Some(b'<' | b'>')) {
                return Err(self.unexpected());
            }
            let word = if self.at_word_end() { RawWord { at, ..RawWord::default() } } else { self.word()? };
            return Ok(AssignedValue::Word(word));
        }
        self.bash_only("arrays")?;
        self.pos += 1;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.eat(")") {
                break;
            }
            if self.at_word_end() {
                return Err(self.unexpected());
            }
            words.push(self.word()?);
        }
        if self.at_word_end() { Ok(AssignedValue::Array(words)) } else { Err(self.unexpected()) }
    }
}

/// Definitions that may not take place, or only in another process.
fn unsure(commands: Option<&mut [Command]>) {
    for command in commands.into_iter().flatten() {
        if let Command::Function { sure, .. } = command {
            *sure = false;
        }
    }
}

/// Notes how far the assignments of a command hold.
fn set_valid_until(command: Option<&mut Command>, until: usize) {
    match command {
        Some(Command::Simple(simple)) => simple.valid_until = until,
        Some(Command::Compound(compound)) => compound.valid_until = until,
        Some(Command::Pipeline(_) | Command::Function { .. }) | None => {}
    }
}

/// The identifier at the start of a text; empty if there is none.
pub(super) fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let name = text.get(..end).unwrap_or("");
    if name.starts_with(|c: char| c.is_ascii_digit()) { "" } else { name }
}
