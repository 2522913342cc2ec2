//! `git checkout` and `git switch`: operands are a version and files, and which of them is not always told.

use crate::judge::finding::Finding;
use crate::judge::{operands, options};
use crate::table::CommandSpec;
use crate::types::{PathTarget, ShellEffect, Word};

/// Flags that make a branch. Alone they change no file.
const CREATING: &[&str] = &["-b", "-B", "--orphan", "-c", "-C", "--create", "--force-create"];

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let creates = scan.flags.iter().any(|flag| CREATING.contains(&flag.as_str()));
    let names_files = args.iter().any(|word| word.literal() == Some("--")) || scan.operands.len() > 1;
    let restores =
        !scan.operands.is_empty() || scan.flags.iter().any(|flag| flag.contains("force") || flag == "-f");
    operands::conclude(name, spec, &scan, &mut finding);
    let everything =
        creates && !scan.operands.is_empty() || !creates && restores && (spec.no_files || !names_files);
    if everything {
        finding.effects.push(ShellEffect::Write { path: PathTarget::Tracked(".".to_owned()) });
    }
    finding
}
