//! An answer as a stream of its events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec;

use forelook_protocol::{AnswerEvent, ProviderFailure};
use futures::stream::{self, BoxStream, Stream, StreamExt};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::Endpoint;
use super::post::Post;
use super::response_reader::ResponseReader;
use crate::dialect::Dialect;
use crate::{ModelFacts, Request};

/// What is asked, of whom.
pub(super) struct StreamRequest {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) facts: Arc<ModelFacts>,
    pub(super) request: Request,
    pub(super) dialect: &'static dyn Dialect,
}

/// The events of one answer, handed out one by one as they are there; they arrive many at a time.
pub(super) struct HttpAnswerStream {
    /// Gone when it is over, and with it the connection.
    batches: Option<BoxStream<'static, Vec<AnswerEvent>>>,
    ready: vec::IntoIter<AnswerEvent>,
    cancel: CancellationToken,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl HttpAnswerStream {
    pub(super) fn new(stream_request: StreamRequest, cancel: CancellationToken) -> Self {
        let batches = stream::unfold(StreamPhase::Sending(Box::new(stream_request)), step).boxed();
        let cancelled = Box::pin(cancel.clone().cancelled_owned());
        Self { batches: Some(batches), ready: Vec::new().into_iter(), cancel, cancelled }
    }
}

impl Stream for HttpAnswerStream {
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
enum StreamPhase {
    Sending(Box<StreamRequest>),
    Reading(Box<ResponseReader>),
    /// The last event is here; before it is handed out the server may close the answer.
    Closing(Box<ResponseReader>, AnswerEvent),
    Over,
}

async fn step(phase: StreamPhase) -> Option<(Vec<AnswerEvent>, StreamPhase)> {
    match phase {
        StreamPhase::Sending(stream_request) => Some(match stream_request.send().await {
            Ok(reader) => (Vec::new(), StreamPhase::Reading(Box::new(reader))),
            Err(failure) => (vec![AnswerEvent::Failed(failure)], StreamPhase::Over),
        }),
        StreamPhase::Reading(mut reader) => {
            let mut events = Vec::new();
            if reader.read_more(&mut events).await.is_continue() {
                return Some((events, StreamPhase::Reading(reader)));
            }
            let after = match events.pop_if(|it| matches!(it, AnswerEvent::Done { .. })) {
                Some(done) => StreamPhase::Closing(reader, done),
                None => StreamPhase::Over,
            };
            Some((events, after))
        }
        StreamPhase::Closing(reader, done) => {
            reader.close().await;
            Some((vec![done], StreamPhase::Over))
        }
        StreamPhase::Over => None,
    }
}

impl StreamRequest {
    async fn send(&self) -> Result<ResponseReader, ProviderFailure> {
        let dialect = self.dialect;
        let body = dialect.body(&self.request, &self.facts);
        let post = Post {
            endpoint: &self.endpoint,
            dialect,
            path: dialect.path(),
            body,
            accept: "text/event-stream",
        };
        let (response_body, redactor) = post.send().await?;
        ResponseReader::begin(response_body, dialect, redactor).await
    }
}
