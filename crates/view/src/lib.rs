//! What the user sees of a session, folded from its events, in any front end.
//!
//! [`SessionView`] takes events and the time, and holds everything in progress: the streaming response, calls,
//! subagents, shells, todos, queued prompts, the turn, and usage. What is finished comes out as [`ViewItem`]s, in
//! display order. Nothing here draws, reads a clock, or does any I/O; a front end turns items and state into rows,
//! lines, or JSON.

mod agents;
mod answer;
mod calls;
mod item;
mod live;
mod person_text;
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

pub use agents::{NewestCall, SubagentView, SubagentViews};
pub use answer::{OpenBlock, StreamingAnswer};
pub use calls::{ActiveCall, ActiveCallKind, ActiveCalls, CallOutcome};
pub use item::{CallEnded, PromptText, ReportedAs, TextUpdate, ViewItem, user_text};
pub use person_text::PersonTexts;
pub use result::TurnResult;
pub use session::SessionView;
pub use shells::BackgroundShells;
pub use todos::todos_done;
pub use totals::Totals;
pub use turn::Turns;
