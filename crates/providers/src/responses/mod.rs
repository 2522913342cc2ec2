//! OpenAI Responses, without any state on the server.

mod reader;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use crate::Form;
use crate::openai::OpenAi;

/// Speaks Responses.
pub(crate) const RESPONSES: OpenAi = OpenAi {
    form: Form::Responses,
    path: "/responses",
    body: request::body,
    reader: || Box::<reader::Answer>::default(),
};
