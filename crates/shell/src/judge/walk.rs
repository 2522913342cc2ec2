//! Every simple command of the tree, wherever it stands, and every expansion on the way.

use std::collections::{HashMap, HashSet};

use super::command::{self, Context};
use super::env::{self, AssignmentScope};
use super::finding::Finding;
use super::folder::{self, Exit, Place, Untrusted};
use super::line::LineStart;
use super::motion::{Motion, Motions};
use super::{forms, redirects};
use crate::analysers::{find, keeps_shell_state};
use crate::syntax::ast::{
    AssignedValue, Command, LinkCondition, Piece, RawRedirect, RawWord, RedirectOp, Script, Simple,
};
use crate::types::{LinePart, ShellEffect, Verdict, Word, WordValue};
use crate::words::vars::{Vars, is_dangerous};
use crate::words::{arith, value};

/// Collects the parts of a line.
pub(crate) struct Walker<'a> {
    pub(super) vars: &'a Vars,
    /// Functions that are defined for sure, with the place after which they are.
    functions: HashMap<String, usize>,
    /// Arrays with names for keys that are surely declared, with the place after which they are.
    keyed: HashMap<String, usize>,
    pub(super) motions: Motions,
    untrusted: Untrusted,
    line: LineStart,
    pub(super) in_function: bool,
    /// Where the line starts.
    pub(super) start: Place,
    /// Where the shell is now.
    pub(super) place: Place,
    /// The command before this one is piped into it.
    pub(super) in_pipe: bool,
    /// Something comes in through the input of what the command stands in.
    pub(super) in_fed: bool,
    /// What the command before this one in a pipeline prints, each ended by NUL.
    pub(super) piped: Option<WordValue>,
    /// How many commands may still be looked at once for each text of a variable.
    tries: usize,
    pub parts: Vec<LinePart>,
}

/// So many that no honest line needs more, and so few that no line takes long.
const MAX_TRIES: usize = 64;

impl<'a> Walker<'a> {
    pub(crate) fn new(script: &Script, vars: &'a Vars, motions: Motions, line: LineStart) -> Self {
        let start = if motions.hides_command { Place::lost() } else { line.place.clone() };
        let untrusted = motions.untrusted.or(line.untrusted);
        Self {
            vars,
            functions: sure_functions(script),
            // In a nested line, the line around it may have put anything into the environment.
            keyed: if line.nesting.is_top() && motions.knows("declare") {
                keyed(script)
            } else {
                HashMap::new()
            },
            motions,
            untrusted,
            in_function: false,
            place: start.clone(),
            start,
            in_pipe: false,
            in_fed: line.has_input,
            piped: None,
            // In a line within a line they would multiply.
            tries: if line.nesting.is_top() { MAX_TRIES } else { 0 },
            line,
            parts: Vec::new(),
        }
    }

    /// Keeps what a compound command itself does (redirections, expansions) as a part, if it is worth one.
    pub(super) fn record_part(&mut self, label: &str, finding: Finding) {
        if finding.why.is_some() || !finding.effects.is_empty() {
            let command_verdict = without_writes(&finding);
            let mut part = self.part(label.to_owned(), Vec::new(), finding, &[]);
            part.command_verdict = command_verdict;
            self.parts.push(part);
        }
    }

    pub(super) fn simple(&mut self, simple: &Simple) -> Exit {
        let mut finding = Finding::read_only();
        let piped = self.piped.take();
        let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, self.vars)).collect();
        simple.words.iter().for_each(|w| self.pieces(&w.pieces, &mut finding));
        let expands = finding.why.is_some();
        let assignments = self.assignments(simple, &words, &mut finding);
        let only_set = !expands && finding.why.is_some();
        let mut opened = Finding::read_only();
        let redirects = self.raw_redirects(&simple.redirects, &mut opened);
        let own = if words.is_empty() {
            Vec::new()
        } else {
            let (found, own) = self.judge_words(simple, &words, piped.as_ref(), finding.verdict);
            finding.merge_program(found, only_set);
            own
        };
        let command_verdict = finding.verdict.max(without_writes(&opened));
        let exit = self.exit(simple, &own);
        merge_opened(&mut finding, opened);
        let text = text_of(simple);
        let mut part = self.part(text, words, finding, &own);
        let declared: Vec<&str> = simple.declared.iter().map(|raw| raw.text.as_str()).collect();
        part.allow_forms = forms::allow_forms(&part.text, &assignments, &declared, &own);
        part.assignments = assignments;
        part.redirects = redirects;
        part.command_verdict = command_verdict;
        self.parts.push(part);
        exit
    }

    fn judge_words(
        &mut self,
        simple: &Simple,
        words: &[Word],
        piped: Option<&WordValue>,
        before: Verdict,
    ) -> (Finding, Vec<forms::CommandLayer>) {
        let functions: HashSet<String> =
            self.functions.iter().filter(|(_, at)| **at <= simple.at).map(|(n, _)| n.clone()).collect();
        let place = self.place.clone();
        let has_input = self.in_pipe || reads_input(&simple.redirects);
        if has_input && words.first().and_then(Word::literal) == Some("exec") {
            self.in_fed = true;
        }
        let context = Context {
            vars: self.vars,
            functions: &functions,
            in_function: self.in_function,
            nesting: self.line.nesting,
            place: &place,
            untrusted: self.untrusted,
            // What was found so far comes from its assignments and expansions.
            taints_shells: self.motions.taints_shells || before != Verdict::ReadOnly,
            has_input,
            may_have_input: has_input || self.in_fed || self.in_function,
            piped,
        };
        let (mut found, mut layers) = command::judge(words, context);
        if found.verdict == Verdict::Unknown
            && let Some(parts) = each_text(simple, context, &mut self.tries)
        {
            found = Finding::read_only();
            found.inner = parts;
        }
        if found.verdict == Verdict::ReadOnly
            && let Some(reads) = each_read(simple, context, &mut self.tries)
        {
            found.effects = reads;
        }
        self.parts.append(&mut found.inner);
        if !self.functions.is_empty() && words.iter().any(|w| w.literal() == Some("unset")) {
            found.mark_unknown("`unset` may remove a function");
        }
        if simple.timed {
            let wrapper =
                Some(crate::types::Wrapper { name: "time".to_owned(), harmless: true, runs_as: None });
            layers.insert(0, forms::CommandLayer { words: words.to_vec(), wrapper });
        }
        (found, layers)
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
        let declared =
            if command == Some("export") { AssignmentScope::Exported } else { AssignmentScope::Shell };
        for raw in &simple.declared {
            let before = finding.effects.len();
            self.assigned(raw, finding);
            env::judge(raw, declared, self.vars, finding);
            env::judge_array(raw, self.vars, finding);
            let doubts = finding.effects.iter().skip(before);
            if doubts.into_iter().any(|effect| matches!(effect, ShellEffect::Unknown { .. })) {
                finding.special_options.push(raw.name.clone());
            }
        }
        out
    }

    /// The expansions in an assignment.
    fn assigned(&mut self, raw: &crate::syntax::ast::RawAssignment, finding: &mut Finding) {
        if let Some(subscript) = &raw.subscript {
            self.subscript(&raw.name, subscript, raw.at, finding);
        }
        match &raw.value {
            AssignedValue::Word(word) => self.pieces(&word.pieces, finding),
            AssignedValue::Array(words) => words.iter().for_each(|w| self.pieces(&w.pieces, finding)),
        }
    }

    pub(super) fn raw_redirects(
        &mut self,
        raw: &[RawRedirect],
        finding: &mut Finding,
    ) -> Vec<crate::types::Redirect> {
        raw.iter()
            .map(|redirect| {
                self.pieces(&redirect.target.pieces, finding);
                redirects::judge(redirect, self.vars, finding)
            })
            .collect()
    }

    /// Walks the commands inside a word and checks what is evaluated on the way.
    pub(super) fn pieces(&mut self, pieces: &[Piece], finding: &mut Finding) {
        for piece in pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Param { param, .. } => {
                    self.subscript(&param.name, &param.subscript, param.at, finding);
                    self.arith(&param.offsets, param.at, finding);
                    self.pieces(&param.operands, finding);
                }
                Piece::Command { script, .. } | Piece::Process(script) => {
                    self.apart(|walker| walker.script(script));
                }
                Piece::Arith { pieces, at } => self.arith(pieces, *at, finding),
            }
        }
    }

    /// A subscript is arithmetic, unless the array has names for keys. Should it have lost these (`unset`), the name is that
    /// of a variable; so the line must put nothing into one of that name.
    fn subscript(&mut self, array: &str, pieces: &[Piece], at: usize, finding: &mut Finding) {
        let is_key = |piece: &Piece| match piece {
            Piece::Text { text, .. } => {
                text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !is_dangerous(text)
                    && !self.vars.assigns(text)
            }
            _ => false,
        };
        let declared = self.keyed.get(array).is_some_and(|from| *from < at);
        if !(declared && matches!(pieces, [one] if is_key(one))) {
            self.arith(pieces, at, finding);
        }
    }

    pub(super) fn arith(&mut self, pieces: &[Piece], at: usize, finding: &mut Finding) {
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
        part(&self.place, text, words, finding, layers)
    }

    /// What a command prints that `xargs -0` would read.
    pub(super) fn found_paths(&self, command: &Command) -> Option<WordValue> {
        let Command::Simple(simple) = command else { return None };
        let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, self.vars)).collect();
        let program = words.first()?.literal()?;
        let errors = simple.redirects.iter().all(|r| r.target.text == "/dev/null");
        let args = words.get(1..)?;
        match program {
            _ if !errors || !self.motions.knows(program) => None,
            "find" => find::printed(args),
            "git" if args.first()?.literal() == Some("ls-files") => find::tracked(args.get(1..)?),
            _ => None,
        }
    }

    /// Where the shell is after a command.
    fn exit(&self, simple: &Simple, layers: &[forms::CommandLayer]) -> Exit {
        let place = self.place.clone();
        let motion = self.motions.simple(simple, self.vars);
        let program = layers.last().filter(|l| l.wrapper.is_none()).map_or(&[][..], |l| l.words.as_slice());
        let name = program.first().and_then(Word::literal);
        let args = program.get(1..).unwrap_or(&[]);
        let bare = simple.redirects.is_empty() && layers.len() == 1 && !simple.timed;
        match motion {
            Motion::Stays if name == Some("exit") && bare && self.motions.knows("exit") => match args {
                [] => Exit::never(),
                [one] if one.literal().is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit())) => {
                    Exit::never()
                }
                _ => Exit::stays(place),
            },
            Motion::Stays => Exit::stays(place),
            Motion::Loses => Exit::stays(Place::lost()),
            Motion::Moves if name == Some("cd") && self.motions.knows("cd") => {
                Exit { success: Some(folder::cd(&place, args, self.untrusted)), failure: Some(place) }
            }
            Motion::Moves if place.lost => Exit::stays(Place::lost()),
            Motion::Moves => Exit::stays(Place::elsewhere()),
        }
    }
}

fn part(
    place: &Place,
    text: String,
    words: Vec<Word>,
    finding: Finding,
    layers: &[forms::CommandLayer],
) -> LinePart {
    let words =
        layers.last().map_or(words, |l| if l.wrapper.is_none() { l.words.clone() } else { Vec::new() });
    let mentions = super::mentions::of(words.get(1..).unwrap_or(&[]), &finding);
    let mentioned_patterns = super::mentions::patterns(words.get(1..).unwrap_or(&[]), &finding);
    let mut special_options = finding.special_options;
    special_options.sort_unstable();
    LinePart {
        deny_forms: forms::deny_forms(&text, layers),
        allow_forms: Vec::new(),
        text,
        words,
        mentions,
        mentioned_patterns,
        assignments: Vec::new(),
        redirects: Vec::new(),
        wrappers: layers.iter().filter_map(|l| l.wrapper.clone()).collect(),
        config_folder: finding
            .moves
            .iter()
            .fold(place.folder.clone(), |from, to| folder::by_kernel(&from, to.as_deref())),
        folder: place.folder.clone(),
        effects: finding.effects,
        special_options,
        dangers: finding.dangers,
        depends_on: finding.depends_on,
        verdict: finding.verdict,
        command_verdict: finding.verdict,
        why: finding.why,
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

/// What `declare -A name` at the top of the script declares.
fn keyed(script: &Script) -> HashMap<String, usize> {
    let mut keyed = HashMap::new();
    for (command, link) in script.commands.iter().zip(&script.links) {
        let Command::Simple(simple) = command else { continue };
        let texts: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let runs = link.condition == LinkCondition::Always && !link.background && simple.redirects.is_empty();
        if let (["declare", "-A", names @ ..], true, []) =
            (texts.as_slice(), runs, simple.assignments.as_slice())
        {
            keyed.extend(names.iter().map(|name| ((*name).to_owned(), simple.at)));
        }
    }
    keyed
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

/// What such a command reads, one after the other.
fn each_read(simple: &Simple, context: Context<'_>, tries: &mut usize) -> Option<Vec<ShellEffect>> {
    let (name, texts) = context.vars.one_of_few(&simple.words)?;
    *tries = tries.checked_sub(texts.len())?;
    let mut vars = context.vars.narrowed(&simple.words);
    let mut effects = Vec::new();
    for text in texts {
        vars.fix(name, text);
        let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, &vars)).collect();
        let (found, _) = command::judge(&words, context);
        if found.verdict != Verdict::ReadOnly || !found.inner.is_empty() {
            return None;
        }
        effects.extend(found.effects);
    }
    Some(effects)
}

/// The parts of a command that another one runs (`find -exec`).
pub(crate) fn inner_parts(words: &[Word], context: Context<'_>) -> Vec<LinePart> {
    let functions = HashSet::new();
    let (mut finding, layers) = command::judge(words, Context { functions: &functions, ..context });
    let mut parts = std::mem::take(&mut finding.inner);
    let mut part = part(context.place, forms::written(words), words.to_vec(), finding, &layers);
    part.allow_forms = forms::allow_forms(&part.text, &[], &[], &layers);
    parts.push(part);
    parts
}

/// Whether a redirection brings something in.
pub(super) fn reads_input(redirects: &[RawRedirect]) -> bool {
    redirects.iter().any(|r| matches!(r.op, RedirectOp::Read | RedirectOp::Text | RedirectOp::DuplicateIn))
}

/// Adds what redirections do. What the command itself may do stays the reason.
fn merge_opened(finding: &mut Finding, opened: Finding) {
    let own = finding.why.clone().filter(|_| finding.verdict == Verdict::Unknown);
    let also = opened.why.clone().filter(|_| opened.verdict == Verdict::Changes);
    finding.merge(opened);
    if let (Some(own), Some(also)) = (own, also) {
        let mut letters = also.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        finding.why = Some(format!("{own}, and {}", first.chain(letters).collect::<String>()));
    }
}

/// The verdict of redirections and expansions, with the files that they write left aside.
fn without_writes(finding: &Finding) -> Verdict {
    let harmless = |effect: &ShellEffect| {
        matches!(effect, ShellEffect::Read { .. } | ShellEffect::Look { .. } | ShellEffect::Write { .. })
    };
    if finding.effects.iter().all(harmless) { Verdict::ReadOnly } else { Verdict::Unknown }
}
