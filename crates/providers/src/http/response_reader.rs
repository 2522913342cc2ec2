//! One answer: its bytes are events, and these mean something in a dialect.

use std::ops::ControlFlow;

use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure, without_lone_surrogates};
use tokio::time::{Instant, timeout_at};

use super::connection_failure;
use super::redact::{self, Redactor};
use super::response_body::{BodyKind, ReadError, ResponseBody};
use super::sse::Decoder;
use crate::dialect::{Dialect, StreamParser};

/// An answer while it is read.
pub(super) struct ResponseReader {
    response_body: ResponseBody,
    decoder: Decoder,
    parser: Box<dyn StreamParser>,
    redactor: Redactor,
    /// Set once the answer is complete, though the server has not ended it: until then it may.
    complete_until: Option<Instant>,
}

impl ResponseReader {
    /// The answer, if it is one.
    pub(super) async fn begin(
        mut response_body: ResponseBody,
        dialect: &dyn Dialect,
        redactor: Redactor,
    ) -> Result<Self, ProviderFailure> {
        let content = response_body.content().await.map_err(into_failure)?;
        if content == BodyKind::Events {
            return Ok(Self {
                response_body,
                decoder: Decoder::default(),
                parser: dialect.parser(),
                redactor,
                complete_until: None,
            });
        }
        let text = redactor.raw(response_body.text().await);
        Err(redactor.failure(not_a_stream(content, &text, dialect, &response_body)))
    }

    /// Reads what has arrived, and waits for something if that is nothing. Whether it was the end.
    pub(super) async fn read_more(&mut self, out: &mut Vec<AnswerEvent>) -> ControlFlow<()> {
        let next = match self.complete_until {
            // Nothing more is due: what has come is the answer, and a server that does not say so is not waited for.
            Some(until) => timeout_at(until, self.response_body.next()).await.unwrap_or(Ok(None)),
            None => self.response_body.next().await,
        };
        let error = match next {
            Ok(Some(chunk)) => {
                let before = out.len();
                let flow = self.read(&chunk, out);
                // What is added to the last piece has come with one before, which counted.
                let has_content = out.iter().skip(before).any(is_content);
                self.note_complete(has_content);
                match self.response_body.progress(has_content || flow.is_break()) {
                    Ok(()) => return flow,
                    Err(error) => Some(error),
                }
            }
            Ok(None) if self.response_body.is_empty() => Some(ReadError::Aborted(empty_response())),
            Ok(None) => None,
            Err(error) => Some(error),
        };
        self.on_end(error, out);
        ControlFlow::Break(())
    }

    /// From the end of an answer on the clock runs; what still comes of it sets it anew.
    fn note_complete(&mut self, has_content: bool) {
        if !self.parser.is_complete() {
            self.complete_until = None;
        } else if has_content || self.complete_until.is_none() {
            self.complete_until = Some(self.response_body.end_due());
        }
    }

    /// The server has ended the answer; what it sends after that is read beside.
    pub(super) async fn close(self) {
        self.response_body.close().await;
    }

    fn read(&mut self, chunk: &[u8], out: &mut Vec<AnswerEvent>) -> ControlFlow<()> {
        let Self { decoder, parser, redactor, .. } = self;
        let flow = decoder.feed(chunk, |name, data| {
            parser.event(name, &without_lone_surrogates(data), out);
            join_pieces(out);
            let over = is_over(out);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let flow = flow.unwrap_or_else(|why| {
            let message = format!("Cannot read the response: {why}");
            out.push(AnswerEvent::Failed(ProviderFailure::new(FailureKind::Garbled, message)));
            ControlFlow::Break(())
        });
        if let Some(AnswerEvent::Failed(failure)) = out.last_mut() {
            *failure = redactor.failure(failure.clone());
        }
        flow
    }

    /// No more bytes will come. An answer may be whole all the same: some servers send its end and do not say that it
    /// was the end, or cut the connection instead of closing it.
    fn on_end(&mut self, error: Option<ReadError>, out: &mut Vec<AnswerEvent>) {
        let cause = match error {
            Some(ReadError::Aborted(failure))
                if failure.kind != FailureKind::Silence || !self.parser.is_complete() =>
            {
                out.push(AnswerEvent::Failed(failure));
                return;
            }
            Some(ReadError::Aborted(failure) | ReadError::Cut(failure)) => Some(failure),
            None => None,
        };
        let Self { decoder, parser, redactor, .. } = self;
        decoder.finish(|name, data| {
            parser.event(name, &without_lone_surrogates(data), out);
            ControlFlow::Continue(())
        });
        if !is_over(out) {
            parser.closed(out);
        }
        if let Some(AnswerEvent::Failed(failure)) = out.last_mut() {
            // How it broke says more than that it did.
            let known = cause.filter(|_| failure.kind == FailureKind::Connection);
            *failure = redactor.failure(known.unwrap_or_else(|| failure.clone()));
        }
    }
}

/// Pieces of one text that arrived together are one piece: whoever listens has less to do.
fn join_pieces(out: &mut Vec<AnswerEvent>) {
    let [.., before, last] = out.as_mut_slice() else { return };
    match (before, last) {
        (AnswerEvent::Text { text }, AnswerEvent::Text { text: more })
        | (AnswerEvent::Thinking { text }, AnswerEvent::Thinking { text: more })
        | (AnswerEvent::Input { json: text }, AnswerEvent::Input { json: more }) => text.push_str(more),
        _ => return,
    }
    out.pop();
}

/// Whether something of the answer is in an event. The beginning and the end of a block are not: a server could send them
/// forever, and nothing would come of it.
fn is_content(event: &AnswerEvent) -> bool {
    match event {
        AnswerEvent::Started { .. }
        | AnswerEvent::Text { .. }
        | AnswerEvent::Thinking { .. }
        | AnswerEvent::Signature { .. }
        | AnswerEvent::CallStarted { .. }
        | AnswerEvent::Input { .. }
        | AnswerEvent::Opaque { .. } => true,
        AnswerEvent::TextStarted
        | AnswerEvent::ThinkingStarted
        | AnswerEvent::BlockEnded
        | AnswerEvent::Retrying(_)
        | AnswerEvent::Done { .. }
        | AnswerEvent::Failed(_) => false,
    }
}

fn is_over(out: &[AnswerEvent]) -> bool {
    matches!(out.last(), Some(AnswerEvent::Done { .. } | AnswerEvent::Failed(_)))
}

fn into_failure(error: ReadError) -> ProviderFailure {
    match error {
        ReadError::Cut(failure) | ReadError::Aborted(failure) => failure,
    }
}

fn empty_response() -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::Connection,
        "The server sent an empty response: it closed the stream immediately",
    )
}

/// The status says that all is well, but the body is no stream of events.
fn not_a_stream(
    content: BodyKind,
    text: &str,
    dialect: &dyn Dialect,
    response_body: &ResponseBody,
) -> ProviderFailure {
    let status = response_body.response().status().as_u16();
    let asked =
        format!("The request went to `{}`: check the base URL", redact::redacted_url(&response_body.url));
    let garbled = |message: String| ProviderFailure::new(FailureKind::Garbled, message).hint(asked.clone());
    let failure = match content {
        BodyKind::Page => connection_failure::page(text, &response_body.url),
        // Some servers say "all is well" and then why it is not.
        BodyKind::Json => dialect.failure_of(status, text).unwrap_or_else(|| {
            garbled(format!(
                "The server did not stream its response: {}",
                redact::body_summary(text).unwrap_or_default()
            ))
        }),
        BodyKind::Nothing => garbled("The server sent an empty response".to_owned()),
        BodyKind::Events | BodyKind::Other => garbled(format!(
            "The server did not send a valid response: {}",
            redact::body_summary(text).unwrap_or_default()
        )),
    };
    ProviderFailure { status: Some(status), ..failure }
}
