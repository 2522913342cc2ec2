//! A model behind a server: one request, one streamed answer.
//!
//! `post` sends, `response_body` has the bytes that come back, `sse` cuts them into events, `response_reader` has a dialect make
//! sense of these, `answer_stream` hands them on. The connections are `network`'s. What can go wrong is put into
//! words by `status_failure` (a status), `connection_failure` (a connection) and `redact` (what the server said).

mod answer_stream;
mod connection_failure;
mod post;
mod redact;
mod response_body;
mod response_reader;
mod sse;
mod status_failure;

use std::sync::Arc;
use std::time::Duration;

use forelook_network::{ClientSetupError, Connections};
use forelook_protocol::{BoxFuture, FailureKind, ProviderFailure, Secret};
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use self::answer_stream::{HttpAnswerStream, StreamRequest};
use self::post::Post;
use crate::dialect::Dialect;
use crate::{AnswerStream, ModelFacts, Provider, Request, WireFormat};

/// Where a model is asked, and how.
#[derive(Clone)]
pub struct Endpoint {
    /// How it is spoken to.
    pub wire_format: WireFormat,
    /// Its base address: `https://api.anthropic.com`, `https://api.openai.com/v1`.
    pub base: String,
    /// Its key.
    pub key: Arc<dyn KeySource>,
    /// How long it may say nothing before the attempt is given up.
    pub idle_timeout: Duration,
    /// The connections of the whole program.
    pub connections: Arc<Connections>,
}

/// Has a key. `host` implements it: a key may come from the environment, a file or a command.
pub trait KeySource: Send + Sync {
    /// The key; nothing where the server needs none. The error is for the person.
    fn key(&self, which: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>>;

    /// Where it comes from, as a person would name it: "the variable `ANTHROPIC_API_KEY`".
    fn origin(&self) -> String;
}

/// Which key is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequest {
    /// The one that is known.
    Cached,
    /// Another one, if there can be: the server has refused the known one.
    Refreshed,
}

/// A model behind a server.
pub struct HttpProvider {
    endpoint: Arc<Endpoint>,
    facts: Arc<ModelFacts>,
    dialect: &'static dyn Dialect,
}

impl HttpProvider {
    /// The model with these abilities on this server.
    pub fn new(endpoint: Endpoint, facts: ModelFacts) -> Self {
        let dialect = dialect(endpoint.wire_format);
        Self { endpoint: Arc::new(endpoint), facts: Arc::new(facts), dialect }
    }
}

/// No connection could even be tried.
fn not_ready(why: &ClientSetupError) -> ProviderFailure {
    let kind = match why {
        ClientSetupError::Client(_) => FailureKind::Connection,
        ClientSetupError::Proxy(_)
        | ClientSetupError::Certificates { .. }
        | ClientSetupError::NotPublic { .. } => FailureKind::BadRequest,
    };
    let failure = ProviderFailure::new(kind, why.to_string());
    match why.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn dialect(wire_format: WireFormat) -> &'static dyn Dialect {
    match wire_format {
        WireFormat::Anthropic => &crate::anthropic::Anthropic,
        WireFormat::Responses => &crate::responses::RESPONSES,
        WireFormat::Chat => &crate::chat::CHAT,
    }
}

impl Provider for HttpProvider {
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        let stream_request = StreamRequest {
            endpoint: Arc::clone(&self.endpoint),
            facts: Arc::clone(&self.facts),
            request,
            dialect: self.dialect,
        };
        HttpAnswerStream::new(stream_request, cancel).boxed()
    }

    fn count_tokens(&self, request: Request) -> BoxFuture<'_, Result<Option<u64>, ProviderFailure>> {
        Box::pin(async move {
            let Some((path, body)) = self.dialect.count_request(&request, &self.facts) else {
                return Ok(None);
            };
            let post = Post {
                endpoint: &self.endpoint,
                dialect: self.dialect,
                path,
                body,
                accept: "application/json",
            };
            let (mut response_body, redactor) = post.send().await?;
            let text = response_body.text().await;
            let counted = self.dialect.parse_count(&text).ok_or_else(|| {
                let message = format!("The server did not send a token count: {text}");
                redactor.failure(ProviderFailure::new(FailureKind::Garbled, message))
            })?;
            Ok(Some(counted))
        })
    }

    fn warm_up(&self) {
        if let Ok(url) = post::address(&self.endpoint.base, self.dialect.path()) {
            self.endpoint.connections.prepare(&url);
        }
    }
}
