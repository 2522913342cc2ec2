//! OpenAI Responses, without any state on the server.

mod parser;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use crate::WireFormat;
use crate::openai::OpenAi;

/// Speaks Responses.
pub(crate) const RESPONSES: OpenAi = OpenAi {
    wire_format: WireFormat::Responses,
    path: "/responses",
    body: request::body,
    parser: || Box::<parser::ResponsesParser>::default(),
};
