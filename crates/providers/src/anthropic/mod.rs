//! Anthropic Messages: what a request is in bytes, and what the events of an answer mean.

mod body;
mod breakpoints;
mod events;
mod failure;
mod message;
mod parser;
#[cfg(test)]
mod tests;

use forelook_protocol::{ProviderFailure, Secret};
use serde::Deserialize;

use crate::dialect::{Dialect, StreamParser};
use crate::tokens::count;
use crate::{ModelFacts, Request, WireFormat};

/// The version of the protocol that is spoken here; servers keep old ones alive.
const VERSION: &str = "2023-06-01";

/// Servers that speak Anthropic Messages.
pub(crate) struct Anthropic;

impl Dialect for Anthropic {
    fn wire_format(&self) -> WireFormat {
        WireFormat::Anthropic
    }

    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        headers.extend(key.map(|key| credential(key.expose())));
        headers
    }

    fn body(&self, request: &Request, facts: &ModelFacts) -> bytes::Bytes {
        body::answer(request, facts)
    }

    fn parser(&self) -> Box<dyn StreamParser> {
        Box::new(parser::MessageParser::default())
    }

    fn failure_of(&self, status: u16, text: &str) -> Option<ProviderFailure> {
        failure::failure_of(status, text)
    }

    fn count_request(&self, request: &Request, facts: &ModelFacts) -> Option<(&'static str, bytes::Bytes)> {
        Some(("/v1/messages/count_tokens", body::count(request, facts)))
    }

    fn parse_count(&self, text: &str) -> Option<u64> {
        #[derive(Deserialize)]
        struct Counted {
            #[serde(deserialize_with = "count")]
            input_tokens: Option<u64>,
        }
        serde_json::from_str::<Counted>(text).ok()?.input_tokens
    }
}

/// Keys have a header of their own. Tokens go where tokens usually go: those that a login gave out, which are known by
/// how they begin, and whatever is said to be one by the word before it, as gateways want theirs.
fn credential(key: &str) -> (&'static str, String) {
    match key.strip_prefix("Bearer ") {
        Some(token) => ("authorization", format!("Bearer {}", token.trim())),
        None if key.starts_with("sk-ant-oat") => ("authorization", format!("Bearer {key}")),
        None => ("x-api-key", key.to_owned()),
    }
}
