//! One request, in our own words; each provider translates it to its wire.

use std::sync::Arc;

use forelook_protocol::{Message, ToolSpec};
use serde::Serialize;

/// Everything a model is given for one answer.
///
/// Messages are shared, not copied: a long conversation costs a pointer a message, and what a provider
/// makes of a message can be kept beside it.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The model's name, without its provider.
    pub model: String,
    /// The system prompt, block by block; the same for a whole session, so that it can be cached.
    pub system: Arc<[String]>,
    /// The tools on offer, always in the same order.
    pub tools: Arc<[ToolSpec]>,
    /// The conversation; a request only ever appends to the one before.
    pub messages: Vec<Arc<Message>>,
}
