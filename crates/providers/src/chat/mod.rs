//! OpenAI Chat Completions, and what compatible servers make of it.

mod calls;
mod reader;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use crate::Form;
use crate::openai::OpenAi;

/// Speaks Chat Completions.
pub(crate) const CHAT: OpenAi = OpenAi {
    form: Form::Chat,
    path: "/chat/completions",
    body: request::body,
    reader: || Box::<reader::Answer>::default(),
};
