//! Decisions from outside: rules, modes and actions in one line each.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

mod confined;
mod decisions;
mod laws;
mod planning;
mod reached;
mod world;
