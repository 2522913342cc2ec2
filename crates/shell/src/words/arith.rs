//! Arithmetic: harmless only where every operand is a number for sure.
//!
//! Bash evaluates the *contents* of variables in arithmetic again, subscripts included, and a subscript may hold a
//! command. So `$((x))` runs whatever the text in `x` says, and a variable is accepted only if everything that the
//! line ever puts into it is a number.

use super::vars::{VarValue, Vars, is_dangerous};
use crate::syntax::ast::Piece;

/// Why an expression could run something, if it could.
pub(crate) fn rejection_reason(pieces: &[Piece], vars: &Vars, at: usize) -> Option<String> {
    // `a$x` is the name of yet another variable.
    let glued = |pair: &[Piece]| matches!(pair, [Piece::Text { text, .. }, _] if text.ends_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    if pieces.windows(2).any(glued) {
        return Some("An arithmetic expression builds a variable name".to_owned());
    }
    pieces.iter().find_map(|piece| match piece {
        Piece::Text { text, .. } => text_rejection_reason(text, vars, at),
        Piece::Param { param, .. } => {
            let number = param.length
                || (!param.changed
                    && !param.all
                    && !param.keys
                    && param.subscript.is_empty()
                    && (is_number_parameter(&param.name) || vars.kind(&param.name, param.at).is_number()));
            (!number).then(|| format!("Arithmetic would evaluate the text in `${}`", param.name))
        }
        Piece::Command { script, .. } => (!vars.prints_number(script))
            .then(|| "Arithmetic would evaluate the output of a command".to_owned()),
        Piece::Process(_) => Some("An arithmetic expression contains a process substitution".to_owned()),
        Piece::Arith { pieces, at } => rejection_reason(pieces, vars, *at),
    })
}

fn is_number_parameter(name: &str) -> bool {
    matches!(name, "#" | "?" | "$" | "!")
}

/// Numbers, operators, names of number variables, and names that are only assigned to.
pub(crate) fn text_rejection_reason(text: &str, vars: &Vars, at: usize) -> Option<String> {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, tail) = rest.split_at_checked(end)?;
            let before = text.get(..text.len() - rest.len()).unwrap_or_default();
            let harmless = is_only_assigned(before, tail) || vars.kind(name, at).is_number();
            if is_dangerous(name) || !harmless {
                return Some(format!("Arithmetic would evaluate the text in `{name}`"));
            }
            rest = tail;
        } else if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            rest = rest.get(end..)?;
        } else if " \t+-*/%<>=!&|^~?:(),;".contains(c) {
            rest = rest.get(1..)?;
        } else {
            return Some(format!("An arithmetic expression contains `{c}`"));
        }
    }
    None
}

/// Bash does not evaluate what is in `x` for `x=1`, but for `x==1`, `x+=1`, and `++x=1` it does.
fn is_only_assigned(before: &str, after: &str) -> bool {
    let assigns = after.trim_start().strip_prefix('=').is_some_and(|value| !value.starts_with('='));
    assigns && !before.trim_end().ends_with(['+', '-'])
}

/// The names that an expression assigns to: every name before `=`, `+=`…, `++`, `--`. Counting a comparison as an
/// assignment would be harmless, since only numbers are assigned here; so every name is taken.
pub(crate) fn names(pieces: &[Piece]) -> Vec<String> {
    let mut all = Vec::new();
    for piece in pieces {
        if let Piece::Text { text, .. } = piece {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            all.extend(words.filter(|w| w.starts_with(|c: char| !c.is_ascii_digit())).map(str::to_owned));
        }
    }
    all
}

impl VarValue {
    pub(crate) fn is_number(&self) -> bool {
        match self {
            Self::Number { .. } => true,
            Self::Literals(all) => {
                all.iter().all(|v| !v.is_empty() && v.len() < 18 && v.bytes().all(|b| b.is_ascii_digit()))
            }
            Self::Within { .. } | Self::Plain | Self::Any => false,
        }
    }
}
