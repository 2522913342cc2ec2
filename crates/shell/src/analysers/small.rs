//! Analysers of a few lines.

use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::judge::{operands, options, special};
use crate::table::CommandSpec;
use crate::types::{PathTarget, ShellEffect, Word};

/// `echo` prints whatever it is given.
pub(super) fn echo(_: &[Word]) -> Finding {
    Finding::read_only()
}

/// `ar`: its first word says what it does to the archive. Extracting writes files that only the archive names.
pub(super) fn ar(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    operands::conclude(name, spec, &scan, &mut finding);
    if args.first().is_none_or(|word| word.literal().is_none_or(|text| text.contains('x'))) {
        finding.effects.push(ShellEffect::Write { path: PathTarget::Below(".".to_owned()) });
    }
    finding
}

/// `tee` writes its operands; without any it copies its input.
pub(super) fn tee(args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let mut only_files = false;
    for word in args {
        match word.literal() {
            Some("/dev/null" | "/dev/stdout" | "/dev/stderr") => {}
            Some("-a" | "-i" | "--append" | "--ignore-interrupts") if !only_files => {}
            Some("--") if !only_files => only_files = true,
            // A lone dash is a file of that name.
            Some(text) if text.len() > 1 && text.starts_with('-') && !only_files => {
                finding.mark_unknown(format!("`tee {text}` is not known to be read-only"))
            }
            _ => finding.write(word.target(), format!("`tee` writes to `{}`", word.shown())),
        }
    }
    finding
}

/// `dd`: writes where `of=` says, else to standard output.
pub(super) fn dd(args: &[Word]) -> Finding {
    const HARMLESS: &[&str] =
        &["if", "bs", "count", "skip", "status", "ibs", "obs", "cbs", "conv", "iflag", "seek"];
    let mut finding = Finding::read_only();
    for word in args {
        match word.literal().and_then(|t| t.split_once('=')) {
            Some(("of", "/dev/null" | "/dev/stdout")) => {}
            Some(("of", path)) => {
                finding.write(PathTarget::Path(path.to_owned()), format!("`dd` writes to `{path}`"))
            }
            Some(("if", path)) => finding.read(PathTarget::Path(path.to_owned())),
            Some((key, _)) if HARMLESS.contains(&key) => {}
            _ => {
                finding.read(PathTarget::Somewhere);
                finding.mark_unknown(format!("`dd` could write to `{}`", word.text));
            }
        }
    }
    finding
}

/// `cargo fmt`: harmless if it or rustfmt, which is given what follows `--`, is told to check, and neither anything else
/// that matters.
pub(super) fn cargo_fmt(args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let (mut checks, mut for_rustfmt) = (false, false);
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.literal() {
            Some("--check") => checks = true,
            Some("--") if !for_rustfmt => for_rustfmt = true,
            Some("-l") if for_rustfmt => {}
            Some("--all" | "-q" | "-v" | "--quiet" | "--verbose") if !for_rustfmt => {}
            Some("-p" | "--package")
                if !for_rustfmt
                    && after.first().and_then(Word::literal).is_some_and(|n| !n.starts_with('-')) =>
            {
                rest = after.get(1..).unwrap_or(&[]);
            }
            _ => {
                if word.literal().is_none_or(|t| t.contains("config") || t.contains("manifest")) {
                    finding.special_options.push(word.text.clone());
                }
                finding.mark_unknown(format!("`cargo fmt {}` is not known to be read-only", word.text));
            }
        }
    }
    if !checks {
        finding.effects.push(ShellEffect::Write { path: PathTarget::Tree(".".to_owned()) });
        finding.mark_unknown("`cargo fmt` rewrites files unless `--check` is set");
    }
    finding
}

/// `node --check f.js` parses a file and runs nothing.
pub(super) fn node(name: &str, spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    let mut finding = Finding::read_only();
    if let [option, file] = args
        && matches!(option.literal(), Some("--check" | "-c"))
        && file.literal().is_some_and(|text| !text.starts_with('-'))
    {
        finding.read(file.target());
        return finding;
    }
    let scan = options::scan(name, spec, args, &mut finding);
    special::input(name, spec, &scan, context, &mut finding);
    operands::conclude(name, spec, &scan, &mut finding);
    finding
}

/// `set`: only switches that make the shell stricter or more talkative.
pub(super) fn set(args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        let Some(text) = word.literal() else {
            finding.mark_unknown(format!("`set {}` is unknown until it runs", word.text));
            continue;
        };
        let letters = text.strip_prefix(['-', '+']).unwrap_or("?");
        let named = letters.strip_suffix('o').filter(|_| !letters.is_empty());
        let plain = named.unwrap_or(letters);
        if !plain.chars().all(|c| "euxfvnC".contains(c)) {
            finding.mark_unknown(format!("`set {text}` changes how the shell works"));
        }
        if named.is_some() {
            let known = matches!(
                rest.first().and_then(Word::literal),
                Some("pipefail" | "errexit" | "nounset" | "xtrace" | "noglob" | "noclobber")
            );
            rest = rest.get(1..).unwrap_or(&[]);
            if !known {
                finding.mark_unknown("`set -o` changes how the shell works");
            }
        }
    }
    finding
}
