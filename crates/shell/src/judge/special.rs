//! Words that make a command run something although they are no options: programs in its own language, files with
//! options, variables of make, and what comes in through its input.

use super::command::Context;
use super::finding::Finding;
use super::options::OptionScan;
use crate::table::CommandSpec;
use crate::types::{ShellEffect, Word};
use crate::words::vars::is_dangerous;

/// Notes such words.
pub(super) fn words(name: &str, spec: &CommandSpec, args: &[Word], finding: &mut Finding) {
    refused_texts(name, spec, args, finding);
    if spec.response_files {
        args.iter().for_each(|word| response_file(name, word, finding));
    }
    let variables = args.iter().skip(match (spec.make_variables, spec.make_after_dashes) {
        (true, _) => 0,
        (false, true) => args.iter().position(|w| w.literal() == Some("--")).unwrap_or(args.len()),
        (false, false) => args.len(),
    });
    for variable in variables.filter_map(make_variable) {
        finding.effects.push(ShellEffect::Run { program: variable.clone() });
        finding.mark_unknown(format!("Setting `{variable}` can make `{name}` run another program"));
        finding.special_options.push(variable);
    }
}

fn refused_texts(name: &str, spec: &CommandSpec, args: &[Word], finding: &mut Finding) {
    for word in args {
        let listed = spec.refuse_text.iter().find(|entry| holds(entry, word.beginning()));
        // An option is listed where options are.
        let is_option = listed.is_some_and(|entry| entry.starts_with("--"));
        let dotted = || word.literal().and_then(|text| dot_command(spec, text));
        let Some(text) = listed.map(|entry| shown(entry)).or_else(dotted) else { continue };
        finding.effects.push(ShellEffect::Run { program: text.clone() });
        finding.mark_unknown(format!("`{text}` can make `{name}` run programs or open other files"));
        if !is_option {
            finding.special_options.push(text);
        }
    }
}

/// An entry of a table as a rule would name it.
fn shown(entry: &str) -> String {
    let first = entry.split('&').next().unwrap_or(entry);
    first.trim_start_matches('^').trim_end_matches('*').to_owned()
}

/// Whether a text holds an entry: `a&b` both, `^a` at the beginning of a statement, `a*` also as the beginning of a word.
/// Entries without capitals are found in any case, since most languages do not tell them apart.
fn holds(entry: &str, text: &str) -> bool {
    if entry.bytes().any(|b| b.is_ascii_uppercase()) {
        return text.contains(entry);
    }
    let text = text.to_lowercase();
    entry.split('&').all(|one| match one.strip_prefix('^') {
        Some(word) => text.split([';', '\n']).any(|statement| finds(word, statement.trim_start()) == Some(0)),
        None => finds(one, &text).is_some(),
    })
}

/// Where a text holds this, as a word if it is one.
fn finds(entry: &str, text: &str) -> Option<usize> {
    let (entry, open) = entry.strip_suffix('*').map_or((entry, false), |begin| (begin, true));
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let starts = is_word(entry.chars().next());
    let ends = is_word(entry.chars().next_back()) && !open;
    text.match_indices(entry).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|t| t.chars().next_back());
        let after = text.get(at + entry.len()..).and_then(|t| t.chars().next());
        !(starts && is_word(before) || ends && is_word(after))
    })
}

/// A command of the client itself that is not listed as harmless. It may be abbreviated.
fn dot_command(spec: &CommandSpec, text: &str) -> Option<String> {
    /// With so many letters, no command that is listed can be mistaken for another.
    const CLEAR: usize = 4;
    let rest = text.trim_start().strip_prefix('.').filter(|_| !spec.dot_commands.is_empty())?;
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let is = |listed: &String| *listed == name || name.len() >= CLEAR && listed.starts_with(name.as_str());
    (!spec.dot_commands.iter().any(is)).then(|| format!(".{name}"))
}

/// `@file`: more options, which only the file tells.
fn response_file(name: &str, word: &Word, finding: &mut Finding) {
    let begin = word.beginning();
    if begin.starts_with('@') || word.literal().is_none() && begin.is_empty() {
        let file = word.literal().and_then(|text| text.strip_prefix('@'));
        file.iter().for_each(|file| finding.read(Word::known(file).target()));
        finding.special_options.push(word.text.clone());
        finding.mark_unknown(format!("`{}` may be a file with options of `{name}`", word.text));
    }
}

/// A variable that is set for make such that make runs something: `SHELL=x`, `A!=x`, `A=$(shell x)`, `CC=./x`. What is
/// set there is also in the environment of what make runs.
fn make_variable(word: &Word) -> Option<String> {
    let (name, value) = word.beginning().split_once('=').filter(|(name, _)| !name.starts_with('-'))?;
    let bare = name.trim_end_matches([':', '?', '+', '!', ' ']);
    let runs = name.contains('!') || bare.contains(['$', '(']);
    let decides = bare.contains("SHELL") || bare.starts_with("MAKE");
    let open = word.literal().is_none() || value.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n']);
    let exported = is_dangerous(bare) && !OF_MAKE.contains(&bare);
    (runs || decides || open || exported || names_program(bare, value)).then(|| bare.to_owned())
}

/// Variables that are meant for make. A name without a folder in one of them is a program of the system.
const OF_MAKE: &[&str] = &["AR", "AS", "CC", "CFLAGS", "CPP", "CXX", "LD", "MFLAGS", "PREFIX"];

/// Whether a path in a variable may be a program, or an option that loads one: unless the variable is called like one
/// for a folder or a file.
fn names_program(name: &str, value: &str) -> bool {
    const PLACES: &[&str] = &[
        "DIR", "DIRS", "FILE", "FILES", "FOLDER", "HOME", "LOG", "O", "OUT", "OUTPUT", "PATH", "PREFIX",
        "ROOT", "SRC", "TARGET", "TARGETS", "TEST", "TESTS", "URL",
    ];
    let name = name.to_uppercase();
    let is_place = PLACES.iter().any(|place| match place.len() {
        1 => name == *place,
        _ => name.ends_with(place),
    });
    !is_place && value.contains('/') && !value.contains("://")
}

/// `make -f -`: what it runs comes in through its input. Other names of that lead out of the folder, which must be named
/// anyway.
pub(super) fn programs(spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let is_program = |flag: &str, value: &Word| spec.program_in(flag) && value.literal() == Some("-");
    let given = scan.values.iter().filter(|(flag, value)| is_program(flag, value));
    let given = given.flat_map(|(flag, _)| [flag.clone(), INPUT.to_owned()]);
    finding.special_options.extend(given);
}

/// Stands among the options that a rule must name for a program that comes in through the input. No rule can name that.
pub(crate) const INPUT: &str = "<";

/// Notes that the command runs what comes in through its input, as it would run a program in an option, or a program that
/// is not known.
pub(crate) fn input(
    name: &str,
    spec: &CommandSpec,
    scan: &OptionScan<'_>,
    context: Context<'_>,
    finding: &mut Finding,
) {
    let Some(before) = spec.runs_input else { return };
    // A program in an option of which nothing is known may be any.
    let programs = scan.values.iter().filter(|(flag, _)| spec.closed_language() && spec.input_unless(flag));
    let unknown = programs.filter(|(_, value)| value.literal().is_none() && value.beginning().is_empty());
    finding.special_options.extend(unknown.map(|(_, value)| value.text.clone()));
    if scan.flags.iter().any(|flag| spec.input_unless(flag)) {
        return;
    }
    let mut given = scan.operands.iter().take(before.saturating_add(1));
    let stream = given.find(|word| is_input(word));
    let reads_input = scan.operands.len() <= before && context.may_have_input;
    match stream {
        Some(word) => {
            let comes_in = context.may_have_input.then(|| INPUT.to_owned());
            finding.special_options.extend([word.text.clone()].into_iter().chain(comes_in));
        }
        None if reads_input => finding.special_options.push(INPUT.to_owned()),
        None => return,
    }
    finding.effects.push(ShellEffect::Run { program: name.to_owned() });
    finding.mark_unknown(format!("`{name}` runs what comes in through its input"));
}

/// Standard input, or what another command prints.
pub(crate) fn is_input(word: &Word) -> bool {
    let text = word.beginning();
    matches!(text, "-" | "/dev/stdin") || text.starts_with("/dev/fd/") || text.starts_with("/proc/self/fd/")
}
