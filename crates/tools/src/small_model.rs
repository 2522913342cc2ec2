//! The small model, for the tools that have a question of their own.

use forelook_protocol::{CallId, Cost, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// A model for small questions.
pub trait SmallModel: Send + Sync {
    /// Puts one question to the small model, or to the session's where there is none. It has no tools and no memory. An
    /// error says why there is no answer.
    fn ask(&self, question: SmallModelRequest) -> BoxFuture<'_, Result<SmallModelReply, String>>;
}

/// A question to the small model.
#[derive(Debug, Clone)]
pub struct SmallModelRequest {
    /// The call that needs the answer.
    pub call: CallId,
    /// What the model is told before anything else.
    pub system: String,
    /// The question, with all it is about.
    pub text: String,
    /// Cancelled when the answer is no longer wanted.
    pub cancel: CancellationToken,
}

/// What the small model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallModelReply {
    /// Its words.
    pub text: String,
    /// Who answered.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, where the price is known.
    pub cost: Option<Cost>,
}

/// Nobody to ask: for calls that belong to no session, and for tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSmallModel;

impl SmallModel for NoSmallModel {
    fn ask(&self, _: SmallModelRequest) -> BoxFuture<'_, Result<SmallModelReply, String>> {
        async { Err("no model is available".to_owned()) }.boxed()
    }
}
