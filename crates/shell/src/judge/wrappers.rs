//! Commands that run another command: `env`, `timeout`, `nice`, `xargs`, `sudo`…

use super::env::names_harmless;
use super::finding::Finding;
use super::{operands, options};
use crate::table::{self, CommandSpec};
use crate::types::{RunsAs, Word, WordValue, Wrapper};
use crate::words::vars::{is_dangerous, matches_name};

/// A wrapper taken off.
pub(super) struct PeeledWrapper {
    pub wrapper: Wrapper,
    /// The inner command; empty when the wrapper was given none.
    pub inner: Vec<Word>,
    pub finding: Finding,
}

/// Takes the wrapper off, if the command is one.
pub(super) fn peel(
    name: &str,
    spec: &CommandSpec,
    args: &[Word],
    piped: Option<&WordValue>,
) -> PeeledWrapper {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let mut start = scan.first_operand.unwrap_or(args.len());
    let mut wrapper = Wrapper { name: name.to_owned(), harmless: spec.safe, runs_as: runs_as(spec, &scan) };
    if name == "env" {
        removals(&scan, &mut finding);
        start += assignments(args.get(start..).unwrap_or(&[]), &mut wrapper, &mut finding);
        cleared(&scan, args.get(start), &mut finding);
        // A rule for the inner command says nothing about these.
        wrapper.harmless &= finding.special_options.is_empty();
    }
    let operands = args.get(start..).unwrap_or(&[]);
    if operands.iter().take(spec.skip).any(Word::is_many) {
        finding.mark_unknown(format!("The command that `{name}` runs is unknown until it runs"));
    }
    let mut inner: Vec<Word> = operands.iter().skip(spec.skip).cloned().collect();
    if name == "xargs" {
        let words = piped.filter(|_| reads_nul(&scan)).cloned();
        xargs(&scan, words, &mut inner, &mut finding);
    }
    let looks_only = name == "command" && scan.flags.iter().any(|f| f == "-v" || f == "-V");
    if looks_only {
        inner.clear();
    }
    if !matches!(spec.does, crate::table::CommandEffect::Reads) {
        operands::conclude(name, spec, &options::OptionScan::default(), &mut finding);
    }
    PeeledWrapper { wrapper, inner, finding }
}

/// As whom it runs the command, if not as the person.
fn runs_as(spec: &CommandSpec, scan: &options::OptionScan<'_>) -> Option<RunsAs> {
    let named = scan.values.iter().rfind(|(flag, _)| spec.names_user(flag)).map(|(_, user)| user.literal());
    spec.changes_user().then_some(match named {
        None | Some(Some("root" | "#0")) => RunsAs::Root,
        Some(_) => RunsAs::Other,
    })
}

/// `env -u NAME`: harmless for names that change nothing when they are gone.
fn removals(scan: &options::OptionScan<'_>, finding: &mut Finding) {
    for (flag, word) in scan.values.iter().filter(|(flag, _)| matches!(flag.as_str(), "-u" | "--unset")) {
        let removable = |name: &str| {
            !is_dangerous(name)
                || table::variables().removable.iter().any(|pattern| matches_name(pattern, name))
        };
        if !word.literal().is_some_and(removable) {
            finding.special_options.push(flag.clone());
            finding.mark_unknown(format!("Unsetting `{}` can change what commands do", word.shown()));
        }
    }
}

/// `env -i`: harmless before a program that takes nothing from its folder. Others may lose what keeps them quiet, as git
/// does.
fn cleared(scan: &options::OptionScan<'_>, program: Option<&Word>, finding: &mut Finding) {
    let flag = scan.flags.iter().find(|f| matches!(f.as_str(), "-i" | "--ignore-environment"));
    let (Some(flag), Some(program)) = (flag, program) else { return };
    let spec = program.literal().and_then(table::command);
    let indifferent = spec.is_some_and(|spec| {
        let runs_others = spec.wraps || matches!(spec.analyser.as_deref(), Some("shell" | "eval" | "find"));
        spec.does == table::CommandEffect::Reads && spec.depends.is_empty() && !runs_others
    });
    if !indifferent {
        finding.special_options.push(flag.clone());
        finding.mark_unknown(format!("`env {flag}` can change what `{}` does", program.shown()));
    }
}

/// `env A=b C=d cmd`: how many words are assignments.
fn assignments(args: &[Word], wrapper: &mut Wrapper, finding: &mut Finding) -> usize {
    let mut count = 0;
    for word in args {
        match (&word.value, word.literal().and_then(|t| t.split_once('='))) {
            (_, Some((name, text))) => {
                let harmless = names_harmless(name, text);
                wrapper.harmless &= harmless;
                // To what only reads, other variables mean nothing; the verdict of the inner command says whether it does.
                if !harmless && is_dangerous(name) {
                    finding.mark_unknown(format!("Setting `{name}` can change what commands do"));
                }
                count += 1;
            }
            // `A=$x`: an assignment to something that is not known.
            (WordValue::One { prefix, .. } | WordValue::Many { prefix, .. }, _)
                if prefix.contains('=') || prefix.is_empty() =>
            {
                finding.mark_unknown(format!("`{}` can change what commands do", word.text));
                count += 1;
            }
            _ => break,
        }
    }
    count
}

/// What xargs adds to its command: words from its input, at the end or in place of a marker.
fn xargs(
    scan: &options::OptionScan<'_>,
    words: Option<WordValue>,
    inner: &mut Vec<Word>,
    finding: &mut Finding,
) {
    let words = words.unwrap_or(WordValue::Many { prefix: String::new(), plain: false, contained: false });
    if inner.is_empty() {
        inner.push(Word::known("echo"));
    }
    let replaces = |flag: &str| matches!(flag, "-I" | "-i" | "--replace");
    let given = scan.values.iter().find(|(flag, _)| replaces(flag)).map(|(_, word)| word);
    let count = scan.flags.iter().filter(|f| replaces(f)).count();
    if count > 1 || given.is_some_and(|w| w.literal().is_none()) {
        finding.mark_unknown("The words that `xargs` replaces are unknown until it runs");
    }
    let marker = given.and_then(Word::literal);
    match marker.or_else(|| (count > 0).then_some("{}")) {
        Some(marker) if !marker.is_empty() => inner.iter_mut().for_each(|w| replace(w, marker, &words)),
        _ => inner.push(Word { text: "…".to_owned(), value: words }),
    }
}

/// Does it take its words as they were printed, each ended by NUL?
fn reads_nul(scan: &options::OptionScan<'_>) -> bool {
    scan.flags.iter().any(|f| matches!(f.as_str(), "-0" | "--null"))
        && !scan.flags.iter().any(|f| matches!(f.as_str(), "-d" | "--delimiter" | "-a" | "--arg-file"))
}

fn replace(word: &mut Word, marker: &str, found: &WordValue) {
    if let WordValue::Literal(text) = &word.value
        && text == marker
        && let WordValue::Many { prefix, plain, contained } = found
    {
        word.value = WordValue::One { prefix: prefix.clone(), plain: *plain, contained: *contained };
        return;
    }
    if let WordValue::Literal(text) = &word.value
        && let Some((before, _)) = text.split_once(marker)
    {
        word.value = WordValue::One {
            prefix: before.to_owned(),
            plain: !before.is_empty() && !before.starts_with('-'),
            contained: false,
        };
    }
}
