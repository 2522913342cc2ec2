//! `printf`: `-v` assigns, and `%n` stores into a variable.

use crate::judge::finding::Finding;
use crate::types::Word;

pub(super) fn judge(args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let mut rest = args;
    if rest.first().and_then(Word::literal) == Some("--") {
        rest = rest.get(1..).unwrap_or(&[]);
    } else if rest.first().is_some_and(Word::may_be_option)
        && rest.first().and_then(Word::literal) != Some("-")
    {
        finding.mark_unknown("`printf` may get the option `-v`, which sets a variable");
        finding.special_options.push("-v".to_owned());
        return finding;
    }
    let Some(format) = rest.first() else { return finding };
    match format.literal() {
        Some(text) if stores(text) => {
            finding.special_options.push("%n".to_owned());
            finding.mark_unknown("`printf %n` sets a variable")
        }
        Some(_) => {}
        // With no further words there is nothing that `%n` could name.
        None if rest.len() > 1 || format.is_many() => {
            finding.special_options.push(format.text.clone());
            finding.mark_unknown("The `printf` format is unknown until it runs")
        }
        None => {}
    }
    finding
}

/// Does any conversion end in `n`?
fn stores(format: &str) -> bool {
    let doubled = format.replace("%%", "");
    doubled
        .split('%')
        .skip(1)
        .any(|rest| rest.trim_start_matches(|c: char| "-+ #0123456789.*'hlLjzt".contains(c)).starts_with('n'))
}
