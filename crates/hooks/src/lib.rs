//! The person's own commands, and a host's callbacks, at the program's events.
//!
//! A [`Hook`] is a shell command that is told of an event as JSON on its standard input and may answer
//! with its exit code or with JSON; or a callback that a [`HookHost`] carries out, with the same JSON in
//! and out. [`Hooks::run`] starts all that match an [`Occasion`] side by side and gives one [`Outcome`].
//! One way through the files: `hooks` (which ones run) → `process` (one child) or `host` (one callback) →
//! `answer` (what that means; pure) → `merge` (one word out of many; pure).
//!
//! Nothing here asks whether a folder is trusted: who hands hooks in has settled that.

mod answer;
mod hook;
mod hooks;
mod host;
mod matcher;
mod merge;
mod occasion;
mod outcome;
mod process;
mod ran;
mod report;

pub use forelook_protocol::{HookEvent, UnknownEvent};
pub use hook::{DEFAULT_TIMEOUT, Hook, HookRun};
pub use hooks::Hooks;
pub use host::{HookCall, HookHost, HookHostError};
pub use matcher::{BadMatcher, Matcher};
pub use occasion::{Begin, Call, Happening, Inside, Occasion, Review, Scene, Trigger};
pub use outcome::Outcome;
