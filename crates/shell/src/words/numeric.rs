//! Commands whose output is one number and nothing else, whatever the files hold.
//!
//! Matters because arithmetic evaluates text: `$(( $(cat f) ))` runs what the file says, `$(( $(wc -l < f) ))` cannot.

use crate::syntax::ast::{Command, Piece, RawWord, Script, Simple};

/// True when the output of the script is a plain number.
pub(super) fn prints_number(script: &Script) -> bool {
    match script.commands.as_slice() {
        [Command::Simple(simple)] => simple_prints(simple),
        [Command::Pipeline(stages)] => {
            matches!(stages.last(), Some(Command::Simple(simple)) if simple_prints(simple))
        }
        _ => false,
    }
}

/// True when the output is a single word that neither is empty in success nor begins with a dash: hashes and names of
/// branches, which git does not let begin so.
pub(super) fn prints_plain_word(script: &Script) -> bool {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return false };
    let words: Option<Vec<&str>> = simple.words.iter().map(plain).collect();
    match words.as_deref() {
        Some(["git", "merge-base", rest @ ..]) => rest.iter().all(|w| !w.starts_with('-')),
        Some(
            ["git", "rev-parse", "HEAD"]
            | ["git", "rev-parse", "--short" | "--abbrev-ref" | "--verify", "HEAD"],
        ) => true,
        Some(["git", "branch", "--show-current"]) => true,
        Some(["date", format]) => {
            format.starts_with("+%") && !format.contains([' ', '-']) || *format == "+%F"
        }
        _ => false,
    }
}

fn simple_prints(simple: &Simple) -> bool {
    let words: Option<Vec<&str>> = simple.words.iter().map(plain).collect();
    let Some(words) = words else { return counts_file(simple) };
    match words.as_slice() {
        ["wc", flag] => matches!(*flag, "-l" | "-c" | "-w" | "-m"),
        ["grep", flags] | ["grep", flags, _] => *flags == "-c",
        ["nproc"] | ["date", "+%s" | "+%Y" | "+%N" | "+%s%N"] => true,
        ["git", "rev-list", "--count", rest @ ..] => rest.iter().all(|w| !w.starts_with('-')),
        ["stat", "-c", "%s" | "%Y", _] => true,
        _ => false,
    }
}

/// `stat -c %s "$f"`, where only the file is not known.
fn counts_file(simple: &Simple) -> bool {
    let words: Vec<Option<&str>> = simple.words.iter().map(plain).collect();
    matches!(words.as_slice(), [Some("stat"), Some("-c"), Some("%s" | "%Y"), None])
}

/// The text of a word that is one stretch of text.
fn plain(word: &RawWord) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Text { text, .. }] => Some(text),
        [Piece::Text { text: empty, .. }, Piece::Text { text, .. }] if empty.is_empty() => Some(text),
        _ => None,
    }
}
