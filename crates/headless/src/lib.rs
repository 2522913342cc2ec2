//! Front ends without a screen.
//!
//! - [`print`]: `-p`, with text, JSON or a stream of JSON out, and text or a stream of JSON in;
//! - [`lines`]: a conversation in plain lines, for a terminal that can do no more;
//! - [`serve`]: the protocol itself, a line for everything that is said, for front ends elsewhere;
//! - `wire/`: the forms of `stream-json`, which this crate alone knows.

pub mod lines;
pub mod print;
pub mod serve;
mod wire;

mod events;
mod input;
mod plan_line;
mod plan_view;
mod rehearsal_view;
mod slash;
mod style;
#[cfg(test)]
mod testing;
mod text;

pub use forelook_wording::Charset;
pub use input::{InputLines, Stdin};

use forelook_protocol::EndReason;

/// How a run ended, on a screen or without; `cli` turns it into an exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
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

impl RunOutcome {
    /// What the end of a turn means for the run.
    fn of(reason: &EndReason) -> Self {
        match reason {
            EndReason::Done | EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned => {
                RunOutcome::Done
            }
            EndReason::Interrupted => RunOutcome::Interrupted,
            EndReason::Provider { .. } => RunOutcome::Provider,
            EndReason::MaxTokens
            | EndReason::Refusal
            | EndReason::Empty
            | EndReason::NoPlan { .. }
            | EndReason::MaxTurns { .. }
            | EndReason::Internal { .. }
            | EndReason::Hook { .. }
            | EndReason::Stuck { .. } => RunOutcome::Failed,
        }
    }
}
