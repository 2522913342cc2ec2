//! The second reading: tree-sitter's bash grammar, asked only where commands start.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::ParseError;

/// How many steps (of a hundred operations each) a parse may take. Error recovery on a pathological text can take seconds; a
/// typical line takes one step. It counts steps, not time: a busy machine must not change the answer.
const MAX_STEPS: usize = 300;

thread_local! {
    /// Making a parser costs more than parsing a short line.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(new_parser());
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// Where each command starts by tree-sitter's reading, with the stretches `left_out` read as blanks: the grammar takes
/// `time` for a program, whose words `{` and `(` would be.
pub(super) fn command_starts(line: &str, left_out: &[Range<usize>]) -> Result<Vec<usize>, ParseError> {
    let tree = parse(line, left_out).ok_or_else(|| ParseError::new("The command takes too long to parse"))?;
    if tree.root_node().has_error() {
        return Err(ParseError::new("One of two parsers finds a syntax error in the command"));
    }
    Ok(collect(&tree))
}

fn parse(line: &str, left_out: &[Range<usize>]) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        let parser = slot.as_mut()?;
        parser.reset();
        let mut steps = 0;
        let mut watch = |_: &tree_sitter::ParseState| {
            steps += 1;
            if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let mut shadow = shadow(line);
        for range in left_out {
            shadow.to_mut().get_mut(range.clone())?.fill(b' ');
        }
        let bytes = shadow.as_ref();
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or(&[]), None, Some(options))
    })
}

/// The text with every byte beyond ASCII as a letter. The grammar's scanner hands characters to `isdigit`, which reads
/// outside of its table for large ones and crashed on `{日`. To bash they are all parts of words, as a letter is; the
/// places of commands stay where they are.
fn shadow(line: &str) -> Cow<'_, [u8]> {
    match line.is_ascii() {
        true => Cow::Borrowed(line.as_bytes()),
        false => line.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect(),
    }
}

/// Walks without recursion: the depth is the text's choice, the stack is not.
fn collect(tree: &Tree) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut cursor = tree.walk();
    loop {
        if let Some(at) = start_of(cursor.node()) {
            starts.push(at);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return starts;
            }
        }
    }
}

fn start_of(node: Node<'_>) -> Option<usize> {
    match node.kind() {
        "command_name" | "declaration_command" | "unset_command" | "test_command" => Some(node.start_byte()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every plane of characters, in the place where the scanner looked a character up in a table that is too small.
    #[test]
    fn wide_characters_do_not_crash_the_scanner() {
        for c in (0x80..0x11_0000).step_by(97).filter_map(char::from_u32) {
            for line in
                [format!("echo {{{c}..1}}"), format!("{{{c}"), format!("echo {{1{c}}}"), format!("ls {c}")]
            {
                let _ = command_starts(&line, &[]);
            }
        }
    }
}
