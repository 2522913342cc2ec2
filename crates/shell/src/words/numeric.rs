//! Commands whose output is one number and nothing else, whatever the files hold.
//!
//! Matters because arithmetic evaluates text: `$(( $(cat f) ))` runs what the file says, `$(( $(wc -l < f) ))` cannot.

use crate::syntax::ast::{Command, Piece, RawRedirect, RawWord, RedirectOp, Script, Simple};

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

/// True when the output is a single word that neither is empty in success nor begins with a dash or leads anywhere as a
/// path: hashes and dates. Names
/// of branches are not: `git branch` makes none that begins so, but a clone takes over what the other side has.
pub(super) fn prints_plain_word(script: &Script) -> bool {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return false };
    if !simple.redirects.iter().all(keeps_errors_out) {
        return false;
    }
    let words: Option<Vec<&str>> = simple.words.iter().map(plain).collect();
    match words.as_deref() {
        Some(["git", "merge-base", rest @ ..]) => rest.iter().all(|w| !w.starts_with('-')),
        Some(["git", "rev-parse", "HEAD"] | ["git", "rev-parse", "--short" | "--verify", "HEAD"]) => true,
        Some(["date", format]) => is_plain_date(format),
        _ => false,
    }
}

/// True when the output is a single word or nothing, even unquoted: git lets no name of a branch hold a blank or a
/// character of a pattern.
pub(super) fn prints_one_word(script: &Script) -> bool {
    let [Command::Simple(simple)] = script.commands.as_slice() else { return false };
    let words: Option<Vec<&str>> = simple.words.iter().map(plain).collect();
    simple.redirects.iter().all(keeps_errors_out)
        && matches!(
            words.as_deref(),
            Some(["git", "rev-parse", "--abbrev-ref", "HEAD"] | ["git", "branch", "--show-current"])
        )
}

/// A format of digits and what joins them. Others print blanks (`%c`, `%n`), a dash (`%z`) or what the locale says.
fn is_plain_date(format: &str) -> bool {
    let Some(rest) = format.strip_prefix("+%").filter(|rest| !rest.contains("..")) else { return false };
    rest.split('%').all(|part| {
        let mut chars = part.chars();
        chars.next().is_some_and(|c| "YmdHMSFTsNjGVuwyC".contains(c))
            && chars.all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
    })
}

/// With `2>&1` the output can be an error message, which quotes names of files.
fn keeps_errors_out(redirect: &RawRedirect) -> bool {
    match redirect.op {
        RedirectOp::Read | RedirectOp::Text => true,
        RedirectOp::Write => redirect.target.text == "/dev/null",
        RedirectOp::DuplicateOut | RedirectOp::DuplicateIn => false,
    }
}

fn simple_prints(simple: &Simple) -> bool {
    if !simple.redirects.iter().all(keeps_errors_out) {
        return false;
    }
    let words: Option<Vec<&str>> = simple.words.iter().map(plain).collect();
    let Some(words) = words else { return counts_file(simple) };
    match words.as_slice() {
        ["wc", flag] => matches!(*flag, "-l" | "-c" | "-w" | "-m"),
        // With several files it would print their names.
        ["grep", "-c", rest @ ..] => rest.len() <= 2 && rest.iter().all(|w| !w.starts_with('-')),
        ["nproc"] | ["date", "+%s" | "+%Y" | "+%N" | "+%s%N"] => true,
        ["git", "rev-list", "--count", rest @ ..] => rest.iter().all(|w| !w.starts_with('-')),
        ["stat", "-c", "%s" | "%Y", _] => true,
        _ => false,
    }
}

/// `stat -c %s "$f"`, where only the file is not known; it must be one word.
fn counts_file(simple: &Simple) -> bool {
    let words: Vec<Option<&str>> = simple.words.iter().map(plain).collect();
    matches!(words.as_slice(), [Some("stat"), Some("-c"), Some("%s" | "%Y"), None])
        && simple.words.last().is_some_and(is_quoted)
}

fn is_quoted(word: &RawWord) -> bool {
    word.pieces.iter().all(|piece| match piece {
        Piece::Text { quoted, .. } | Piece::Command { quoted, .. } => *quoted,
        Piece::Param { param, quoted } => *quoted && !param.all && param.name != "@",
        Piece::Process(_) | Piece::Arith { .. } => false,
    })
}

/// The text of a word that is one stretch of text and stands for itself: no pattern, no braces.
fn plain(word: &RawWord) -> Option<&str> {
    let own = |text: &str, quoted: bool| quoted || !text.contains(['*', '?', '[', '{', '~']);
    match word.pieces.as_slice() {
        [Piece::Text { text, quoted }] if own(text, *quoted) => Some(text),
        [Piece::Text { text: empty, .. }, Piece::Text { text, quoted }]
            if empty.is_empty() && own(text, *quoted) =>
        {
            Some(text)
        }
        _ => None,
    }
}
