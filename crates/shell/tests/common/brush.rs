//! The commands of a line as `brush-parser` sees them, for comparison with ours.

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, Pipeline, SimpleCommand,
};
use brush_parser::word::{self, WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};
use forelook_shell::{Analysis, LinePart};

/// The command words of a line, those inside substitutions included.
pub(crate) fn names(line: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    collect(line, &mut out, 0)?;
    out.sort_unstable();
    Ok(out)
}

/// The same by our analysis.
pub(crate) fn our_names(analysis: &Analysis) -> Vec<String> {
    let mut out: Vec<String> = analysis.parts.iter().filter_map(name_of).collect();
    out.sort_unstable();
    out
}

fn name_of(part: &LinePart) -> Option<String> {
    let mut text = part.text.strip_prefix("time ").unwrap_or(&part.text);
    for assignment in &part.assignments {
        text = text.strip_prefix(assignment.text.as_str())?.trim_start();
    }
    text.split_whitespace().next().map(str::to_owned)
}

/// Does every command that they see also stand among ours?
pub(crate) fn covers(ours: &[String], theirs: &[String]) -> bool {
    let mut left = ours.to_vec();
    theirs.iter().all(|name| left.iter().position(|n| n == name).map(|at| left.remove(at)).is_some())
}

fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

fn collect(line: &str, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    if depth > 8 {
        return Err("too deep".to_owned());
    }
    let program = Parser::new(line.as_bytes(), &options()).parse_program().map_err(|e| format!("{e:?}"))?;
    for list in &program.complete_commands {
        compound_list(list, out, depth)?;
    }
    Ok(())
}

fn compound_list(list: &CompoundList, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    for item in &list.0 {
        for (_, pipeline) in item.0.iter() {
            pipeline_names(pipeline, out, depth)?;
        }
    }
    Ok(())
}

fn pipeline_names(pipeline: &Pipeline, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    for command in &pipeline.seq {
        match command {
            Command::Simple(simple) => simple_names(simple, out, depth)?,
            Command::Compound(compound, _) => compound_names(compound, out, depth)?,
            Command::Function(function) => compound_names(&function.body.0, out, depth)?,
            Command::ExtendedTest(..) => {}
        }
    }
    Ok(())
}

fn simple_names(simple: &SimpleCommand, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    if let Some(name) = &simple.word_or_name {
        // Brush cannot cut a word at blanks inside quotes any better than we do here.
        out.push(name.value.split_whitespace().next().unwrap_or("").to_owned());
        words(&name.value, out, depth)?;
    }
    let items = simple.prefix.iter().flat_map(|p| &p.0).chain(simple.suffix.iter().flat_map(|s| &s.0));
    for item in items {
        match item {
            Item::Word(word) => words(&word.value, out, depth)?,
            Item::AssignmentWord(_, word) => words(&word.value, out, depth)?,
            Item::ProcessSubstitution(_, subshell) => compound_list(&subshell.list, out, depth)?,
            Item::IoRedirect(_) => {}
        }
    }
    Ok(())
}

fn compound_names(compound: &CompoundCommand, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    match compound {
        CompoundCommand::Arithmetic(_) => Ok(()),
        CompoundCommand::ArithmeticForClause(clause) => compound_list(&clause.body.list, out, depth),
        CompoundCommand::BraceGroup(group) => compound_list(&group.list, out, depth),
        CompoundCommand::Subshell(subshell) => compound_list(&subshell.list, out, depth),
        CompoundCommand::ForClause(clause) => {
            for value in clause.values.iter().flatten() {
                words(&value.value, out, depth)?;
            }
            compound_list(&clause.body.list, out, depth)
        }
        CompoundCommand::CaseClause(clause) => {
            words(&clause.value.value, out, depth)?;
            clause.cases.iter().filter_map(|c| c.cmd.as_ref()).try_for_each(|l| compound_list(l, out, depth))
        }
        CompoundCommand::IfClause(clause) => {
            compound_list(&clause.condition, out, depth)?;
            compound_list(&clause.then, out, depth)?;
            for other in clause.elses.iter().flatten() {
                other.condition.iter().try_for_each(|l| compound_list(l, out, depth))?;
                compound_list(&other.body, out, depth)?;
            }
            Ok(())
        }
        CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
            compound_list(&clause.0, out, depth)?;
            compound_list(&clause.1.list, out, depth)
        }
        CompoundCommand::Coprocess(_) => Err("coprocess".to_owned()),
    }
}

fn words(text: &str, out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    let pieces = word::parse(text, &options()).map_err(|e| format!("{e:?}"))?;
    pieces_names(&pieces, out, depth)
}

fn pieces_names(pieces: &[WordPieceWithSource], out: &mut Vec<String>, depth: usize) -> Result<(), String> {
    for piece in pieces {
        match &piece.piece {
            WordPiece::DoubleQuotedSequence(inner) => pieces_names(inner, out, depth)?,
            WordPiece::CommandSubstitution(line) | WordPiece::BackquotedCommandSubstitution(line) => {
                collect(line, out, depth + 1)?;
            }
            _ => {}
        }
    }
    Ok(())
}
