//! `eval` with known words. It runs in the same shell, so what it assigns or defines reaches the rest of the line
//! behind our back; only lines that do neither are accepted.

use super::shell::adopt;
use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::judge::line;
use crate::syntax::Dialect;
use crate::types::{Verdict, Word};

pub(super) fn judge(args: &[Word], context: Context<'_>) -> Finding {
    let texts: Option<Vec<&str>> = args.iter().map(Word::literal).collect();
    let (Some(texts), Some(nesting)) = (texts, context.nesting.inside(Dialect::Bash)) else {
        return Finding::unknown("The command that `eval` runs is unknown until it runs");
    };
    let text = texts.join(" ");
    let analysis = line::analyse(&text, context.same_shell(nesting));
    let stays = !text.contains(['=', '{', '(', '$', '`', '\n', ';'])
        && analysis.parts.iter().all(|p| keeps_shell_state(p.program()));
    let read_only = analysis.verdict == Verdict::ReadOnly;
    let mut finding = adopt(analysis, "eval");
    if read_only && !stays {
        finding.mark_unknown("`eval` may change variables or settings of the shell");
    }
    finding
}

/// Does the command leave the variables, the settings and the folder of the shell as they are?
pub(crate) fn keeps_shell_state(program: Option<&str>) -> bool {
    const CHANGE_SHELL_STATE: &[&str] = &[
        "read",
        "mapfile",
        "readarray",
        "printf",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
        "unset",
        "getopts",
        "let",
        "set",
        "shopt",
        "cd",
        "pushd",
        "popd",
        "eval",
        "shift",
        "wait",
        "exec",
        "trap",
        "alias",
        "unalias",
        "enable",
        "hash",
    ];
    program.is_some_and(|p| !CHANGE_SHELL_STATE.contains(&p))
}
