//! Builtins that take names of variables: `read`, `mapfile`, `unset`, `local`, `declare`, `export`…
//!
//! A name may carry a subscript, and a subscript may carry a command; so only plain names are accepted.

use super::test::is_name;
use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::CommandSpec;
use crate::types::Word;
use crate::words::arith;
use crate::words::vars::is_dangerous;

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
    scan.operands.iter().for_each(|word| plain_name(name, word, &mut finding));
    finding
}

/// `let x=1`: numbers that are assigned to names.
pub(super) fn assign(name: &str, args: &[Word], context: Context<'_>) -> Finding {
    // Where the variables are set is not looked at: none is known to be a number.
    let is_plain = |text: &str| arith::text_rejection_reason(text, context.vars, 0).is_none();
    if args.iter().all(|word| word.literal().is_some_and(is_plain)) {
        return Finding::read_only();
    }
    evaluate(name, args)
}

/// `let`: what it evaluates may hold any command. A rule for it is for plain arithmetic.
pub(super) fn evaluate(name: &str, args: &[Word]) -> Finding {
    let mut finding = Finding::unknown(format!("`{name}` evaluates its arguments"));
    let open = args.iter().filter(|word| word.literal().is_none_or(|text| text.contains(['[', '$', '`'])));
    finding.special_options.extend(open.map(|word| word.text.clone()));
    finding
}

/// A rule for the command is for names that change nothing, too.
fn plain_name(command: &str, word: &Word, finding: &mut Finding) {
    let why = match word.literal() {
        Some(text) if is_name(text) && !is_dangerous(text) => return,
        Some(text) => format!("`{command} {text}` can change what commands do"),
        None => format!("The name in `{command} {}` is unknown until it runs", word.text),
    };
    finding.special_options.push(word.shown().to_owned());
    finding.mark_unknown(why);
}
