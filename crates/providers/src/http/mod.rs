//! A model behind a server: one request, one streamed answer.
//!
//! `post` sends, `incoming` has the bytes that come back, `sse` cuts them into events, `reading` has a dialect make
//! sense of these, `answer` hands them on. The connections are `network`'s. What can go wrong is put into
//! words by `refused` (a status), `trouble` (a connection) and `words` (what the server said).

mod answer;
mod incoming;
mod post;
mod reading;
mod refused;
mod sse;
mod trouble;
mod words;

use std::sync::Arc;
use std::time::Duration;

use forelook_network::{Connections, NotReady};
use forelook_protocol::{Boxed, FailureKind, ProviderFailure, Secret};
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use self::answer::{Answer, Question};
use self::post::Post;
use crate::dialect::Dialect;
use crate::{AnswerStream, Form, ModelFacts, Provider, Request};

/// Where a model is asked, and how.
#[derive(Clone)]
pub struct Server {
    /// How it is spoken to.
    pub form: Form,
    /// Its base address: `https://api.anthropic.com`, `https://api.openai.com/v1`.
    pub base: String,
    /// Its key.
    pub key: Arc<dyn KeySource>,
    /// How long it may say nothing before the attempt is given up.
    pub silence: Duration,
    /// The connections of the whole program.
    pub connections: Arc<Connections>,
}

/// Has a key. `host` implements it: a key may come from the environment, a file or a command.
pub trait KeySource: Send + Sync {
    /// The key; nothing where the server needs none. The error is for the person.
    fn key(&self, which: WhichKey) -> Boxed<'_, Result<Option<Secret>, String>>;

    /// Where it comes from, as a person would name it: "the variable `ANTHROPIC_API_KEY`".
    fn origin(&self) -> String;
}

/// Which key is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichKey {
    /// The one that is known.
    Known,
    /// Another one, if there can be: the server has refused the known one.
    Renewed,
}

/// A model behind a server.
pub struct Remote {
    server: Arc<Server>,
    facts: Arc<ModelFacts>,
    dialect: &'static dyn Dialect,
}

impl Remote {
    /// The model with these abilities on this server.
    pub fn new(server: Server, facts: ModelFacts) -> Self {
        let dialect = dialect(server.form);
        Self { server: Arc::new(server), facts: Arc::new(facts), dialect }
    }
}

/// No connection could even be tried.
fn not_ready(why: &NotReady) -> ProviderFailure {
    let kind = match why {
        NotReady::Client(_) => FailureKind::Connection,
        NotReady::Proxy(_) | NotReady::Certificates { .. } | NotReady::NotPublic { .. } => {
            FailureKind::BadRequest
        }
    };
    let failure = ProviderFailure::new(kind, why.to_string());
    match why.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn dialect(form: Form) -> &'static dyn Dialect {
    match form {
        Form::Anthropic => &crate::anthropic::Anthropic,
        Form::Responses => &crate::responses::RESPONSES,
        Form::Chat => &crate::chat::CHAT,
    }
}

impl Provider for Remote {
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        let question = Question {
            server: Arc::clone(&self.server),
            facts: Arc::clone(&self.facts),
            request,
            dialect: self.dialect,
        };
        Answer::new(question, cancel).boxed()
    }

    fn count_tokens(&self, request: Request) -> Boxed<'_, Result<Option<u64>, ProviderFailure>> {
        Box::pin(async move {
            let Some((path, body)) = self.dialect.count(&request, &self.facts) else { return Ok(None) };
            let post =
                Post { server: &self.server, dialect: self.dialect, path, body, accept: "application/json" };
            let (mut incoming, scrub) = post.send().await?;
            let text = incoming.text().await;
            let counted = self.dialect.counted(&text).ok_or_else(|| {
                let message = format!("What came is not a number of tokens: {text}");
                scrub.failure(ProviderFailure::new(FailureKind::Garbled, message))
            })?;
            Ok(Some(counted))
        })
    }

    fn warm_up(&self) {
        if let Ok(url) = post::address(&self.server.base, self.dialect.path()) {
            self.server.connections.prepare(&url);
        }
    }
}
