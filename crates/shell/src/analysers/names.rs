//! Builtins that take names of variables: `read`, `mapfile`, `unset`, `local`, `declare`, `export`…
//!
//! A name may carry a subscript, and a subscript may carry a command; so only plain names are accepted.

use super::test::is_name;
use crate::judge::finding::Finding;
use crate::judge::options::{self, OptionScan};
use crate::table::{self, CommandSpec};
use crate::types::Word;
use crate::words::vars::{is_dangerous, matches_name};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let array = scan.values.iter().filter(|(flag, _)| flag == "-a").map(|(_, w)| w);
    for word in scan.operands.iter().copied().chain(array) {
        plain_name(name, word, &mut finding);
    }
    finding
}

/// `export`, `declare`, `local`, `readonly`: what they assign is judged with the assignments; here are the other words.
pub(super) fn declare(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let shows = shows_only(&scan);
    for word in &scan.operands {
        plain_name(name, word, &mut finding);
        let listed =
            word.literal().is_some_and(|t| table::variables().harmless.iter().any(|p| matches_name(p, t)));
        if name == "export" && !shows && !listed {
            finding.mark_unknown(format!("`export {}` can change what commands do", word.text));
        }
    }
    finding
}

fn shows_only(scan: &OptionScan<'_>) -> bool {
    scan.flags.iter().any(|f| f == "-p")
}

fn plain_name(command: &str, word: &Word, finding: &mut Finding) {
    match word.literal() {
        Some(text) if is_name(text) && !is_dangerous(text) => {}
        Some(text) => finding.mark_unknown(format!("`{command} {text}` can change what commands do")),
        None => {
            finding.mark_unknown(format!("The name in `{command} {}` is unknown until it runs", word.text))
        }
    }
}
