//! Asking a model: which one, again where that may help, and what it says while it says it.
//!
//! This layer knows nothing of sessions, calls or front ends. Whoever wants to hear an answer while it arrives is a
//! [`StreamObserver`]; whoever wants one answer and nothing else calls [`complete`].

mod complete;
mod retry;
mod route;
mod stream;

pub(crate) use complete::{NullObserver, OneShot, complete};
pub use route::{ModelCatalog, ResolvedModel};
pub(crate) use route::{ModelRoute, SmallRoute};
pub(crate) use stream::{StreamObserver, StreamOutcome, stream_answer};
