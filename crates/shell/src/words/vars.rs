//! What the variables of a line can hold: the join of everything that is assigned anywhere in it.
//!
//! The values are flow-insensitive on purpose: loops, functions and subshells need no cases of their own. But a use
//! is known only where some assignment has surely run before it, in the same shell (`DRY= ; [ … ] && run=echo; $run rm f`
//! removes f): anywhere else the variable holds what the environment says, or nothing.

use std::collections::{HashMap, HashSet};

use super::{arith, numeric, value};
use crate::syntax::ast::{
    AssignedValue, Command, CompoundKind, Piece, RawAssignment, RawWord, Script, Simple,
};
use crate::table;
use crate::types::WordValue;

/// What a variable can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VarValue {
    /// One of these texts.
    Literals(Vec<String>),
    /// A number. Arithmetic can make it negative; a command that counts prints nothing at all when it fails.
    Number {
        negative: bool,
        empty: bool,
    },
    /// A path that begins so and does not lead out of there: what a pattern finds.
    Within {
        prefix: String,
        plain: bool,
    },
    /// One text that does not begin with a dash.
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

/// What arithmetic gives.
const ARITHMETIC: VarValue = VarValue::Number { negative: true, empty: false };

/// What a command that counts prints.
const COUNTED: VarValue = VarValue::Number { negative: false, empty: true };

/// More texts than this are not told apart.
const MAX_LITERALS: usize = 16;

/// After this many passes over the assignments the rest is anything.
const MAX_PASSES: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Vars {
    known: HashMap<String, VarState>,
    /// Set when the assignments did not settle.
    lost: bool,
    /// Functions that the line defines: with any, no command is surely what its name says.
    functions: HashSet<String>,
    /// Variables that may be arrays.
    arrays: HashSet<String>,
    /// `$PWD` may be read as the folder of the command that it stands in. Not while values are collected: where a
    /// variable is used, the folder may be another one than where it was set.
    knows_folder: bool,
}

/// What is known of one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct VarState {
    kind: VarValue,
    /// Stretches of the text in which one of its assignments has surely run.
    sure: Vec<(usize, usize)>,
}

impl Vars {
    /// Looks at every assignment of a script.
    pub(crate) fn of(script: &Script) -> Self {
        let mut vars = Self { functions: functions(script), ..Self::default() };
        for _ in 0..MAX_PASSES {
            let (known, arrays) = (vars.known.clone(), vars.arrays.clone());
            let mut collector = Collector { before: &vars, known, arrays, in_function: false };
            collector.script(script);
            let (known, arrays) = (collector.known, collector.arrays);
            vars.arrays = arrays;
            if known == vars.known {
                vars.knows_folder = true;
                return vars;
            }
            vars.known = known;
        }
        vars.lost = true;
        vars
    }

    /// Is the output of the script one number for sure?
    pub(crate) fn prints_number(&self, script: &Script) -> bool {
        self.functions.is_empty() && numeric::prints_number(script)
    }

    /// Is the output of the script one word that is not an option?
    pub(crate) fn prints_plain_word(&self, script: &Script) -> bool {
        self.functions.is_empty() && numeric::prints_plain_word(script)
    }

    /// Is the output of the script one word, or nothing?
    pub(crate) fn prints_one_word(&self, script: &Script) -> bool {
        self.functions.is_empty() && numeric::prints_one_word(script)
    }

    /// The only variable in these words that can hold several known texts, and those.
    pub(crate) fn one_of_few<'w>(&self, words: &'w [RawWord]) -> Option<(&'w str, Vec<String>)> {
        let mut found: Option<(&str, Vec<String>)> = None;
        for piece in words.iter().flat_map(|w| &w.pieces) {
            let Piece::Param { param, .. } = piece else { continue };
            match self.kind(&param.name, param.at) {
                VarValue::Literals(texts) if texts.len() > 1 => match &found {
                    Some((name, _)) if *name != param.name => return None,
                    _ => found = Some((&param.name, texts)),
                },
                _ => {}
            }
        }
        found
    }

    /// What is known of the variables in these words, and of no others: a line may have a thousand.
    pub(crate) fn narrowed(&self, words: &[RawWord]) -> Self {
        let params = words.iter().flat_map(|w| &w.pieces).filter_map(|piece| match piece {
            Piece::Param { param, .. } => Some(&param.name),
            _ => None,
        });
        // A tilde is `HOME`.
        let names = params.map(String::as_str).chain(["HOME"]);
        let known = names.filter_map(|name| Some((name.to_owned(), self.known.get(name)?.clone()))).collect();
        Self {
            known,
            lost: self.lost,
            functions: self.functions.clone(),
            arrays: HashSet::new(),
            knows_folder: self.knows_folder,
        }
    }

    /// Says that a variable holds this one of its texts.
    pub(crate) fn fix(&mut self, name: &str, text: String) {
        if let Some(known) = self.known.get_mut(name) {
            known.kind = VarValue::Literals(vec![text]);
        }
    }

    /// What the variable can hold when it is used at `at`.
    pub(crate) fn kind(&self, name: &str, at: usize) -> VarValue {
        match self.known.get(name) {
            // The shell sets it after every command.
            _ if name == "_" => VarValue::Any,
            Some(known) if !self.lost && known.sure.iter().any(|(from, to)| *from < at && at <= *to) => {
                known.kind.clone()
            }
            None if matches!(name, "HOME" | "PWD" | "OLDPWD") => VarValue::Plain,
            _ => VarValue::Any,
        }
    }

    /// Does `$PWD` stand for the folder that the command runs in?
    pub(crate) fn knows_folder(&self) -> bool {
        self.knows_folder && !self.assigns("PWD")
    }

    /// Says that the variable may hold anything when the line starts.
    pub(crate) fn forget(&mut self, name: &str) {
        self.known.insert(name.to_owned(), VarState { kind: VarValue::Any, sure: Vec::new() });
    }

    /// Does the line give the variable a value, anywhere?
    pub(crate) fn assigns(&self, name: &str) -> bool {
        self.lost || self.known.contains_key(name)
    }

    /// Does the line give a value to such a variable, anywhere?
    pub(crate) fn assigns_any(&self, is_one: fn(&str) -> bool) -> bool {
        self.lost || self.known.keys().any(|name| is_one(name))
    }

    /// Could the variable be an array? `declare x='(…)'` evaluates the text then.
    pub(crate) fn may_be_array(&self, name: &str) -> bool {
        self.lost || self.arrays.contains(name)
    }
}

/// The names of all functions, however deep.
fn functions(script: &Script) -> HashSet<String> {
    let mut found = HashSet::new();
    crate::syntax::visit::commands(script, &mut |command| {
        if let Command::Function { name, .. } = command {
            found.insert(name.clone());
        }
    });
    found
}

struct Collector<'a> {
    before: &'a Vars,
    known: HashMap<String, VarState>,
    arrays: HashSet<String>,
    in_function: bool,
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
            Command::Function { body, .. } => {
                let outer = std::mem::replace(&mut self.in_function, true);
                self.command(body);
                self.in_function = outer;
            }
            Command::Compound(compound) => {
                compound.redirects.iter().for_each(|r| self.word(&r.target));
                // A redirection that fails keeps the command from running.
                let valid_until = if compound.redirects.is_empty() { compound.valid_until } else { 0 };
                self.compound(&compound.kind, valid_until);
            }
        }
    }

    fn compound(&mut self, kind: &CompoundKind, valid_until: usize) {
        match kind {
            CompoundKind::Group(s) | CompoundKind::Subshell(s) => self.script(s),
            CompoundKind::If(all) | CompoundKind::While(all) => all.iter().for_each(|s| self.script(s)),
            CompoundKind::For { name, words, body, scope, .. } => {
                let kinds = words.iter().flatten().flat_map(|w| self.loop_kinds(w)).collect::<Vec<_>>();
                words.iter().flatten().for_each(|w| self.word(w));
                let kind = if words.is_some() { kinds.into_iter().reduce(join) } else { Some(VarValue::Any) };
                self.assign(name, *scope, kind.unwrap_or(VarValue::Any));
                self.script(body);
            }
            CompoundKind::ArithFor { header, at, body, end } => {
                self.pieces(header, *at);
                self.arith(header, *at, valid_until.max(*end));
                self.script(body);
            }
            CompoundKind::Case { subject, patterns, bodies } => {
                self.word(subject);
                patterns.iter().for_each(|w| self.word(w));
                bodies.iter().for_each(|s| self.script(s));
            }
            CompoundKind::Arith { pieces, at } => {
                self.pieces(pieces, *at);
                self.arith(pieces, *at, valid_until);
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

    fn loop_kinds(&self, word: &RawWord) -> Vec<VarValue> {
        if let [Piece::Command { script, .. }] = word.pieces.as_slice() {
            if let Some(few) = counted(script).filter(|_| self.before.functions.is_empty()) {
                return vec![few];
            }
            let numbers = self.before.prints_number(script)
                || self.before.functions.is_empty() && prints_numbers(script);
            // Where nothing is printed, the body does not run.
            return vec![if numbers {
                VarValue::Number { negative: false, empty: false }
            } else {
                VarValue::Any
            }];
        }
        value::resolve(word, self.before).into_iter().map(|w| of_value(w.value)).collect()
    }

    fn simple(&mut self, simple: &Simple) {
        let plain = simple.redirects.is_empty() && !simple.timed;
        // Before a command they hold for that command only.
        let valid_until = if plain && simple.words.is_empty() { simple.valid_until } else { 0 };
        simple.assignments.iter().for_each(|a| self.assignment(a, valid_until));
        let valid_until = if plain && self.declares_surely(simple) { simple.valid_until } else { 0 };
        for assignment in &simple.declared {
            self.assignment(assignment, valid_until);
            if simple.words.iter().any(|w| w.text.starts_with('-') && w.text.contains(['a', 'A'])) {
                self.arrays.insert(assignment.name.clone());
            }
        }
        simple.words.iter().for_each(|w| self.word(w));
        simple.redirects.iter().for_each(|r| self.word(&r.target));
        self.builtins(simple);
    }

    /// `declare x=1`, `local x=1`: assigned for sure, unless a flag or a function changes what the command does;
    /// `local` fails outside of functions.
    fn declares_surely(&self, simple: &Simple) -> bool {
        let [command] = simple.words.as_slice() else { return false };
        !self.before.functions.contains(&command.text) && (command.text != "local" || self.in_function)
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
            self.assign(name, (0, 0), VarValue::Any);
            self.arrays.insert(name.to_owned());
        }
    }

    fn assignment(&mut self, assignment: &RawAssignment, valid_until: usize) {
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
                VarValue::Any
            }
        };
        let whole = !assignment.append && assignment.subscript.is_none();
        if assignment.subscript.is_some() || matches!(assignment.value, AssignedValue::Array(_)) {
            self.arrays.insert(assignment.name.clone());
        }
        // Its own value is expanded before it holds.
        let from = assignment.at + assignment.text.len().saturating_sub(1);
        self.assign(&assignment.name, (from, valid_until), if whole { kind } else { VarValue::Any });
    }

    fn assigned_kind(&self, word: &RawWord) -> VarValue {
        match word.pieces.as_slice() {
            [Piece::Arith { .. }] => ARITHMETIC,
            [Piece::Command { script, .. }] if self.before.prints_number(script) => COUNTED,
            [Piece::Text { text, .. }, Piece::Command { script, .. }]
                if text.is_empty() && self.before.prints_number(script) =>
            {
                COUNTED
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
                    self.arith(&param.subscript, at, 0);
                    self.arith(&param.offsets, at, 0);
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.script(script),
                Piece::Arith { pieces, at } => {
                    self.pieces(pieces, *at);
                    self.arith(pieces, *at, 0);
                }
            }
        }
    }

    /// Names that arithmetic may assign. A name that it only reads must not become known by that.
    fn arith(&mut self, pieces: &[Piece], at: usize, valid_until: usize) {
        let assigns = pieces.iter().any(|p| matches!(p, Piece::Text { text, .. } if text.contains('=') || text.contains("++") || text.contains("--")));
        for name in arith::names(pieces) {
            let first = starts_with_assignment(pieces, &name);
            if assigns && (self.known.contains_key(&name) || first) {
                let until = if first { valid_until } else { 0 };
                self.assign(&name, (at.saturating_sub(1), until), ARITHMETIC);
            }
        }
    }

    /// Notes a value, and the stretch of the text in which it has surely been given; an empty one for nowhere.
    fn assign(&mut self, name: &str, sure: (usize, usize), kind: VarValue) {
        let fresh = || VarState { kind: kind.clone(), sure: Vec::new() };
        let known = self.known.entry(name.to_owned()).or_insert_with(fresh);
        known.kind = join(known.kind.clone(), kind);
        if sure.0 < sure.1 && !known.sure.contains(&sure) {
            known.sure.push(sure);
        }
    }
}

/// `i=0` at the start of an expression: the name is set before it is read.
fn starts_with_assignment(pieces: &[Piece], name: &str) -> bool {
    let Some(Piece::Text { text, .. }) = pieces.first() else { return false };
    let rest = text.trim_start().strip_prefix(name).map(str::trim_start);
    rest.and_then(|r| r.strip_prefix('=')).is_some_and(|r| !r.starts_with('='))
}

/// `$(seq 1 5)` gives five texts.
fn counted(script: &Script) -> Option<VarValue> {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return None };
    let words: Vec<&str> = simple.words.iter().map(|w| w.text.as_str()).collect();
    let (from, to) = match words.as_slice() {
        ["seq", to] => ("1", *to),
        ["seq", from, to] => (*from, *to),
        _ => return None,
    };
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| n.to_string() == text);
    let (from, to) = (number(from)?, number(to)?);
    let few = from <= to && to - from < MAX_LITERALS && simple.redirects.is_empty();
    few.then(|| VarValue::Literals((from..=to).map(|n| n.to_string()).collect()))
}

/// `$(seq 1 500)`.
fn prints_numbers(script: &Script) -> bool {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return false };
    let digits = |w: &RawWord| !w.text.is_empty() && w.text.bytes().all(|b| b.is_ascii_digit());
    simple.words.first().is_some_and(|w| w.text == "seq") && simple.words.iter().skip(1).all(digits)
}

fn of_value(value: WordValue) -> VarValue {
    match value {
        WordValue::Literal(text) => VarValue::Literals(vec![text]),
        WordValue::One { prefix, plain, contained: true }
        | WordValue::Many { prefix, plain, contained: true } => VarValue::Within { prefix, plain },
        WordValue::One { prefix, plain, .. } | WordValue::Many { prefix, plain, .. }
            if plain || !(prefix.is_empty() || prefix.starts_with('-')) =>
        {
            VarValue::Plain
        }
        WordValue::One { .. } | WordValue::Many { .. } => VarValue::Any,
    }
}

fn join(a: VarValue, b: VarValue) -> VarValue {
    match (a, b) {
        (VarValue::Literals(mut x), VarValue::Literals(y)) => {
            x.extend(y);
            x.sort_unstable();
            x.dedup();
            let many = VarValue::Literals(x);
            match many {
                VarValue::Literals(ref all) if all.len() <= MAX_LITERALS => many,
                many if many.is_number() => VarValue::Number { negative: false, empty: false },
                many if many.is_plain() => VarValue::Plain,
                _ => VarValue::Any,
            }
        }
        (a @ VarValue::Within { .. }, b) if a == b => a,
        (a, b) if a.is_number() && b.is_number() => {
            let with = |trait_of: fn(&VarValue) -> bool| trait_of(&a) || trait_of(&b);
            VarValue::Number {
                negative: with(|k| matches!(k, VarValue::Number { negative: true, .. })),
                empty: with(|k| matches!(k, VarValue::Number { empty: true, .. })),
            }
        }
        (a, b) if a.is_plain() && b.is_plain() => VarValue::Plain,
        _ => VarValue::Any,
    }
}

impl VarValue {
    fn is_plain(&self) -> bool {
        match self {
            Self::Plain => true,
            Self::Within { plain, .. } => *plain,
            Self::Literals(all) => all.iter().all(|v| !v.is_empty() && !v.starts_with('-')),
            Self::Number { .. } | Self::Any => false,
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
