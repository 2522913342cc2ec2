//! Every command of the tree, wherever it stands, and every expansion on the way.

use std::collections::{HashMap, HashSet};

use super::command::{self, Context};
use super::env::{self, AssignmentScope};
use super::finding::Finding;
use super::line::Nesting;
use super::{forms, redirects};
use crate::analysers::{cond, keeps_shell_state};
use crate::syntax::ast::{
    AssignedValue, Command, Compound, CompoundKind, Piece, RawRedirect, RawWord, Script, Simple,
};
use crate::types::{LinePart, ShellEffect, Verdict, Word, WorkingFolder};
use crate::words::vars::{Vars, is_dangerous};
use crate::words::{arith, value};

/// Collects the parts of a line.
pub(crate) struct Walker<'a> {
    vars: &'a Vars,
    /// Functions that are defined for sure, with the place after which they are.
    functions: HashMap<String, usize>,
    nesting: Nesting,
    in_function: bool,
    folder: WorkingFolder,
    /// How many commands may still be looked at once for each text of a variable.
    tries: usize,
    pub parts: Vec<LinePart>,
}

/// So many that no honest line needs more, and so few that no line takes long.
const MAX_TRIES: usize = 64;

impl<'a> Walker<'a> {
    pub(crate) fn new(script: &Script, vars: &'a Vars, nesting: Nesting) -> Self {
        let functions = sure_functions(script);
        // In a line within a line they would multiply.
        let tries = if nesting == Nesting::top() { MAX_TRIES } else { 0 };
        Self {
            vars,
            functions,
            nesting,
            in_function: false,
            folder: WorkingFolder::Start,
            tries,
            parts: Vec::new(),
        }
    }

    pub(crate) fn script(&mut self, script: &Script) {
        for command in &script.commands {
            self.command(command);
        }
        for text in &script.texts {
            let mut finding = Finding::read_only();
            self.pieces(&text.pieces, &mut finding);
            self.record_part("<<", finding);
        }
    }

    /// A script whose `cd` does not reach the rest of the line.
    fn apart(&mut self, script: &Script) {
        let folder = self.folder.clone();
        self.script(script);
        self.folder = folder;
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(stages) => {
                let folder = self.folder.clone();
                for stage in stages {
                    self.command(stage);
                    self.folder.clone_from(&folder);
                }
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function { body, .. } => {
                let (outer, folder) = (std::mem::replace(&mut self.in_function, true), self.folder.clone());
                self.command(body);
                self.in_function = outer;
                // Nobody knows when it will be called.
                if self.folder != folder {
                    self.folder = WorkingFolder::Elsewhere;
                }
            }
        }
    }

    fn compound(&mut self, compound: &Compound) {
        let mut finding = Finding::read_only();
        self.raw_redirects(&compound.redirects, &mut finding);
        let label = self.kind(&compound.kind, &mut finding);
        self.record_part(label, finding);
    }

    /// Walks the bodies; answers how to call the command in a sentence.
    fn kind(&mut self, kind: &CompoundKind, finding: &mut Finding) -> &'static str {
        match kind {
            CompoundKind::Group(script) => {
                self.script(script);
                "{ … }"
            }
            CompoundKind::Subshell(script) => {
                self.apart(script);
                "( … )"
            }
            CompoundKind::Branches(all) => {
                self.branches(all);
                "if or while"
            }
            CompoundKind::For { name, words, body, .. } => {
                words.iter().flatten().for_each(|w| self.pieces(&w.pieces, finding));
                if is_dangerous(name) {
                    finding.mark_unknown(format!("Setting `{name}` can change what commands do"));
                }
                self.branches(std::slice::from_ref(body));
                "for"
            }
            CompoundKind::ArithFor { header, at, body, .. } => {
                self.arith(header, *at, finding);
                self.branches(std::slice::from_ref(body));
                "for (("
            }
            CompoundKind::Case { subject, patterns, bodies } => {
                self.pieces(&subject.pieces, finding);
                patterns.iter().for_each(|w| self.pieces(&w.pieces, finding));
                self.branches(bodies);
                "case"
            }
            CompoundKind::Arith { pieces, at } => {
                self.arith(pieces, *at, finding);
                "(( … ))"
            }
            CompoundKind::Cond(tokens) => {
                for word in cond::words(tokens) {
                    self.pieces(&word.pieces, finding);
                }
                cond::judge(tokens, self.vars, finding);
                "[["
            }
        }
    }

    /// Bodies that may or may not run.
    fn branches(&mut self, bodies: &[Script]) {
        let folder = self.folder.clone();
        for body in bodies {
            self.script(body);
        }
        if self.folder != folder {
            self.folder = WorkingFolder::Elsewhere;
        }
    }

    /// Keeps what a compound command itself does (redirections, expansions) as a part, if it is worth one.
    fn record_part(&mut self, label: &str, finding: Finding) {
        if finding.why.is_some() || !finding.effects.is_empty() {
            let command_verdict = without_writes(&finding);
            let mut part = self.part(label.to_owned(), Vec::new(), finding, &[]);
            part.command_verdict = command_verdict;
            self.parts.push(part);
        }
    }

    fn simple(&mut self, simple: &Simple) {
        let mut finding = Finding::read_only();
        let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, self.vars)).collect();
        simple.words.iter().for_each(|w| self.pieces(&w.pieces, &mut finding));
        let assignments = self.assignments(simple, &words, &mut finding);
        let mut opened = Finding::read_only();
        let redirects = self.raw_redirects(&simple.redirects, &mut opened);
        let own = if words.is_empty() { Vec::new() } else { self.judge_words(simple, &words, &mut finding) };
        let command_verdict = finding.verdict.max(without_writes(&opened));
        finding.merge(opened);
        let text = text_of(simple);
        let mut part = self.part(text, words, finding, &own);
        part.allow_forms = forms::allow_forms(&part.text, &assignments, &own);
        part.assignments = assignments;
        part.redirects = redirects;
        part.command_verdict = command_verdict;
        self.track_folder(&part);
        self.parts.push(part);
    }

    fn judge_words(
        &mut self,
        simple: &Simple,
        words: &[Word],
        finding: &mut Finding,
    ) -> Vec<forms::CommandLayer> {
        let functions: HashSet<String> =
            self.functions.iter().filter(|(_, at)| **at <= simple.at).map(|(n, _)| n.clone()).collect();
        let context = Context {
            vars: self.vars,
            functions: &functions,
            in_function: self.in_function,
            nesting: self.nesting,
        };
        let (mut found, mut layers) = command::judge(words, context);
        if found.verdict == Verdict::Unknown
            && let Some(parts) = each_text(simple, context, &mut self.tries)
        {
            found = Finding::read_only();
            found.inner = parts;
        }
        self.parts.append(&mut found.inner);
        finding.merge_inner(found);
        if !self.functions.is_empty() && words.iter().any(|w| w.literal() == Some("unset")) {
            finding.mark_unknown("`unset` may remove a function");
        }
        if simple.timed {
            let wrapper = Some(crate::types::Wrapper { name: "time".to_owned(), harmless: true });
            layers.insert(0, forms::CommandLayer { words: words.to_vec(), wrapper });
        }
        layers
    }

    fn assignments(
        &mut self,
        simple: &Simple,
        words: &[Word],
        finding: &mut Finding,
    ) -> Vec<crate::types::Assignment> {
        let command = words.first().and_then(Word::literal);
        let scope = match command {
            None if words.is_empty() => AssignmentScope::Shell,
            name => AssignmentScope::Environment { command: name.unwrap_or("") },
        };
        let mut out = Vec::new();
        for raw in &simple.assignments {
            self.assigned(raw, finding);
            out.push(env::judge(raw, scope, self.vars, finding));
        }
        let declared = if command == Some("export") {
            AssignmentScope::Environment { command: "export" }
        } else {
            AssignmentScope::Shell
        };
        for raw in &simple.declared {
            self.assigned(raw, finding);
            env::judge(raw, declared, self.vars, finding);
            env::judge_array(raw, self.vars, finding);
        }
        out
    }

    /// The expansions in an assignment.
    fn assigned(&mut self, raw: &crate::syntax::ast::RawAssignment, finding: &mut Finding) {
        if let Some(subscript) = &raw.subscript {
            self.arith(subscript, raw.at, finding);
        }
        match &raw.value {
            AssignedValue::Word(word) => self.pieces(&word.pieces, finding),
            AssignedValue::Array(words) => words.iter().for_each(|w| self.pieces(&w.pieces, finding)),
        }
    }

    fn raw_redirects(&mut self, raw: &[RawRedirect], finding: &mut Finding) -> Vec<crate::types::Redirect> {
        raw.iter()
            .map(|redirect| {
                self.pieces(&redirect.target.pieces, finding);
                redirects::judge(redirect, self.vars, finding)
            })
            .collect()
    }

    /// Walks the commands inside a word and checks what is evaluated on the way.
    fn pieces(&mut self, pieces: &[Piece], finding: &mut Finding) {
        for piece in pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Param { param, .. } => {
                    self.arith(&param.subscript, param.at, finding);
                    self.arith(&param.offsets, param.at, finding);
                    self.pieces(&param.operands, finding);
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.apart(script),
                Piece::Arith { pieces, at } => self.arith(pieces, *at, finding),
            }
        }
    }

    fn arith(&mut self, pieces: &[Piece], at: usize, finding: &mut Finding) {
        if let Some(why) = arith::rejection_reason(pieces, self.vars, at) {
            finding.mark_unknown(why);
        }
        self.pieces(pieces, finding);
    }

    fn part(
        &self,
        text: String,
        words: Vec<Word>,
        finding: Finding,
        layers: &[forms::CommandLayer],
    ) -> LinePart {
        let words =
            layers.last().map_or(words, |l| if l.wrapper.is_none() { l.words.clone() } else { Vec::new() });
        LinePart {
            deny_forms: forms::deny_forms(&text, layers),
            allow_forms: Vec::new(),
            text,
            words,
            assignments: Vec::new(),
            redirects: Vec::new(),
            wrappers: layers.iter().filter_map(|l| l.wrapper.clone()).collect(),
            folder: self.folder.clone(),
            effects: finding.effects,
            dangers: finding.dangers,
            depends_on: finding.depends_on,
            simple_file_command: finding.simple_file_command,
            verdict: finding.verdict,
            command_verdict: finding.verdict,
            why: finding.why,
        }
    }

    /// Follows `cd`.
    fn track_folder(&mut self, part: &LinePart) {
        let Some(program) = part.program() else { return };
        if self.functions.contains_key(program) || matches!(program, "pushd" | "popd" | "eval") {
            self.folder = WorkingFolder::Elsewhere;
        }
        if program != "cd" {
            return;
        }
        let operands: Vec<&Word> =
            part.words.iter().skip(1).filter(|w| !matches!(w.literal(), Some("--" | "-P" | "-L"))).collect();
        self.folder = match operands.as_slice() {
            [] => WorkingFolder::Moved("~".to_owned()),
            [one] => moved(&self.folder, one.literal()),
            _ => WorkingFolder::Elsewhere,
        };
    }
}

fn moved(from: &WorkingFolder, to: Option<&str>) -> WorkingFolder {
    match (from, to) {
        (_, None | Some("-")) => WorkingFolder::Elsewhere,
        (_, Some(to)) if to.starts_with(['/', '~']) => WorkingFolder::Moved(to.to_owned()),
        (WorkingFolder::Start, Some(to)) => WorkingFolder::Moved(to.to_owned()),
        (WorkingFolder::Moved(from), Some(to)) => {
            WorkingFolder::Moved(format!("{}/{to}", from.trim_end_matches('/')))
        }
        (WorkingFolder::Elsewhere, Some(_)) => WorkingFolder::Elsewhere,
    }
}

/// The command as written, words joined by one space.
fn text_of(simple: &Simple) -> String {
    let time = simple.timed.then_some("time");
    let assigned = simple.assignments.iter().map(|a| a.text.as_str());
    let words = simple.words.iter().map(|w: &RawWord| w.text.as_str());
    let declared = simple.declared.iter().map(|a| a.text.as_str());
    time.into_iter().chain(assigned).chain(words).chain(declared).collect::<Vec<_>>().join(" ")
}

/// Functions that the top of the script defines, come what may. Any other definition changes nothing here: its body is
/// judged where it stands, and its name is judged as the command that it may or may not hide.
fn sure_functions(script: &Script) -> HashMap<String, usize> {
    let mut sure = HashMap::new();
    for command in &script.commands {
        if let Command::Function { name, at, sure: true, .. } = command {
            sure.entry(name.clone()).or_insert(*at);
        }
    }
    sure
}

/// A command with a variable that holds one of a few texts is one of as many commands: their parts, if each of them only
/// reads. One that assigns or moves is not looked at so, for the variables and the folder were followed without it.
fn each_text(simple: &Simple, context: Context<'_>, tries: &mut usize) -> Option<Vec<LinePart>> {
    let (name, texts) = context.vars.one_of_few(&simple.words)?;
    *tries = tries.checked_sub(texts.len())?;
    let mut vars = context.vars.narrowed(&simple.words);
    let mut parts = Vec::new();
    for text in texts {
        vars.fix(name, text);
        let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, &vars)).collect();
        parts.extend(inner_parts(&words, context));
        let read_only = parts.iter().all(|p| p.verdict == Verdict::ReadOnly);
        if !read_only || !keeps_shell_state(parts.last()?.program()) {
            return None;
        }
    }
    Some(parts)
}

/// The parts of a command that another one runs (`find -exec`).
pub(crate) fn inner_parts(words: &[Word], context: Context<'_>) -> Vec<LinePart> {
    let functions = HashSet::new();
    let (mut finding, layers) = command::judge(words, Context { functions: &functions, ..context });
    let mut parts = std::mem::take(&mut finding.inner);
    let (vars, nesting, in_function) = (context.vars, context.nesting, context.in_function);
    let walker = Walker {
        vars,
        functions: HashMap::new(),
        nesting,
        in_function,
        folder: WorkingFolder::Start,
        tries: 0,
        parts: Vec::new(),
    };
    let mut part = walker.part(forms::written(words), words.to_vec(), finding, &layers);
    part.allow_forms = forms::allow_forms(&part.text, &[], &layers);
    parts.push(part);
    parts
}

/// The verdict of redirections and expansions, with the files that they write left aside.
fn without_writes(finding: &Finding) -> Verdict {
    let harmless =
        |effect: &ShellEffect| matches!(effect, ShellEffect::Read { .. } | ShellEffect::Write { .. });
    if finding.effects.iter().all(harmless) { Verdict::ReadOnly } else { Verdict::Unknown }
}
