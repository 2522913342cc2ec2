//! `jq`: which words are files. No option of it writes or runs anything.

use crate::judge::finding::Finding;
use crate::types::{PathTarget, ShellEffect, Word};

pub(super) fn judge(args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let in_file =
        args.iter().filter_map(Word::literal).any(|t| t == "--from-file" || is_cluster_with(t, 'f'));
    let mut needs_filter = !in_file;
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.literal() {
            Some("--args" | "--jsonargs") => break,
            Some("--arg" | "--argjson") => rest = after.get(2..).unwrap_or(&[]),
            Some("--indent") => rest = after.get(1..).unwrap_or(&[]),
            Some("--slurpfile" | "--rawfile") => {
                finding.effects.extend(after.get(1).map(|w| ShellEffect::Read { path: w.target() }));
                rest = after.get(2..).unwrap_or(&[]);
            }
            Some("-L") => {
                finding.effects.extend(after.first().map(below));
                rest = after.get(1..).unwrap_or(&[]);
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {}
            _ if needs_filter && !word.is_many() => needs_filter = false,
            // Words that are not known may be the filter and the files.
            _ => finding.read(word.target()),
        }
    }
    finding
}

fn below(word: &Word) -> ShellEffect {
    let path = match word.target() {
        PathTarget::Path(path) => PathTarget::Below(path),
        other => other,
    };
    ShellEffect::Read { path }
}

/// `-rf`.
fn is_cluster_with(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}
