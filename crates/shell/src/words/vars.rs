//! What the variables of a line can hold: the join of everything that is assigned anywhere in it.
//!
//! Flow-insensitive on purpose: loops, functions and subshells need no cases of their own. A use before the first
//! assignment in the text can hold anything (it comes from the environment).

use std::collections::HashMap;

use super::{arith, numeric, value};
use crate::syntax::ast::{
    AssignedValue, Command, Kind as CompoundKind, Piece, RawAssignment, RawWord, Script, Simple,
};
use crate::table;
use crate::types::Value;

/// What a variable can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of these texts.
    Literals(Vec<String>),
    Number,
    /// One text that neither is empty nor begins with a dash.
    Plain,
    Any,
}

/// Builtins that put something into the variables that they are given.
const ASSIGNERS: &[&str] = &[
    "read",
    "mapfile",
    "readarray",
    "unset",
    "getopts",
    "printf",
    "local",
    "declare",
    "typeset",
    "export",
    "readonly",
    "let",
    "wait",
    "eval",
];

/// More texts than this are not told apart.
const MAX_LITERALS: usize = 16;

/// After this many passes over the assignments the rest is anything.
const MAX_PASSES: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Vars {
    known: HashMap<String, (usize, Kind)>,
    /// Set when the assignments did not settle.
    lost: bool,
    /// The line defines functions, so that no command is surely what its name says.
    shadowed: bool,
}

impl Vars {
    /// Looks at every assignment of a script.
    pub(crate) fn of(script: &Script) -> Self {
        let mut vars = Self { shadowed: defines_functions(script), ..Self::default() };
        for _ in 0..MAX_PASSES {
            let mut collector = Collector { before: &vars, known: vars.known.clone() };
            collector.script(script);
            let known = collector.known;
            if known == vars.known {
                return vars;
            }
            vars.known = known;
        }
        vars.lost = true;
        vars
    }

    /// Is the output of the script one number for sure?
    pub(crate) fn prints_number(&self, script: &Script) -> bool {
        !self.shadowed && numeric::prints_number(script)
    }

    /// Is the output of the script one word that is not an option?
    pub(crate) fn prints_plain_word(&self, script: &Script) -> bool {
        !self.shadowed && numeric::prints_plain_word(script)
    }

    /// What the variable can hold when it is used at `at`.
    pub(crate) fn kind(&self, name: &str, at: usize) -> Kind {
        match self.known.get(name) {
            Some((first, kind)) if !self.lost && *first < at => kind.clone(),
            None if matches!(name, "HOME" | "PWD" | "OLDPWD") => Kind::Plain,
            _ => Kind::Any,
        }
    }
}

/// Any function at all, however deep.
fn defines_functions(script: &Script) -> bool {
    let mut found = false;
    crate::syntax::visit::commands(script, &mut |command| {
        found |= matches!(command, Command::Function { .. })
    });
    found
}

struct Collector<'a> {
    before: &'a Vars,
    known: HashMap<String, (usize, Kind)>,
}

impl Collector<'_> {
    fn script(&mut self, script: &Script) {
        script.commands.iter().for_each(|c| self.command(c));
        script.texts.iter().for_each(|w| self.word(w));
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(stages) => stages.iter().for_each(|c| self.command(c)),
            Command::Function { body, .. } => self.command(body),
            Command::Compound(compound) => {
                compound.redirects.iter().for_each(|r| self.word(&r.target));
                self.compound(&compound.kind);
            }
        }
    }

    fn compound(&mut self, kind: &CompoundKind) {
        match kind {
            CompoundKind::Group(s) | CompoundKind::Subshell(s) => self.script(s),
            CompoundKind::Branches(all) => all.iter().for_each(|s| self.script(s)),
            CompoundKind::For { name, at, words, body } => {
                let kinds = words.iter().flatten().flat_map(|w| self.loop_kinds(w)).collect::<Vec<_>>();
                words.iter().flatten().for_each(|w| self.word(w));
                let kind = if words.is_some() { kinds.into_iter().reduce(join) } else { Some(Kind::Any) };
                self.assign(name, *at, kind.unwrap_or(Kind::Any));
                self.script(body);
            }
            CompoundKind::ArithFor { header, at, body } => {
                self.pieces(header, *at);
                self.arith(header, *at);
                self.script(body);
            }
            CompoundKind::Case { subject, patterns, bodies } => {
                self.word(subject);
                patterns.iter().for_each(|w| self.word(w));
                bodies.iter().for_each(|s| self.script(s));
            }
            CompoundKind::Arith { pieces, at } => {
                self.pieces(pieces, *at);
                self.arith(pieces, *at);
            }
            CompoundKind::Cond(tokens) => {
                for token in tokens {
                    if let crate::syntax::ast::CondToken::Word(word) = token {
                        self.word(word);
                    }
                }
            }
        }
    }

    fn loop_kinds(&self, word: &RawWord) -> Vec<Kind> {
        if let [Piece::Command { script, .. }] = word.pieces.as_slice() {
            return vec![if self.before.prints_number(script)
                || !self.before.shadowed && prints_numbers(script)
            {
                Kind::Number
            } else {
                Kind::Any
            }];
        }
        value::resolve(word, self.before).into_iter().map(|w| of_value(w.value)).collect()
    }

    fn simple(&mut self, simple: &Simple) {
        for assignment in simple.assignments.iter().chain(&simple.declared) {
            self.assignment(assignment);
        }
        simple.words.iter().for_each(|w| self.word(w));
        simple.redirects.iter().for_each(|r| self.word(&r.target));
        self.builtins(simple);
    }

    /// `read x`, `local x`, `unset x`, `mapfile x`…: every word could be a name. Looked for anywhere among the words,
    /// since wrappers (`builtin read x`) come first.
    fn builtins(&mut self, simple: &Simple) {
        let words: Vec<Option<String>> = simple
            .words
            .iter()
            .flat_map(|w| value::resolve(w, self.before))
            .map(|w| w.literal().map(str::to_owned))
            .collect();
        if !words.iter().flatten().any(|w| ASSIGNERS.contains(&w.as_str())) {
            return;
        }
        let names =
            words.iter().flatten().flat_map(|w| w.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
        for name in names.chain(["REPLY", "MAPFILE"]) {
            self.assign(name, simple.at, Kind::Any);
        }
    }

    fn assignment(&mut self, assignment: &RawAssignment) {
        if let Some(subscript) = &assignment.subscript {
            self.pieces(subscript, assignment.at);
        }
        let kind = match &assignment.value {
            AssignedValue::Word(word) => {
                self.word(word);
                self.assigned_kind(word)
            }
            AssignedValue::Array(words) => {
                words.iter().for_each(|w| self.word(w));
                Kind::Any
            }
        };
        let whole = !assignment.append && assignment.subscript.is_none();
        self.assign(&assignment.name, assignment.at, if whole { kind } else { Kind::Any });
    }

    fn assigned_kind(&self, word: &RawWord) -> Kind {
        match word.pieces.as_slice() {
            [Piece::Arith { .. }] => Kind::Number,
            [Piece::Command { script, .. }] if self.before.prints_number(script) => Kind::Number,
            [Piece::Text { text, .. }, Piece::Command { script, .. }]
                if text.is_empty() && self.before.prints_number(script) =>
            {
                Kind::Number
            }
            _ => of_value(value::assigned(word, self.before)),
        }
    }

    fn word(&mut self, word: &RawWord) {
        self.pieces(&word.pieces, word.at);
    }

    fn pieces(&mut self, pieces: &[Piece], at: usize) {
        for piece in pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Param { param, .. } => {
                    for part in [&param.subscript, &param.operands, &param.offsets] {
                        self.pieces(part, at);
                    }
                    self.arith(&param.subscript, at);
                    self.arith(&param.offsets, at);
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.script(script),
                Piece::Arith { pieces, at } => {
                    self.pieces(pieces, *at);
                    self.arith(pieces, *at);
                }
            }
        }
    }

    /// Names that arithmetic may assign. A name that it only reads must not become known by that.
    fn arith(&mut self, pieces: &[Piece], at: usize) {
        let assigns = pieces.iter().any(|p| matches!(p, Piece::Text { text, .. } if text.contains('=') || text.contains("++") || text.contains("--")));
        for name in arith::names(pieces) {
            if assigns && (self.known.contains_key(&name) || starts_with_assignment(pieces, &name)) {
                self.assign(&name, at.saturating_sub(1), Kind::Number);
            }
        }
    }

    fn assign(&mut self, name: &str, at: usize, kind: Kind) {
        let entry = self.known.entry(name.to_owned()).or_insert_with(|| (at, kind.clone()));
        let joined = join(entry.1.clone(), kind);
        *entry = (entry.0.min(at), joined);
    }
}

/// `i=0` at the start of an expression: the name is set before it is read.
fn starts_with_assignment(pieces: &[Piece], name: &str) -> bool {
    let Some(Piece::Text { text, .. }) = pieces.first() else { return false };
    let rest = text.trim_start().strip_prefix(name).map(str::trim_start);
    rest.and_then(|r| r.strip_prefix('=')).is_some_and(|r| !r.starts_with('='))
}

/// `$(seq 1 5)`.
fn prints_numbers(script: &Script) -> bool {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return false };
    let digits = |w: &RawWord| !w.text.is_empty() && w.text.bytes().all(|b| b.is_ascii_digit());
    simple.words.first().is_some_and(|w| w.text == "seq") && simple.words.iter().skip(1).all(digits)
}

fn of_value(value: Value) -> Kind {
    match value {
        Value::Literal(text) => Kind::Literals(vec![text]),
        Value::One { prefix, plain } | Value::Many { prefix, plain }
            if plain || !(prefix.is_empty() || prefix.starts_with('-')) =>
        {
            Kind::Plain
        }
        Value::One { .. } | Value::Many { .. } => Kind::Any,
    }
}

fn join(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Literals(mut x), Kind::Literals(y)) => {
            x.extend(y);
            x.sort_unstable();
            x.dedup();
            if x.len() <= MAX_LITERALS { Kind::Literals(x) } else { Kind::Any }
        }
        (a, b) if a.is_number() && b.is_number() => Kind::Number,
        (a, b) if a.is_plain() && b.is_plain() => Kind::Plain,
        _ => Kind::Any,
    }
}

impl Kind {
    fn is_plain(&self) -> bool {
        match self {
            Self::Plain => true,
            Self::Literals(all) => all.iter().all(|v| !v.is_empty() && !v.starts_with('-')),
            Self::Number | Self::Any => false,
        }
    }
}

/// Would an assignment to this name change how later commands run? The names are in `tables/variables.toml`.
pub(crate) fn is_dangerous(name: &str) -> bool {
    table::variables().dangerous.iter().any(|pattern| matches_name(pattern, name))
}

/// A pattern of the table: a whole name, `PREFIX*` or `*SUFFIX`.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(prefix), _) => name.starts_with(prefix),
        (None, Some(suffix)) => name.ends_with(suffix),
        (None, None) => name == pattern,
    }
}
