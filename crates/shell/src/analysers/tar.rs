//! `tar`: listing only. Its first word may be a bundle of letters without a dash.

use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::Spec;
use crate::types::{Target, Value, Word};

pub(super) fn judge(name: &str, spec: &Spec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let args = with_dash(args);
    let scan = options::scan(name, spec, &args, &mut finding);
    options::conclude(name, spec, &scan, &mut finding);
    for (flag, archive) in &scan.values {
        if matches!(flag.as_str(), "-f" | "--file") {
            finding.read(archive.target());
            if may_be_remote(archive) {
                finding.doubt(format!("`{}` may name an archive on another machine", archive.text));
            }
        }
    }
    finding
}

/// `tar tzf x` is `tar -tzf x` as long as only `f`, at its end, takes a value.
fn with_dash(args: &[Word]) -> Vec<Word> {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && let Value::Literal(text) = &first.value
        && !text.starts_with('-')
    {
        let in_order = !text.contains('f') || text.ends_with('f');
        first.value = Value::Literal(if in_order { format!("-{text}") } else { "--bundle".to_owned() });
    }
    args
}

/// tar runs `rsh` for `host:file`.
fn may_be_remote(archive: &Word) -> bool {
    match archive.target() {
        Target::Path(path) => path.split('/').next().is_some_and(|first| first.contains(':')),
        Target::Begins(prefix) => {
            !prefix.contains('/') || prefix.split('/').next().is_some_and(|first| first.contains(':'))
        }
        Target::Somewhere => true,
    }
}
