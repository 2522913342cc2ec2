//! `[[ … ]]`: no word is split here, but `-eq` and its like evaluate both sides as arithmetic.

use super::test::is_name;
use crate::judge::finding::Finding;
use crate::syntax::ast::{CondToken, Piece, RawWord};
use crate::types::WordValue;
use crate::words::arith;
use crate::words::value;
use crate::words::vars::Vars;

const ARITHMETIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// The words among the tokens.
pub(crate) fn words(tokens: &[CondToken]) -> impl Iterator<Item = &RawWord> {
    tokens.iter().filter_map(|t| if let CondToken::Word(word) = t { Some(word) } else { None })
}

pub(crate) fn judge(tokens: &[CondToken], vars: &Vars, finding: &mut Finding) {
    for (index, token) in tokens.iter().enumerate() {
        let CondToken::Word(word) = token else { continue };
        let next = tokens.get(index + 1);
        if ARITHMETIC.contains(&word.text.as_str()) {
            let before = index.checked_sub(1).and_then(|i| tokens.get(i));
            for side in [before, next] {
                number(side, vars, finding);
            }
        } else if matches!(word.text.as_str(), "-v" | "-R") {
            let plain = matches!(next, Some(CondToken::Word(name)) if is_name(&name.text));
            if !plain {
                finding.mark_unknown("`[[ -v` evaluates its argument");
            }
        } else if !literal(word, vars) && matches!(next, Some(CondToken::Word(w)) if !literal(w, vars)) {
            finding.mark_unknown("A test consists of words that are unknown until it runs");
        }
    }
}

/// Operators are recognised before expansion, but a quoted or escaped one (`\-eq`) is not worth thinking about.
fn literal(word: &RawWord, vars: &Vars) -> bool {
    matches!(value::assigned(word, vars), WordValue::Literal(_))
}

fn number(token: Option<&CondToken>, vars: &Vars, finding: &mut Finding) {
    let Some(CondToken::Word(word)) = token else {
        return finding.mark_unknown("A comparison is missing an operand");
    };
    let pieces: Vec<Piece> = word
        .pieces
        .iter()
        .filter(|p| !matches!(p, Piece::Text { text, .. } if text.is_empty()))
        .cloned()
        .collect();
    if let Some(why) = arith::rejection_reason(&pieces, vars, word.at) {
        finding.mark_unknown(why);
    }
}
