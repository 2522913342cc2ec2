//! The forms of `stream-json`: what other programs send us and read from us.

pub(crate) mod agents;
pub(crate) mod ask;
pub(crate) mod choices;
pub(crate) mod hooks;
pub(crate) mod incoming;
pub(crate) mod models;
pub(crate) mod outgoing;
pub(crate) mod partial;
pub(crate) mod plan;
