//! Words of a command that may be paths, although no table says so: what a program does with its words is known only for
//! some, and any of them may open a file that a word names.

use std::collections::BTreeSet;

use super::finding::Finding;
use crate::types::{PathTarget, ShellEffect, Verdict, Word};

/// The kernel opens no longer path. How many words there are is bounded where the line is read: what is left out here
/// would pass a wall unseen.
const MAX_LENGTH: usize = 4096;

/// The paths that the arguments of a command may name, beside those that it is known to read or write. None for a command
/// that only reads: all that it reads is known.
pub(super) fn of(args: &[Word], finding: &Finding) -> Vec<String> {
    if finding.verdict == Verdict::ReadOnly {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    for text in args.iter().filter_map(Word::literal) {
        // In a sentence a name is only mentioned.
        match text.contains(char::is_whitespace) {
            true => _ = found.insert(text.split_once('=').map_or(text, |(_, value)| value)),
            false => found.extend(pieces(text)),
        }
    }
    let known: BTreeSet<&str> = finding.effects.iter().filter_map(named).collect();
    let is_path = |text: &&str| {
        !text.is_empty() && text.len() < MAX_LENGTH && !text.starts_with('-') && !known.contains(text)
    };
    found.into_iter().filter(is_path).map(str::to_owned).collect()
}

/// The patterns among the arguments, which the shell replaces by the names of files that they match.
pub(super) fn patterns(args: &[Word], finding: &Finding) -> Vec<String> {
    if finding.verdict == Verdict::ReadOnly {
        return Vec::new();
    }
    let found: BTreeSet<String> = args.iter().filter(|word| word.is_many()).filter_map(pattern).collect();
    found.into_iter().collect()
}

/// The pattern in a word, as the shell sees it: where quotes and variables stand before it, at least its last name.
fn pattern(word: &Word) -> Option<String> {
    let is_plain = |text: &str| !text.contains(['\'', '"', '\\', '$', '`', '{', '(']);
    let is_pattern = |text: &str| text.len() < MAX_LENGTH && text.contains(['*', '?', '[']);
    if !is_pattern(&word.text) {
        return None;
    }
    if is_plain(&word.text) {
        return Some(word.text.clone());
    }
    let begin = word.beginning();
    let last = word.text.rsplit('/').next().filter(|last| is_plain(last) && is_pattern(last));
    match (last, begin) {
        (Some(last), begin) if begin.contains('/') => {
            let folder = begin.rsplit_once('/').map_or("", |(folder, _)| folder);
            Some(format!("{folder}/{last}"))
        }
        (Some(last), _) => Some(last.to_owned()),
        (None, "") => None,
        (None, begin) => Some(format!("{begin}*")),
    }
}

/// A word, what stands behind signs in it (`a=b`, `@f`, `{a,b}`, `id=x,src=f`), and what is joined to a short option.
fn pieces(text: &str) -> Vec<&str> {
    let is_sign = |c: char| "=,@<>{};:|".contains(c);
    let joined =
        text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).into_iter().flat_map(|letters| {
            let behind = letters.char_indices().skip(1).take(3);
            behind.filter_map(|(at, _)| letters.get(at..)).collect::<Vec<_>>()
        });
    let split = text.split(is_sign).flat_map(|piece| {
        let quoted = piece.trim_matches(['"', '\'']);
        [piece, quoted]
    });
    let behind_equals = text.split_once('=').map(|(_, value)| value);
    [text].into_iter().chain(split).chain(joined).chain(behind_equals).collect()
}

fn named(effect: &ShellEffect) -> Option<&str> {
    match effect {
        ShellEffect::Read { path } | ShellEffect::Look { path } | ShellEffect::Write { path } => match path {
            PathTarget::Path(path) | PathTarget::Tree(path) | PathTarget::Below(path) => Some(path),
            PathTarget::Begins(_) | PathTarget::Tracked(_) | PathTarget::Somewhere => None,
        },
        _ => None,
    }
}
