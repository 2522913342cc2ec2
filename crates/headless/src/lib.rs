//! Front ends without a screen.
//!
//! - [`print`]: `-p`, with text, JSON or a stream of JSON out, and text or a stream of JSON in;
//! - [`lines`]: a conversation in plain lines, for a terminal that can do no more;
//! - `wire/`: the forms of `stream-json`, which this crate alone knows.

pub mod lines;
pub mod print;
mod wire;

mod input;

pub use input::{InputLines, Stdin};

/// How a run without a screen ended; `cli` turns it into an exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// All is done.
    Done,
    /// The task failed; what to tell is told already.
    Failed,
    /// Something needed a person's yes, and nobody was there.
    NobodyToAsk,
    /// The model could not be reached or gave no answer.
    Provider,
    /// A signal or a command stopped it.
    Interrupted,
    /// The input was not what it should be.
    BadInput,
}
