//! Every command of a tree, those inside words included.

use super::ast::{AssignedValue, Command, CondToken, Kind, Piece, RawAssignment, RawWord, Script};

/// Calls `see` for every command.
pub(crate) fn commands(script: &Script, see: &mut dyn FnMut(&Command)) {
    script.commands.iter().for_each(|c| command(c, see));
    script.texts.iter().for_each(|w| pieces(&w.pieces, see));
}

fn command(it: &Command, see: &mut dyn FnMut(&Command)) {
    see(it);
    match it {
        Command::Simple(simple) => {
            simple.words.iter().for_each(|w| word(w, see));
            simple.assignments.iter().chain(&simple.declared).for_each(|a| assignment(a, see));
            simple.redirects.iter().for_each(|r| word(&r.target, see));
        }
        Command::Pipeline(stages) => stages.iter().for_each(|c| command(c, see)),
        Command::Function { body, .. } => command(body, see),
        Command::Compound(compound) => {
            compound.redirects.iter().for_each(|r| word(&r.target, see));
            kind(&compound.kind, see);
        }
    }
}

fn kind(kind: &Kind, see: &mut dyn FnMut(&Command)) {
    match kind {
        Kind::Group(script) | Kind::Subshell(script) => commands(script, see),
        Kind::Branches(all) => all.iter().for_each(|s| commands(s, see)),
        Kind::For { words, body, .. } => {
            words.iter().flatten().for_each(|w| word(w, see));
            commands(body, see);
        }
        Kind::ArithFor { header, body, .. } => {
            pieces(header, see);
            commands(body, see);
        }
        Kind::Case { subject, patterns, bodies } => {
            word(subject, see);
            patterns.iter().for_each(|w| word(w, see));
            bodies.iter().for_each(|s| commands(s, see));
        }
        Kind::Arith { pieces: all, .. } => pieces(all, see),
        Kind::Cond(tokens) => {
            for token in tokens {
                if let CondToken::Word(it) = token {
                    word(it, see);
                }
            }
        }
    }
}

fn assignment(it: &RawAssignment, see: &mut dyn FnMut(&Command)) {
    it.subscript.iter().for_each(|s| pieces(s, see));
    match &it.value {
        AssignedValue::Word(it) => word(it, see),
        AssignedValue::Array(words) => words.iter().for_each(|w| word(w, see)),
    }
}

fn word(it: &RawWord, see: &mut dyn FnMut(&Command)) {
    pieces(&it.pieces, see);
}

fn pieces(all: &[Piece], see: &mut dyn FnMut(&Command)) {
    for piece in all {
        match piece {
            Piece::Text { .. } => {}
            Piece::Param { param, .. } => {
                pieces(&param.subscript, see);
                pieces(&param.operands, see);
                pieces(&param.offsets, see);
            }
            Piece::Command { script, .. } | Piece::Process(script) => commands(script, see),
            Piece::Arith { pieces: all, .. } => pieces(all, see),
        }
    }
}
