//! `tar`: listing only. Its first word may be a bundle of letters without a dash.

use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::{Arity, CommandSpec};
use crate::types::{PathTarget, Word, WordValue};

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
    options::conclude(name, spec, &scan, &mut finding);
    for (flag, archive) in &scan.values {
        if matches!(flag.as_str(), "-f" | "--file") {
            finding.read(archive.target());
            if may_be_remote(archive) {
                finding.mark_unknown(format!("`{}` may be an archive on another machine", archive.text));
            }
        }
    }
    finding
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
    match archive.target() {
        PathTarget::Path(path) => path.split('/').next().is_some_and(|first| first.contains(':')),
        PathTarget::Begins(prefix) => {
            !prefix.contains('/') || prefix.split('/').next().is_some_and(|first| first.contains(':'))
        }
        PathTarget::Somewhere => true,
    }
}
