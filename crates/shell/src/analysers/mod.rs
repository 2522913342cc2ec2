//! Commands that a table of flags cannot judge: they carry programs, expressions or other commands.

mod awk;
mod awk_tokens;
pub(crate) mod cond;
mod eval;
pub(crate) mod find;
mod git_checkout;
mod git_config;
mod jq;
mod names;
mod printf;
mod python;
mod sed;
mod sed_program;
mod shell;
mod small;
mod tar;
mod test;

pub(crate) use eval::keeps_shell_state;

use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::table::CommandSpec;
use crate::types::Word;

/// Runs the analyser that a table names.
pub(crate) fn run(
    analyser: &str,
    name: &str,
    spec: &CommandSpec,
    args: &[Word],
    context: Context<'_>,
) -> Finding {
    match analyser {
        "ar" => small::ar(name, spec, args),
        "awk" => awk::judge(name, spec, args),
        "cargo fmt" => small::cargo_fmt(args),
        "dd" => small::dd(args),
        "declare" => names::declare(name, spec, args),
        "echo" => small::echo(args),
        "eval" => eval::judge(args, context),
        "git checkout" => git_checkout::judge(name, spec, args),
        "git config" => git_config::judge(name, spec, args, context),
        "find" => find::judge(spec, args, context),
        "jq" => jq::judge(args),
        "let" => names::assign(name, args, context),
        "evaluate" => names::evaluate(name, args),
        "node" => small::node(name, spec, args, context),
        "names" => names::judge(name, spec, args),
        "printf" => printf::judge(args),
        "python" => python::judge(name, spec, args, context),
        "sed" => sed::judge(name, spec, args),
        "set" => small::set(args),
        "shell" => shell::judge(name, args, context),
        "tar" => tar::judge(name, spec, args),
        "tee" => small::tee(args),
        "test" => test::judge(name, args),
        other => Finding::unknown(format!("The analyzer `{other}` for `{name}` does not exist")),
    }
}
