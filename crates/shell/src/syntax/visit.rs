//! Every command of a tree, those inside words included.

use super::ast::{AssignedValue, Command, CompoundKind, CondToken, Piece, RawAssignment, RawWord, Script};

/// Calls `visitor` for every command.
pub(crate) fn commands(script: &Script, visitor: &mut dyn FnMut(&Command)) {
    script.commands.iter().for_each(|c| command(c, visitor));
    script.texts.iter().for_each(|w| pieces(&w.pieces, visitor));
}

fn command(it: &Command, visitor: &mut dyn FnMut(&Command)) {
    visitor(it);
    match it {
        Command::Simple(simple) => {
            simple.words.iter().for_each(|w| word(w, visitor));
            simple.assignments.iter().chain(&simple.declared).for_each(|a| assignment(a, visitor));
            simple.redirects.iter().for_each(|r| word(&r.target, visitor));
        }
        Command::Pipeline(stages) => stages.iter().for_each(|c| command(c, visitor)),
        Command::Function { body, .. } => command(body, visitor),
        Command::Compound(compound) => {
            compound.redirects.iter().for_each(|r| word(&r.target, visitor));
            kind(&compound.kind, visitor);
        }
    }
}

fn kind(kind: &CompoundKind, visitor: &mut dyn FnMut(&Command)) {
    match kind {
        CompoundKind::Group(script) | CompoundKind::Subshell(script) => commands(script, visitor),
        CompoundKind::If(all) | CompoundKind::While(all) => all.iter().for_each(|s| commands(s, visitor)),
        CompoundKind::For { words, body, .. } => {
            words.iter().flatten().for_each(|w| word(w, visitor));
            commands(body, visitor);
        }
        CompoundKind::ArithFor { header, body, .. } => {
            pieces(header, visitor);
            commands(body, visitor);
        }
        CompoundKind::Case { subject, patterns, bodies } => {
            word(subject, visitor);
            patterns.iter().for_each(|w| word(w, visitor));
            bodies.iter().for_each(|s| commands(s, visitor));
        }
        CompoundKind::Arith { pieces: all, .. } => pieces(all, visitor),
        CompoundKind::Cond(tokens) => {
            for token in tokens {
                if let CondToken::Word(it) = token {
                    word(it, visitor);
                }
            }
        }
    }
}

fn assignment(it: &RawAssignment, visitor: &mut dyn FnMut(&Command)) {
    it.subscript.iter().for_each(|s| pieces(s, visitor));
    match &it.value {
        AssignedValue::Word(it) => word(it, visitor),
        AssignedValue::Array(words) => words.iter().for_each(|w| word(w, visitor)),
    }
}

fn word(it: &RawWord, visitor: &mut dyn FnMut(&Command)) {
    pieces(&it.pieces, visitor);
}

fn pieces(all: &[Piece], visitor: &mut dyn FnMut(&Command)) {
    for piece in all {
        match piece {
            Piece::Text { .. } => {}
            Piece::Param { param, .. } => {
                pieces(&param.subscript, visitor);
                pieces(&param.operands, visitor);
                pieces(&param.offsets, visitor);
            }
            Piece::Command { script, .. } | Piece::Process(script) => commands(script, visitor),
            Piece::Arith { pieces: all, .. } => pieces(all, visitor),
        }
    }
}
