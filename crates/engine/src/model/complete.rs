//! One question to a model, without tools, memory or anybody who listens while it speaks.

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, AnswerEvent, Cost, Message, ProviderFailure, Usage, UserBlock};
use forelook_providers::{CacheTtl, PreviousBody, Request, WireCached};
use tokio_util::sync::CancellationToken;

use super::route::{ModelRoute, ResolvedModel};
use super::stream::{StreamObserver, StreamOutcome, stream_answer};

/// A question by itself.
pub(crate) struct OneShot {
    /// Who is asked.
    pub(crate) model: ResolvedModel,
    /// Who is asked while that one has too much to do.
    pub(crate) fallback: Option<ResolvedModel>,
    /// What the model is told before anything else.
    pub(crate) system: String,
    /// The question.
    pub(crate) text: String,
}

/// What the model said.
pub(crate) struct Completion {
    /// All its words; may be empty.
    pub(crate) text: String,
    /// Who answered.
    pub(crate) model: String,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<Cost>,
    pub(crate) took_ms: u64,
}

/// Why there is no completion. What was used up is told where something was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompletionError {
    /// Nobody wants it any more.
    #[error("interrupted")]
    Interrupted,
    /// The provider gave no answer.
    #[error("{0}")]
    Failed(ProviderFailure),
}

/// Asks once, and again where that may help.
pub(crate) async fn complete(
    question: OneShot,
    cancel: &CancellationToken,
) -> Result<Completion, CompletionError> {
    let OneShot { model, fallback, system, text } = question;
    let request = Request {
        model: model.name.clone(),
        system: Arc::new(vec![system].into()),
        tools: Arc::new(WireCached::new(Vec::new())),
        messages: Arc::new(vec![Arc::new(WireCached::new(Message::User(vec![UserBlock::Text { text }])))]),
        cache_ttl: CacheTtl::Short,
        previous_body: Arc::new(PreviousBody::default()),
    };
    let route = ModelRoute { model, fallback, on_fallback: &mut false };
    let answered = match stream_answer(route, request, &mut NullObserver, cancel).await {
        StreamOutcome::Complete(answered) => answered,
        StreamOutcome::Interrupted(_) => return Err(CompletionError::Interrupted),
        StreamOutcome::Failed(failure) => return Err(CompletionError::Failed(failure)),
    };
    // Whatever it calls is not there.
    let words = answered.blocks.into_iter().filter_map(|block| match block {
        AnswerBlock::Text { text } => Some(text),
        AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => None,
    });
    Ok(Completion {
        text: words.collect::<Vec<_>>().join("\n"),
        model: answered.model,
        usage: answered.usage,
        cost: answered.cost,
        took_ms: answered.took_ms,
    })
}

/// Hears nothing: for answers that nobody watches.
pub(crate) struct NullObserver;

impl StreamObserver for NullObserver {
    fn event(&mut self, _: AnswerEvent) {}
}
