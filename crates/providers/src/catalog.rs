//! The providers and models that are known: where they are asked, what they can read, and what they cost.
//!
//! Both are data (`providers.toml`, `models.toml`). Start-up must not wait for a parser, so the text is cut at its
//! `[[…]]` lines, and only the piece that was asked for is read. A test reads both files whole.

mod model;
mod provider;

pub use model::{KnownModel, ThinkingSupport, newest};
pub use provider::{KnownProvider, wire_format};

/// The pieces of a file, each without its `[[…]]` line.
fn pieces<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark).skip(1)
}

/// The text that a piece has for a name, where it is one in quotes: enough to choose a piece without a parser.
fn quoted<'a>(piece: &'a str, name: &str) -> Option<&'a str> {
    piece.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
}

/// Reads a piece. The files are part of the program and a test reads all of them: one that cannot be read is left out.
fn read<T: serde::de::DeserializeOwned>(piece: &str) -> Option<T> {
    toml::from_str(piece).inspect_err(|error| tracing::error!(%error, "the catalog is invalid")).ok()
}
