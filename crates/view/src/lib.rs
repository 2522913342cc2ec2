//! What a person sees of a session, folded from its events, whichever front end shows it.
//!
//! [`SessionView`] takes events and the time, and holds what is under way: the answer that streams, calls, agents,
//! shells, todos, prompts that wait, the turn, what was used. What is finished comes out as [`Item`]s, in the order in
//! which it is told. Nothing here draws, reads a clock or does any input or output; a front end turns items and state
//! into rows, lines or JSON.

mod agents;
mod answer;
mod calls;
mod item;
mod live;
pub mod question;
mod record;
mod result;
pub mod review;
mod session;
mod shells;
#[cfg(test)]
mod tests;
mod todos;
mod totals;
mod turn;

pub use agents::{Agent, Agents, NewestCall};
pub use answer::{Answer, OpenBlock};
pub use calls::{CallOutcome, Calls, Running, What};
pub use item::{CallEnded, Item, PromptSaid, ToldAs, Words, words_of};
pub use result::TurnResult;
pub use session::SessionView;
pub use shells::{Shell, Shells};
pub use todos::todos_done;
pub use totals::Totals;
pub use turn::Turns;
