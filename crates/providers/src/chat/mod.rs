//! OpenAI Chat Completions, and what compatible servers make of it.

mod calls;
mod parser;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use crate::WireFormat;
use crate::openai::OpenAi;

/// Speaks Chat Completions.
pub(crate) const CHAT: OpenAi = OpenAi {
    wire_format: WireFormat::Chat,
    path: "/chat/completions",
    body: request::body,
    parser: || Box::<parser::ChatParser>::default(),
};
