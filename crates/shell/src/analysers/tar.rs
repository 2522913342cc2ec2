//! `tar`: listing only. Its first word may be a bundle of letters without a dash.

use crate::judge::finding::Finding;
use crate::judge::operands::{self, below};
use crate::judge::options::{self, OptionScan};
use crate::table::{Arity, CommandSpec, ReadDepth};
use crate::types::{PathTarget, ShellEffect, Word, WordValue};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let args = with_dash(spec, args);
    let printing;
    let spec = if prints(name, spec, &args) {
        printing = spec.printing(PRINTING);
        &printing
    } else {
        spec
    };
    let scan = options::scan(name, spec, &args, &mut finding);
    operands::conclude(name, spec, &scan, &mut finding);
    let given = |names: &[&str]| scan.flags.iter().any(|f| names.contains(&f.as_str()));
    let creates = given(CREATING);
    members(&scan, creates, given(EXTRACTING) && !given(PRINTING_TO), &mut finding);
    // The folder that it goes to is for the members, not for the archive.
    let mut moves = std::mem::take(&mut finding.moves);
    if !moves.is_empty() && args.iter().any(Word::names_shell_folder) {
        moves = vec![None];
    }
    finding.relocate(&moves);
    for (flag, archive) in &scan.values {
        if matches!(flag.as_str(), "-f" | "--file") && archive.literal() != Some("-") {
            match creates {
                true => finding.effects.push(ShellEffect::Write { path: archive.target() }),
                false => finding.read(archive.target()),
            }
            if may_be_remote(archive) {
                finding.mark_unknown(format!("`{}` may be an archive on another machine", archive.text));
            }
        }
    }
    finding
}

const CREATING: &[&str] =
    &["-c", "-r", "-u", "-A", "--create", "--append", "--update", "--concatenate", "--catenate", "--delete"];
const EXTRACTING: &[&str] = &["-x", "--extract", "--get"];
const PRINTING_TO: &[&str] = &["-O", "--to-stdout"];

/// What is read into the archive or written out of it.
fn members(scan: &OptionScan<'_>, creates: bool, extracts: bool, finding: &mut Finding) {
    let through =
        scan.flags.iter().any(|f| matches!(f.as_str(), "-h" | "--dereference" | "-T" | "--files-from"));
    let depth = if through { ReadDepth::ThroughLinks } else { ReadDepth::Below };
    if creates {
        if scan.flags.iter().any(|f| matches!(f.as_str(), "-T" | "--files-from")) {
            finding.read(PathTarget::Somewhere);
        }
        scan.operands.iter().for_each(|word| finding.read(below(word.target(), depth)));
    }
    if extracts {
        finding.effects.push(ShellEffect::Write { path: PathTarget::Below(".".to_owned()) });
    }
}

/// Extracting to standard output makes no files.
const PRINTING: &[&str] = &["-x", "--extract", "--get", "-O", "--to-stdout"];

fn prints(name: &str, spec: &CommandSpec, args: &[Word]) -> bool {
    let given = options::scan(name, spec, args, &mut Finding::read_only()).flags;
    given.iter().any(|f| matches!(f.as_str(), "-O" | "--to-stdout"))
}

/// `tar tzf x` is `tar -tzf x` as long as only `f`, at its end, takes a value.
fn with_dash(spec: &CommandSpec, args: &[Word]) -> Vec<Word> {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && let WordValue::Literal(text) = &first.value
        && !text.starts_with('-')
    {
        let before_last = text.strip_suffix('f').unwrap_or(text);
        let takes = |c: char| spec.all_flags.get(&format!("-{c}")).is_some_and(|f| f.arity != Arity::None);
        let in_order = !before_last.contains(takes);
        first.value = WordValue::Literal(if in_order { format!("-{text}") } else { "--bundle".to_owned() });
    }
    args
}

/// tar runs `rsh` for `host:file`.
fn may_be_remote(archive: &Word) -> bool {
    let in_host = |text: &str| text.split('/').next().is_some_and(|first| first.contains(':'));
    match &archive.value {
        WordValue::Literal(path) => in_host(path),
        WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => {
            !prefix.contains('/') || in_host(prefix)
        }
    }
}
