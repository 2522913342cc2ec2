//! Stream one answer from a model.
//!
//! The contract is [`Provider`]: a request goes in, a stream of [`AnswerEvent`]s comes out, and failures
//! are events of that stream. There is one provider today, the scripted model ([`scripted`]); the ones that
//! speak to a server will stand beside it, a folder each.

mod request;
pub mod scripted;

use futures::stream::BoxStream;
use tokio_util::sync::CancellationToken;

pub use forelook_protocol::AnswerEvent;
pub use request::Request;

/// An answer while it arrives. Ends with exactly one `Done` or `Failed`, unless it was cancelled.
pub type AnswerStream = BoxStream<'static, AnswerEvent>;

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// Asks. Returns at once; nothing is sent before the stream is polled, and nothing is thrown:
    /// whatever goes wrong is an [`AnswerEvent::Failed`]. When `cancel` fires the stream ends early.
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream;

    /// Whether tools can be held back and added later without losing what the provider has cached. Where it cannot, all
    /// tools are sent from the start.
    fn defers_tools(&self) -> bool {
        false
    }
}
