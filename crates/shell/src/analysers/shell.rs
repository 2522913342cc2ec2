//! `bash -c '…'`, `sh -c '…'`: the text is a line of its own.

use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::judge::{line, special};
use crate::syntax::Dialect;
use crate::types::{Analysis, ShellEffect, Verdict, Word};

/// Letters that may stand beside `c`: errors, tracing, login.
const HARMLESS: &str = "cleuxv";

pub(super) fn judge(name: &str, args: &[Word], context: Context<'_>) -> Finding {
    let mut rest = args;
    let (mut command, mut login) = (false, false);
    while let Some((word, after)) = rest.split_first() {
        match word.literal() {
            Some("--version" | "--help") if args.len() == 1 => return Finding::read_only(),
            Some("-o")
                if matches!(
                    after.first().and_then(Word::literal),
                    Some("pipefail" | "errexit" | "nounset")
                ) =>
            {
                rest = after.get(1..).unwrap_or(&[]);
            }
            Some("--norc" | "--noprofile") => rest = after,
            Some("--login") => {
                login = true;
                rest = after;
            }
            Some("-n") if !command && matches!(after, [file] if !file.may_be_option() && !file.is_many()) => {
                let mut finding = Finding::read_only();
                finding.effects.extend(after.iter().map(|w| ShellEffect::Read { path: w.target() }));
                return finding;
            }
            Some(text) if is_cluster(text) => {
                command |= text.contains('c');
                login |= text.contains('l');
                rest = after;
            }
            _ => break,
        }
    }
    match rest.first() {
        Some(word) if command => script(name, word, login, context),
        Some(word) => {
            let mut finding = runs(name, &format!("`{}`", word.text));
            // Options that are not listed above may name a file to run first, or have it run its input.
            let special = special::is_input(word) || word.may_be_option();
            let comes_in = special && context.may_have_input;
            finding.special_options.extend(special.then(|| word.text.clone()));
            finding.special_options.extend(comes_in.then(|| special::INPUT.to_owned()));
            finding.read(word.target());
            finding
        }
        None => {
            let mut finding = runs(name, "its input");
            finding.special_options.extend(context.may_have_input.then(|| special::INPUT.to_owned()));
            finding
        }
    }
}

fn is_cluster(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| HARMLESS.contains(c)))
}

fn runs(name: &str, what: &str) -> Finding {
    let mut finding = Finding::unknown(format!("`{name}` runs {what}, which Forelook cannot check"));
    finding.effects.push(ShellEffect::Run { program: name.to_owned() });
    finding
}

fn script(name: &str, word: &Word, login: bool, context: Context<'_>) -> Finding {
    let dialect = if name == "bash" { Dialect::Bash } else { Dialect::Posix };
    let (Some(text), Some(nesting)) = (word.literal(), context.nesting.inside(dialect)) else {
        return Finding::unknown(format!("The command that `{name} -c` runs is unknown until it runs"));
    };
    adopt(line::analyse(text, context.new_shell(nesting, login)), name)
}

/// A finding whose parts are another line's.
pub(super) fn adopt(analysis: Analysis, name: &str) -> Finding {
    let mut finding = Finding::read_only();
    match analysis.verdict {
        Verdict::ReadOnly => {}
        Verdict::Unknown => finding.mark_unknown(analysis.why),
        Verdict::Changes => {
            finding.mark_changes(format!("`{name}` runs a command that makes changes: {}", analysis.why))
        }
    }
    finding.inner = analysis.parts;
    finding
}
