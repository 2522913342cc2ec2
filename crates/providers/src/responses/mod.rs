//! OpenAI Responses, without any state on the server.

mod reader;
mod request;
#[cfg(test)]
mod tests;
mod wire;

use forelook_protocol::{ProviderFailure, Secret};

use crate::dialect::{Dialect, Reader};
use crate::openai::{bearer, read_failure};
use crate::{Form, ModelFacts, Request};

/// Speaks Responses.
pub(crate) struct Responses;

impl Dialect for Responses {
    fn form(&self) -> Form {
        Form::Responses
    }

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, request: &Request, facts: &ModelFacts) -> bytes::Bytes {
        request::body(request, facts)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<reader::Answer>::default()
    }

    fn refusal(&self, status: u16, text: &str) -> Option<ProviderFailure> {
        read_failure(Some(status), text)
    }
}
