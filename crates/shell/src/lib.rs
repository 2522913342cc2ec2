//! What a shell command would do: text in, effects out.
//!
//! [`analyse`] reads one bash line and answers with one of three verdicts: it only reads, it changes something, or
//! nobody can tell from the text alone. Nothing here touches a file, an environment variable or a clock that decides.
//!
//! How a line is judged, each step in a folder of its own:
//!
//! 1. [`guard`]: size and characters. What no person types (NUL, control characters, invisible spaces) is unknown.
//! 2. [`syntax`]: a strict recursive-descent parser of the bash grammar builds the tree that is judged; tree-sitter's
//!    bash grammar reads the same text independently. An error in either, or a different list of commands, is unknown.
//!    One parser alone was rejected: tree-sitter accepts lines that bash reads differently (redirections that swallow
//!    words, `@(a|b)` as a subshell), and a parser of our own would have nobody to contradict it.
//! 3. [`words`]: what each word can expand to: one known text, one word, or any number of them.
//! 4. [`judge`] and [`analysers`]: every simple command against the tables in `tables/*.toml`, where every harmless
//!    flag is listed. What is not listed is not harmless.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice
    )
)]

mod analysers;
mod guard;
mod judge;
mod syntax;
mod table;
mod types;
mod words;

pub use judge::code::{CodeSource, Language, ScriptLookup};
pub use judge::prefix::rule_prefix;
pub use judge::severity::reasons;
pub use table::{Example, Examples, examples};
pub use types::{
    Analysis, Assignment, Danger, FolderConfig, LinePart, PathTarget, Redirect, RunsAs, ShellEffect, Verdict,
    Word, WordValue, WorkingFolder, Wrapper,
};

/// The longest line that is looked at; anything longer is unknown at once.
pub const MAX_LINE: usize = 16 * 1024;

/// Says what a bash line would do, without running anything.
///
/// Never panics and never takes longer than about 20 ms, whatever the text.
#[must_use]
pub fn analyse(line: &str) -> Analysis {
    judge::line::analyse(line, judge::line::LineStart::top())
}
