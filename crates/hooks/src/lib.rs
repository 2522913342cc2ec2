//! The user's own commands, and a host's callbacks, at events in Forelook.
//!
//! A [`Hook`] is a shell command that gets an event as JSON on its standard input and may answer with its exit code or with
//! JSON; or a callback that a [`HookHost`] runs, with the same JSON in and out. [`Hooks::run`] starts all hooks that match a
//! [`HookInput`] in parallel and returns one [`HookOutcome`]. The path through the files: `hooks` (which ones run) →
//! `process` (one child) or `host` (one callback) → `response` (what the answer means; pure) → `merge` (one outcome from
//! many; pure).
//!
//! Nothing here checks whether a folder is trusted: the caller has done that.

mod hook;
mod hooks;
mod host;
mod input;
mod matcher;
mod merge;
mod outcome;
mod process;
mod report;
mod response;
mod run_result;

pub use forelook_protocol::{HookEvent, UnknownEvent};
pub use hook::{DEFAULT_TIMEOUT, Hook, HookHandler};
pub use hooks::{CommandCheck, Hooks};
pub use host::{HookCall, HookHost, HookHostError};
pub use input::{HookAgent, HookContext, HookInput, HookPayload, HookToolCall, PlanVerdict, SessionSource};
pub use matcher::{InvalidMatcher, Matcher};
pub use outcome::HookOutcome;
