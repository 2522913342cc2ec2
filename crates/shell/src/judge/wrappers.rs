//! Commands that run another command: `env`, `timeout`, `nice`, `xargs`, `sudo`…

use super::env::names_harmless;
use super::finding::Finding;
use super::options;
use crate::table::CommandSpec;
use crate::types::{Word, WordValue, Wrapper};

/// A wrapper taken off.
pub(super) struct PeeledWrapper {
    pub wrapper: Wrapper,
    /// The inner command; empty when the wrapper was given none.
    pub inner: Vec<Word>,
    pub finding: Finding,
}

/// Takes the wrapper off, if the command is one.
pub(super) fn peel(name: &str, spec: &CommandSpec, args: &[Word]) -> PeeledWrapper {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let mut start = scan.first_operand.unwrap_or(args.len());
    let mut wrapper = Wrapper { name: name.to_owned(), harmless: spec.safe };
    if name == "env" {
        start += assignments(args.get(start..).unwrap_or(&[]), &mut wrapper, &mut finding);
    }
    let operands = args.get(start..).unwrap_or(&[]);
    if operands.iter().take(spec.skip).any(Word::is_many) {
        finding.mark_unknown(format!("The command that `{name}` runs is unknown until it runs"));
    }
    let mut inner: Vec<Word> = operands.iter().skip(spec.skip).cloned().collect();
    if name == "xargs" {
        xargs(&scan, &mut inner, &mut finding);
    }
    let looks_only = name == "command" && scan.flags.iter().any(|f| f == "-v" || f == "-V");
    if looks_only {
        inner.clear();
    }
    if !matches!(spec.does, crate::table::CommandEffect::Reads) {
        options::conclude(name, spec, &options::OptionScan::default(), &mut finding);
    }
    PeeledWrapper { wrapper, inner, finding }
}

/// `env A=b C=d cmd`: how many words are assignments.
fn assignments(args: &[Word], wrapper: &mut Wrapper, finding: &mut Finding) -> usize {
    let mut count = 0;
    for word in args {
        match (&word.value, word.literal().and_then(|t| t.split_once('='))) {
            (_, Some((name, text))) => {
                if !names_harmless(name, text) {
                    wrapper.harmless = false;
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
fn xargs(scan: &options::OptionScan<'_>, inner: &mut Vec<Word>, finding: &mut Finding) {
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
        Some(marker) if !marker.is_empty() => inner.iter_mut().for_each(|w| replace(w, marker)),
        _ => inner.push(Word {
            text: "…".to_owned(),
            value: WordValue::Many { prefix: String::new(), plain: false },
        }),
    }
}

fn replace(word: &mut Word, marker: &str) {
    if let WordValue::Literal(text) = &word.value
        && let Some((before, _)) = text.split_once(marker)
    {
        word.value = WordValue::One {
            prefix: before.to_owned(),
            plain: !before.is_empty() && !before.starts_with('-'),
        };
    }
}
