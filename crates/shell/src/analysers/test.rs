//! `test` and `[`.
//!
//! They compare and look at files; the one trap is `-v NAME` (and `-R`), which evaluates a subscript in the name and
//! with it any command there. So a word that is not known must never stand where it could be such a name: not after a
//! literal `-v`, and not beside another unknown word; nor where it could be the `-v` before a name with a subscript.

use crate::judge::finding::Finding;
use crate::types::{PathTarget, ShellEffect, Word};

/// Tests that take a file.
const FILE_TESTS: &[&str] = &[
    "-f", "-d", "-e", "-r", "-w", "-x", "-s", "-L", "-h", "-b", "-c", "-p", "-S", "-g", "-u", "-k", "-O",
    "-G", "-N",
];

pub(super) fn judge(name: &str, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let operands = match (name, args.split_last()) {
        ("[", Some((last, rest))) if last.literal() == Some("]") => rest,
        ("[", _) => return Finding::unknown("`[` has no `]`"),
        _ => args,
    };
    for (index, word) in operands.iter().enumerate() {
        let next = operands.get(index + 1);
        // Words that do not begin with a dash are no operators, however many they are.
        if word.is_many() && word.may_be_option() {
            finding.special_options.push(word.text.clone());
            finding.mark_unknown(format!("`{}` in a test could expand to several words", word.text));
        }
        if word.literal().is_none() && next.is_some_and(|n| n.literal().is_none_or(|text| text.contains('[')))
        {
            finding.special_options.push(word.text.clone());
            finding.mark_unknown(format!("`{}` could be a test operator", word.text));
        }
        if matches!(word.literal(), Some("-v" | "-R"))
            && next.is_some_and(|n| !n.literal().is_some_and(is_name))
        {
            finding.special_options.push(word.shown().to_owned());
            finding.mark_unknown(format!("`{name} -v` evaluates its argument"));
        }
        if word.literal().is_some_and(|t| FILE_TESTS.contains(&t)) {
            // It tells whether a file is there, so that a place that is not known is nothing that it reads.
            let path = next.map(Word::target).filter(|path| *path != PathTarget::Somewhere);
            finding.effects.extend(path.map(|path| ShellEffect::Look { path }));
        }
    }
    finding
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
