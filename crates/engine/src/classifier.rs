//! Somebody who judges what rules leave open: slow, asked with the conversation at hand, and believed only as long as
//! nothing changed meanwhile.

use std::sync::Arc;

use forelook_protocol::{Action, Message, Origin, Reason, ToolCall};
use forelook_providers::WireCached;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// Judges calls.
pub trait Classifier: Send + Sync {
    /// Judges one. It may take its time, and ends soon after `cancel` is cancelled.
    fn classify(
        &self,
        request: ClassifierRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, ClassifierVerdict>;
}

/// What is to be judged.
#[derive(Clone)]
pub struct ClassifierRequest {
    /// The call, with the input that it would run with.
    pub call: ToolCall,
    /// What it would do.
    pub action: Action,
    /// Why it is not decided without a judge.
    pub reason: Reason,
    /// What was said before, oldest first.
    pub conversation: Vec<AuthoredMessage>,
}

/// A message, and whose it is: only a person authorizes.
#[derive(Debug, Clone)]
pub struct AuthoredMessage {
    /// Who said it.
    pub author: Author,
    /// What was said.
    pub message: Arc<WireCached<Message>>,
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// A prompt.
    Prompt(Origin),
    /// The program itself.
    Reminder,
    /// The model.
    Model,
    /// Tools.
    Results,
}

/// What a judge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierVerdict {
    /// It may run, because of this.
    Allow(String),
    /// It may not, because of this.
    Deny(String),
    /// A person should decide, because of this.
    Ask(String),
}
