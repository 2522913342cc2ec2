//! `git config`: one operand is looked up, two are set.

use crate::judge::command::{self, Context};
use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::CommandSpec;
use crate::types::{PathTarget, ShellEffect, Verdict, Word};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    if let Some((first, rest)) = args.split_first()
        && let Some((sub_name, sub)) = first.literal().and_then(|t| spec.sub.get_key_value(t))
    {
        let mut finding = command::by_spec(&format!("{name} {sub_name}"), sub, rest, context);
        written(args, &mut finding);
        return finding;
    }
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let gets = scan.flags.iter().any(|f| spec.lists_with(f));
    match scan.operands.as_slice() {
        _ if gets => {}
        [] => {}
        [key] if key.literal().is_some_and(|k| k.contains('.')) => {}
        [_] => finding.mark_unknown("An argument of `git config` is unknown until it runs"),
        _ if scan.operands.iter().any(|w| w.is_many()) => {
            finding.mark_unknown("An argument of `git config` is unknown until it runs")
        }
        _ => finding.mark_changes("`git config` sets a value"),
    }
    written(args, &mut finding);
    finding
}

/// The file that is changed, if one is: it decides what git runs.
fn written(args: &[Word], finding: &mut Finding) {
    if finding.verdict != Verdict::Changes {
        return;
    }
    let given =
        |flag: &str| args.iter().any(|word| word.literal().is_some_and(|text| text.starts_with(flag)));
    let path = match () {
        () if given("-f") || given("--file") => PathTarget::Somewhere,
        () if given("--global") => PathTarget::Path("~/.gitconfig".to_owned()),
        () if given("--system") => PathTarget::Path("/etc/gitconfig".to_owned()),
        () => PathTarget::Path(".git/config".to_owned()),
    };
    finding.effects.push(ShellEffect::Write { path });
}
