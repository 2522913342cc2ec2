//! One answer of a model, as often as it takes: an attempt that fails is made again where that may help, and nothing of
//! it is kept.

use std::time::Duration;

use forelook_protocol::{
    AnswerBlock, AnswerEvent, CallId, ModelAnswered, ProviderFailure, Retry, StopReason, ToolCall, Usage,
};
use forelook_providers::{AnswerStream, Request, stream_truncated};
use forelook_tools::{is_too_deep, parse_input};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;

use super::retry::{MAX_ATTEMPTS, RetryDecision, jitter_seed, retry_decision};
use super::route::ModelRoute;
use crate::clock::instant;

/// After so many events that were there at once, others get their turn: all tasks share one thread, and a server that is
/// fast sends thousands of events in one piece.
const YIELD_AFTER: usize = 128;

/// What came of asking a model.
#[derive(Debug)]
pub(crate) enum StreamOutcome {
    /// A whole answer.
    Complete(ModelAnswered),
    /// A person interrupted; the words that had arrived, if any.
    Interrupted(Option<ModelAnswered>),
    /// No answer. A half-received one is never carried out, nor kept.
    Failed(ProviderFailure),
}

/// Whoever hears an answer while it arrives.
pub(crate) trait StreamObserver: Send {
    /// The next event of the stream.
    fn event(&mut self, event: AnswerEvent);

    /// A call is whole, and nothing more has arrived yet: there is time to prefetch for it. An answer that is here in
    /// full is quicker carried out than prefetched for, so this is not called for every call.
    fn waiting_after<'a>(&'a mut self, call: &'a ToolCall) -> BoxFuture<'a, ()> {
        let _ = call;
        std::future::ready(()).boxed()
    }

    /// The attempt failed: what was heard of it is void.
    fn attempt_failed(&mut self) {}
}

/// Asks the model and gathers what it says, as often as it takes.
pub(crate) async fn stream_answer(
    route: ModelRoute<'_>,
    request: Request,
    observer: &mut dyn StreamObserver,
    cancel: &CancellationToken,
) -> StreamOutcome {
    let began = instant();
    let mut attempt = 1;
    let mut outcome = loop {
        let model = route.current();
        let asked = Request { model: model.name.clone(), ..request.clone() };
        let stream = model.provider.stream(asked, cancel.clone());
        let failure = match one_attempt(stream, observer, cancel).await {
            StreamOutcome::Failed(failure) => failure,
            outcome => break outcome,
        };
        observer.attempt_failed();
        attempt += 1;
        let alternative = route.alternative();
        let (wait, instead) =
            match retry_decision(&failure, attempt - 1, alternative.is_some(), jitter_seed()) {
                RetryDecision::GiveUp => break StreamOutcome::Failed(with_attempts(failure, attempt - 1)),
                RetryDecision::Backoff(wait) => (wait, None),
                RetryDecision::Fallback => (Duration::ZERO, alternative.map(|choice| choice.id.clone())),
            };
        *route.on_fallback |= instead.is_some();
        tracing::warn!(%failure, attempt, ?wait, ?instead, "asking again");
        observer.event(AnswerEvent::Retrying(Retry {
            failure,
            attempt,
            max_attempts: MAX_ATTEMPTS,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            fallback: instead,
        }));
        tokio::select! {
            () = cancel.cancelled() => break StreamOutcome::Interrupted(None),
            () = tokio::time::sleep(wait) => {}
        }
    };
    if let StreamOutcome::Complete(answered) | StreamOutcome::Interrupted(Some(answered)) = &mut outcome {
        answered.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        answered.cost = route.current().facts.price.map(|price| price.of(&answered.usage));
    }
    outcome
}

/// The failure that the turn ends with; a person who waited is told for how many attempts.
fn with_attempts(failure: ProviderFailure, attempts: u32) -> ProviderFailure {
    match attempts {
        0 | 1 => failure,
        _ => {
            let message = format!("{} ({attempts} attempts)", failure.message);
            ProviderFailure { message, ..failure }
        }
    }
}

async fn one_attempt(
    mut stream: AnswerStream,
    observer: &mut dyn StreamObserver,
    cancel: &CancellationToken,
) -> StreamOutcome {
    let mut answer = PartialAnswer::default();
    let (mut offered_blocks, mut since_yield) = (0, 0);
    loop {
        since_yield += 1;
        if since_yield == YIELD_AFTER {
            since_yield = 0;
            tokio::task::yield_now().await;
        }
        let event = match stream.next().now_or_never() {
            Some(_) if cancel.is_cancelled() => None,
            Some(event) => event,
            None => {
                since_yield = 0;
                let done = answer.blocks();
                for block in done.iter().skip(std::mem::replace(&mut offered_blocks, done.len())) {
                    if let AnswerBlock::ToolUse(call) = block {
                        observer.waiting_after(call).await;
                    }
                }
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => None,
                    event = stream.next() => event,
                }
            }
        };
        let Some(event) = event else {
            return if cancel.is_cancelled() {
                StreamOutcome::Interrupted(answer.cut())
            } else {
                StreamOutcome::Failed(stream_truncated())
            };
        };
        match &event {
            AnswerEvent::Done { stop, usage } => {
                let answered = answer.whole(*stop, *usage);
                observer.event(event);
                return StreamOutcome::Complete(answered);
            }
            AnswerEvent::Failed(failure) => return StreamOutcome::Failed(failure.clone()),
            _ => answer.add(&event),
        }
        observer.event(event);
    }
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
struct PartialAnswer {
    message: String,
    model: String,
    done: Vec<AnswerBlock>,
    open: Option<OpenBlock>,
}

#[derive(Debug)]
enum OpenBlock {
    Text(String),
    Thinking { text: String, signature: String },
    Call { id: CallId, name: String, json: String },
}

impl PartialAnswer {
    /// The blocks that are complete.
    fn blocks(&self) -> &[AnswerBlock] {
        &self.done
    }

    fn add(&mut self, event: &AnswerEvent) {
        match (event, &mut self.open) {
            (AnswerEvent::Started { id, model }, _) => {
                (self.message, self.model) = (id.clone(), model.clone())
            }
            (AnswerEvent::TextStarted, _) => self.begin(OpenBlock::Text(String::new())),
            (AnswerEvent::ThinkingStarted, _) => {
                self.begin(OpenBlock::Thinking { text: String::new(), signature: String::new() });
            }
            (AnswerEvent::CallStarted { id, name }, _) => {
                self.begin(OpenBlock::Call { id: id.clone(), name: name.clone(), json: String::new() });
            }
            (AnswerEvent::Text { text: more }, Some(OpenBlock::Text(text)))
            | (AnswerEvent::Thinking { text: more }, Some(OpenBlock::Thinking { text, .. }))
            | (AnswerEvent::Input { json: more }, Some(OpenBlock::Call { json: text, .. }))
            | (
                AnswerEvent::Signature { signature: more },
                Some(OpenBlock::Thinking { signature: text, .. }),
            ) => {
                text.push_str(more);
            }
            (AnswerEvent::BlockEnded, _) => self.end_block(),
            // An entry with it could not be loaded again.
            (AnswerEvent::Opaque { item, .. }, _) if is_too_deep(item) => {
                self.end_block();
                tracing::warn!("a sealed block that is nested too deeply");
            }
            (AnswerEvent::Opaque { wire_format: by, item }, _) => {
                self.end_block();
                self.done.push(AnswerBlock::Opaque { wire_format: by.clone(), item: item.clone() });
            }
            // A piece for a block that is not open: a provider's mistake that must not cost the answer.
            (AnswerEvent::Text { .. } | AnswerEvent::Thinking { .. } | AnswerEvent::Input { .. }, _)
            | (AnswerEvent::Signature { .. } | AnswerEvent::Retrying(_), _)
            | (AnswerEvent::Done { .. } | AnswerEvent::Failed(_), _) => {
                tracing::warn!(?event, "an answer event out of place");
            }
        }
    }

    fn begin(&mut self, open: OpenBlock) {
        self.end_block();
        self.open = Some(open);
    }

    fn end_block(&mut self) {
        // No provider takes an empty text back.
        let open = self.open.take().filter(|open| !matches!(open, OpenBlock::Text(text) if text.is_empty()));
        self.done.extend(open.map(OpenBlock::into_block));
    }

    fn whole(&mut self, stop: StopReason, usage: Usage) -> ModelAnswered {
        self.end_block();
        self.answered(stop, usage)
    }

    /// What to keep of an interrupted answer: words. A call that was not carried out would need a result,
    /// and thinking without its end has no valid signature.
    fn cut(&mut self) -> Option<ModelAnswered> {
        self.end_block();
        self.done.retain(|block| matches!(block, AnswerBlock::Text { .. }));
        (!self.done.is_empty()).then(|| self.answered(StopReason::Interrupted, Usage::default()))
    }

    fn answered(&mut self, stop: StopReason, usage: Usage) -> ModelAnswered {
        ModelAnswered {
            message: std::mem::take(&mut self.message),
            model: std::mem::take(&mut self.model),
            blocks: std::mem::take(&mut self.done),
            wrapped: Vec::new(),
            stop,
            usage,
            cost: None,
            took_ms: 0,
        }
    }
}

impl OpenBlock {
    fn into_block(self) -> AnswerBlock {
        match self {
            OpenBlock::Text(text) => AnswerBlock::Text { text },
            OpenBlock::Thinking { text, signature } => AnswerBlock::Thinking { thinking: text, signature },
            OpenBlock::Call { id, name, json } => {
                AnswerBlock::ToolUse(ToolCall { id, name, input: parse_input(json) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NullObserver;

    impl StreamObserver for NullObserver {
        fn event(&mut self, _: AnswerEvent) {}
    }

    #[tokio::test]
    async fn others_get_their_turn_between_pieces_that_are_there_at_once() {
        const PIECES: usize = 10_000;
        let piece = |_| AnswerEvent::Text { text: "piece ".into() };
        let end = AnswerEvent::Done { stop: StopReason::EndTurn, usage: Usage::default() };
        let all = std::iter::once(AnswerEvent::TextStarted).chain((0..PIECES).map(piece)).chain([end]);
        let stream: AnswerStream = futures::stream::iter(all.collect::<Vec<_>>()).boxed();
        let mut turns = 0;
        let others = async {
            loop {
                turns += 1;
                tokio::task::yield_now().await;
            }
        };
        let (mut nobody, cancel) = (NullObserver, CancellationToken::new());
        let outcome = tokio::select! {
            biased;
            outcome = one_attempt(stream, &mut nobody, &cancel) => outcome,
            () = others => return,
        };
        assert!(matches!(outcome, StreamOutcome::Complete(_)));
        assert!(turns >= PIECES / YIELD_AFTER, "{turns}");
    }
}
