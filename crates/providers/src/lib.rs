//! Stream one answer from a model.
//!
//! The contract is [`Provider`]: a request goes in, a stream of [`AnswerEvent`]s comes out, and failures
//! are events of that stream. One attempt is one stream; whoever asks decides whether to ask again.
//! The scripted model ([`scripted`]) needs no network.

mod anthropic;
pub mod catalog;
mod chat;
mod dialect;
mod facts;
mod failure;
mod http;
mod names;
mod openai;
mod previous_body;
mod request;
mod responses;
pub mod scripted;
mod tokens;

use forelook_protocol::BoxFuture;
use futures::stream::BoxStream;
use tokio_util::sync::CancellationToken;

pub use facts::{Capability, Effort, ModelFacts, Thinking};
pub use failure::stream_truncated;
pub use forelook_protocol::{AnswerEvent, ProviderFailure};
pub use http::{Endpoint, HttpProvider, KeyRequest, KeySource};
pub use previous_body::PreviousBody;
pub use request::{CacheTtl, Request, WireCached, WireFormat};

/// An answer while it arrives. Ends with exactly one `Done` or `Failed`, unless it was cancelled.
pub type AnswerStream = BoxStream<'static, AnswerEvent>;

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// Asks. Returns at once; nothing is sent before the stream is polled, and nothing is thrown:
    /// whatever goes wrong is an [`AnswerEvent::Failed`]. When `cancel` fires the stream ends early.
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream;

    /// How many tokens this request would be, where the provider can tell; nothing where it cannot. A turn asks before it
    /// makes a conversation shorter that only seems too long.
    fn count_tokens(&self, _: Request) -> BoxFuture<'_, Result<Option<u64>, ProviderFailure>> {
        Box::pin(async { Ok(None) })
    }

    /// Gets ready to be asked: whatever a first request would have to wait for is begun now, beside.
    fn warm_up(&self) {}

    /// Whether tools can be held back and added later without losing what the provider has cached. Where it cannot, all
    /// tools are sent from the start.
    fn defers_tools(&self) -> bool {
        false
    }
}
