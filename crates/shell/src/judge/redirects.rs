//! Redirections: which ones open a file for writing.

use super::finding::Finding;
use crate::syntax::ast::{Piece, RawRedirect, RedirectOp};
use crate::types::{Redirect, ShellEffect, Word, WordValue};
use crate::words::value;
use crate::words::vars::Vars;

/// Files that keep nothing. `/dev/tty` is not here: what is written there reaches the person's terminal.
const SINKS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"];

/// Judges one redirection.
pub(super) fn judge(raw: &RawRedirect, vars: &Vars, finding: &mut Finding) -> Redirect {
    let before = finding.effects.len();
    let pipe = matches!(raw.target.pieces.as_slice(), [Piece::Process(_)]);
    let words = value::resolve(&raw.target, vars);
    if !pipe && raw.op != RedirectOp::Text {
        match words.as_slice() {
            [word] => one(raw.op, word, finding),
            _ => finding.mark_unknown(format!("The target of `{}` is not a single word", raw.text)),
        }
    }
    Redirect { text: raw.text.clone(), effect: finding.effects.get(before).cloned() }
}

fn one(op: RedirectOp, word: &Word, finding: &mut Finding) {
    let text = word.literal();
    if may_be_network(word) {
        // As a file that is written, so that a rule for the command does not cover it.
        finding.effects.extend([ShellEffect::Write { path: word.target() }, ShellEffect::Network]);
        return finding.mark_unknown(format!("A redirection to `{}` uses the network", word.shown()));
    }
    let descriptor = text.is_some_and(is_descriptor);
    match op {
        RedirectOp::Text => {}
        RedirectOp::Read => finding.read(word.target()),
        RedirectOp::DuplicateIn | RedirectOp::DuplicateOut if descriptor => {}
        RedirectOp::DuplicateIn => {
            finding.mark_unknown(format!("The file descriptor `{}` is unknown until it runs", word.text))
        }
        RedirectOp::Write | RedirectOp::DuplicateOut => {
            if !text.is_some_and(|t| SINKS.contains(&t)) {
                finding.write(word.target(), format!("A redirection writes to `{}`", word.shown()));
            }
        }
    }
}

/// `1`, `-`, `1-`.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    !text.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Bash opens connections for `/dev/tcp/host/port`; a word that only begins like that may be one too.
fn may_be_network(word: &Word) -> bool {
    let (text, open) = match &word.value {
        WordValue::Literal(text) => (text.as_str(), false),
        WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => (prefix.as_str(), true),
    };
    ["/dev/tcp/", "/dev/udp/"]
        .iter()
        .any(|d| text.starts_with(d) || (open && text.len() > 1 && d.starts_with(text)))
}
