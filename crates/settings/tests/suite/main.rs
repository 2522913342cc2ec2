//! Settings on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test makes its own files and may fail"
)]

mod bad_input;
mod effective;
mod import;
mod load;
mod planning;
mod reload;
mod rules;
mod sandbox;
mod saving;
mod screen;
mod trusting;
mod world;
