//! `git config`: one operand is looked up, two are set.

use crate::judge::command::{self, Context};
use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::CommandSpec;
use crate::types::Word;

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    if let Some((first, rest)) = args.split_first()
        && let Some((sub_name, sub)) = first.literal().and_then(|t| spec.sub.get_key_value(t))
    {
        return command::by_spec(&format!("{name} {sub_name}"), sub, rest, context);
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
    finding
}
