//! From text to tree, read twice: by our own strict parser and by tree-sitter.

pub(crate) mod ast;
mod compound;
mod cond;
mod cross_check;
mod dollar;
mod heredoc;
mod parser;
mod quote;
mod redirect;
pub(crate) mod visit;

use ast::Script;

/// Why a text is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError(pub String);

impl ParseError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Reads a line, and refuses it unless both readings agree on where each command starts.
pub(crate) fn read(line: &str, dialect: Dialect) -> Result<Script, ParseError> {
    let mut ours = parser::parse(line, dialect)?;
    let mut theirs = cross_check::command_starts(line, &ours.timed)?;
    ours.starts.sort_unstable();
    theirs.sort_unstable();
    if ours.starts == theirs {
        Ok(ours.script)
    } else {
        Err(ParseError::new("Two parsers disagree about the command"))
    }
}

/// Which shell will read the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// `sh -c`: may be dash, busybox or bash, so only what all of them read alike is accepted.
    Posix,
}
