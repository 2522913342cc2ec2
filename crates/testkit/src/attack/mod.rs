//! A hostile model in real sessions of the real program, judged from outside.
//!
//! - [`Stage`] is the home and the project that it works in, and what they held at first;
//! - [`Script`] makes it try one call after the other, whatever comes back;
//! - [`Host`] drives the program and says no to everything that it is asked;
//! - [`Journal`] and [`changes`] tell afterwards what was tried and what is different.

mod changes;
mod host;
mod journal;
mod script;
mod stage;

pub use changes::changes;
pub use host::{Host, watch};
pub use journal::Journal;
pub use script::{ATTACK, Agents, Answer, Attempt, DONE, Script};
pub use stage::{PATH, RunsAs, Stage};
