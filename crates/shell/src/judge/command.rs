//! One simple command: wrappers off, then a function, an analyser or its table.

use std::collections::HashSet;

use super::finding::Finding;
use super::folder::{self, Place, Untrusted};
use super::forms::CommandLayer;
use super::line::{LineStart, Nesting};
use super::{danger, operands, options, special, wrappers};
use crate::analysers;
use crate::table::{self, CommandSpec};
use crate::types::{FolderConfig, ShellEffect, Verdict, Word, WordValue};
use crate::words::vars::Vars;

/// What surrounds the command.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub vars: &'a Vars,
    /// Functions that are surely defined when this command runs. Their bodies are parts of their own; their names are
    /// judged as commands too if the tables know them, since `command`, a path or a subshell can go past the function.
    pub functions: &'a HashSet<String>,
    pub in_function: bool,
    pub nesting: Nesting,
    /// Where it runs.
    pub place: &'a Place,
    pub untrusted: Untrusted,
    /// A shell that it starts may not be what it seems.
    pub taints_shells: bool,
    /// Something is piped or redirected into it.
    pub has_input: bool,
    /// Something may be: into it, or into what it stands in.
    pub may_have_input: bool,
    /// What `xargs -0` would read from the command before it.
    pub piped: Option<&'a WordValue>,
}

impl Context<'_> {
    /// The start of a line that runs in the same shell.
    pub(crate) fn same_shell(&self, nesting: Nesting) -> LineStart {
        let has_input = self.may_have_input;
        LineStart { nesting, place: self.place.clone(), untrusted: self.untrusted, has_input }
    }

    /// The start of a line that a shell of its own runs. A login shell reads files that may set `CDPATH`.
    pub(crate) fn new_shell(&self, nesting: Nesting, login: bool) -> LineStart {
        let place = match self.taints_shells || self.place.lost {
            true => Place::lost(),
            false => Place::start(self.place.folder.clone()),
        };
        let untrusted = self.untrusted.or(Untrusted { cdpath: login, ..Untrusted::default() });
        LineStart { nesting, place, untrusted, has_input: self.may_have_input }
    }
}

/// The most wrappers around one command.
const MAX_WRAPPERS: usize = 8;

/// Folders whose programs are the system's own.
const SYSTEM_FOLDERS: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];

/// Programs that a project brings along, and which they stand for.
const WRAPPED: &[(&str, &str)] = &[("gradlew", "gradle"), ("mvnw", "mvn")];

/// Judges a command by its words; also gives its layers, outermost first.
pub(crate) fn judge(words: &[Word], context: Context<'_>) -> (Finding, Vec<CommandLayer>) {
    let mut finding = Finding::read_only();
    let mut layers = Vec::new();
    let mut words = words.to_vec();
    let mut only_set = true;
    for depth in 0..=MAX_WRAPPERS {
        let Some(program) = program(&words, &mut finding) else {
            layers.push(CommandLayer { words, wrapper: None });
            return (finding, layers);
        };
        let args = words.get(1..).unwrap_or(&[]);
        let outermost = depth == 0;
        let is_function = outermost
            && words.first().and_then(Word::literal) == Some(&program)
            && context.functions.contains(&program);
        if is_function && table::command(&program).is_none() {
            if context.in_function {
                finding.mark_unknown(format!("The function `{program}` is called by another function"));
            }
            layers.push(CommandLayer { words, wrapper: None });
            return (finding, layers);
        }
        match table::command(&program) {
            Some(spec) if spec.wraps => {
                let peeled = wrappers::peel(&program, spec, args, context.piped);
                only_set &= peeled.finding.verdict == Verdict::ReadOnly || peeled.wrapper.name == "env";
                finding.merge(peeled.finding);
                // `command f` and `builtin f` skip functions, `env f` cannot see them: the inner name is the program's.
                layers.push(CommandLayer { words, wrapper: Some(peeled.wrapper) });
                if peeled.inner.is_empty() {
                    return (finding, layers);
                }
                words = peeled.inner;
            }
            spec => {
                let place = moved(context.place, &finding.moves);
                // A wrapper that is not harmless may set anything.
                let taints_shells = context.taints_shells || finding.verdict != Verdict::ReadOnly;
                // What xargs runs has no input.
                let fed = !layers.iter().any(CommandLayer::is_xargs);
                let has_input = context.has_input && fed;
                let may_have_input = context.may_have_input && fed;
                let context = Context { place: &place, taints_shells, has_input, may_have_input, ..context };
                let mut found = by_table(&program, spec, args, context);
                let mut moves = [finding.moves.as_slice(), found.moves.as_slice()].concat();
                if !moves.is_empty() && words.iter().any(Word::names_shell_folder) {
                    if moves.len() > 1 {
                        (finding.moves, found.moves) = (vec![None], Vec::new());
                    }
                    moves = vec![None];
                }
                for target in std::mem::take(&mut found.unless_piped).into_iter().filter(|_| !has_input) {
                    found.read(target);
                }
                found.relocate(&moves);
                finding.dangers.extend(danger::of(&program, args, found.verdict));
                finding.merge_program(found, only_set);
                layers.push(CommandLayer { words, wrapper: None });
                return (finding, layers);
            }
        }
    }
    finding.mark_unknown("The command is nested in too many wrappers");
    (finding, layers)
}

/// The place of a program that wrappers (`env -C`) start elsewhere.
fn moved(place: &Place, moves: &[Option<String>]) -> Place {
    let folder = moves.iter().fold(place.folder.clone(), |from, to| folder::by_kernel(&from, to.as_deref()));
    if moves.is_empty() { place.clone() } else { Place { folder, lost: place.lost, ..Place::elsewhere() } }
}

/// The program's name without a system folder; `None` (with a doubt) if it cannot be known.
fn program(words: &[Word], finding: &mut Finding) -> Option<String> {
    let first = words.first()?;
    let Some(name) = first.literal() else {
        finding.mark_unknown(format!("The program `{}` is unknown until it runs", first.text));
        return None;
    };
    let bare = SYSTEM_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    if bare.contains('/') || bare.is_empty() {
        finding.effects.push(ShellEffect::Run { program: name.to_owned() });
        finding.mark_unknown(format!("`{name}` is not a known program"));
        // A rule for somebody's own program is for all of its options. Walls see where it is told to write.
        let mut found = Finding::read_only();
        let args = words.get(1..).unwrap_or(&[]);
        let wrapped = WRAPPED.iter().find(|(wrapper, _)| name.rsplit('/').next() == Some(wrapper));
        let spec = wrapped.and_then(|(_, program)| table::command(program));
        let scan = options::scan(name, spec.unwrap_or(CommandSpec::of_stranger()), args, &mut found);
        operands::rewritten(&scan, args, &mut found);
        finding.effects.extend(found.effects);
        finding.special_options.extend(found.special_options.into_iter().filter(|_| spec.is_some()));
        return None;
    }
    Some(bare.to_owned())
}

fn by_table(program: &str, spec: Option<&CommandSpec>, args: &[Word], context: Context<'_>) -> Finding {
    let Some(spec) = spec else {
        let mut finding = Finding::unknown(format!("`{program}` is not a known program"));
        finding.effects.push(ShellEffect::Run { program: program.to_owned() });
        let scan = options::scan(program, CommandSpec::of_stranger(), args, &mut finding);
        operands::rewritten(&scan, args, &mut finding);
        return finding;
    };
    by_spec(program, spec, args, context)
}

/// `cargo rustc -- -o f`: options of another command.
fn handed_over(spec: &CommandSpec, args: &[Word], finding: &mut Finding) {
    let Some((name, to)) = spec.hands_to.as_deref().and_then(|to| Some((to, table::command(to)?))) else {
        return;
    };
    let dashes = args.iter().position(|word| word.literal() == Some("--"));
    let given = dashes.and_then(|at| args.get(at + 1..)).unwrap_or(&[]);
    options::scan(name, to, given, finding);
}

/// Judges by a table; goes down into sub-commands.
pub(crate) fn by_spec(name: &str, spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    let mut finding = Finding::read_only();
    finding.depends_on.extend(&spec.depends);
    if let [only] = args
        && only.literal().is_some_and(|text| spec.informs.iter().any(|i| i == text))
    {
        // To say its version it reads no makefile.
        finding.depends_on.retain(|config| *config != FolderConfig::Make);
        return finding;
    }
    if let Some(analyser) = &spec.analyser {
        let mut found = analysers::run(analyser, name, spec, args, context);
        found.depends_on.extend(&spec.depends);
        special::words(name, spec, args, &mut found);
        return found;
    }
    special::words(name, spec, args, &mut finding);
    let scan = options::scan(name, spec, args, &mut finding);
    special::programs(spec, &scan, &mut finding);
    handed_over(spec, args, &mut finding);
    let Some(index) = scan.first_operand.filter(|_| !spec.sub.is_empty()) else {
        special::input(name, spec, &scan, context, &mut finding);
        operands::conclude(name, spec, &scan, &mut finding);
        return finding;
    };
    let sub = args.get(index).and_then(Word::literal);
    match sub.and_then(|s| spec.sub.get(s).map(|spec| (s, spec))) {
        Some((sub_name, sub)) => {
            let inner =
                by_spec(&format!("{name} {sub_name}"), sub, args.get(index + 1..).unwrap_or(&[]), context);
            finding.merge(inner);
        }
        None => {
            finding.mark_unknown(format!(
                "`{name} {}` is not a known command",
                args.get(index).map_or("", |w| w.text.as_str())
            ));
            options::scan(name, &spec.of_unlisted_sub(), args.get(index + 1..).unwrap_or(&[]), &mut finding);
            operands::configuration(name, &spec.writes_config, &mut finding);
        }
    }
    finding
}
