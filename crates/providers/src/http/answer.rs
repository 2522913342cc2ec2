//! An answer as a stream of its events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec;

use forelook_protocol::{AnswerEvent, ProviderFailure};
use futures::stream::{self, BoxStream, Stream, StreamExt};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::Server;
use super::post::Post;
use super::reading::Reading;
use crate::dialect::Dialect;
use crate::{ModelFacts, Request};

/// What is asked, of whom.
pub(super) struct Question {
    pub(super) server: Arc<Server>,
    pub(super) facts: Arc<ModelFacts>,
    pub(super) request: Request,
    pub(super) dialect: &'static dyn Dialect,
}

/// The events of one answer, handed out one by one as they are there; they arrive many at a time.
pub(super) struct Answer {
    /// Gone when it is over, and with it the connection.
    batches: Option<BoxStream<'static, Vec<AnswerEvent>>>,
    ready: vec::IntoIter<AnswerEvent>,
    cancel: CancellationToken,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Answer {
    pub(super) fn new(question: Question, cancel: CancellationToken) -> Self {
        let batches = stream::unfold(Phase::Asking(Box::new(question)), step).boxed();
        let cancelled = Box::pin(cancel.clone().cancelled_owned());
        Self { batches: Some(batches), ready: Vec::new().into_iter(), cancel, cancelled }
    }
}

impl Stream for Answer {
    type Item = AnswerEvent;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AnswerEvent>> {
        let this = self.get_mut();
        loop {
            if this.cancel.is_cancelled() {
                this.batches = None;
                return Poll::Ready(None);
            }
            if let Some(event) = this.ready.next() {
                return Poll::Ready(Some(event));
            }
            let Some(batches) = &mut this.batches else { return Poll::Ready(None) };
            match batches.poll_next_unpin(cx) {
                Poll::Ready(Some(batch)) => this.ready = batch.into_iter(),
                Poll::Ready(None) => this.batches = None,
                Poll::Pending if this.cancelled.as_mut().poll(cx).is_ready() => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// How far an answer is. Boxes, because a phase is moved at each step.
enum Phase {
    Asking(Box<Question>),
    Reading(Box<Reading>),
    /// The last event is here; before it is handed out the server may close the answer.
    Closing(Box<Reading>, AnswerEvent),
    Over,
}

async fn step(phase: Phase) -> Option<(Vec<AnswerEvent>, Phase)> {
    match phase {
        Phase::Asking(question) => Some(match question.ask().await {
            Ok(reading) => (Vec::new(), Phase::Reading(Box::new(reading))),
            Err(failure) => (vec![AnswerEvent::Failed(failure)], Phase::Over),
        }),
        Phase::Reading(mut reading) => {
            let mut events = Vec::new();
            if reading.more(&mut events).await.is_continue() {
                return Some((events, Phase::Reading(reading)));
            }
            let after = match events.pop_if(|it| matches!(it, AnswerEvent::Done { .. })) {
                Some(done) => Phase::Closing(reading, done),
                None => Phase::Over,
            };
            Some((events, after))
        }
        Phase::Closing(reading, done) => {
            reading.close().await;
            Some((vec![done], Phase::Over))
        }
        Phase::Over => None,
    }
}

impl Question {
    async fn ask(&self) -> Result<Reading, ProviderFailure> {
        let dialect = self.dialect;
        let body = dialect.body(&self.request, &self.facts);
        let post =
            Post { server: &self.server, dialect, path: dialect.path(), body, accept: "text/event-stream" };
        let (incoming, scrub) = post.send().await?;
        Reading::begin(incoming, dialect, scrub).await
    }
}
