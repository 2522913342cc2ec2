//! The person's own commands at the program's events.
//!
//! A [`Hook`] is a shell command that is told of an event as JSON on its standard input and may answer
//! with its exit code or with JSON. [`Hooks::run`] starts all that match an [`Occasion`] side by side and
//! gives one [`Outcome`]. One way through the files: `hooks` (which ones run) → `process` (one child) →
//! `answer` (what its ending and its output mean; pure) → `merge` (one word out of many; pure).
//!
//! Nothing here asks whether a folder is trusted: who hands hooks in has settled that.

mod answer;
mod hook;
mod hooks;
mod matcher;
mod merge;
mod occasion;
mod outcome;
mod process;
mod report;

pub use forelook_protocol::{HookEvent, UnknownEvent};
pub use hook::{DEFAULT_TIMEOUT, Hook};
pub use hooks::Hooks;
pub use matcher::{BadMatcher, Matcher};
pub use occasion::{Begin, Call, Happening, Inside, Occasion, Review, Scene, Trigger};
pub use outcome::Outcome;
