//! One answer: its bytes are events, and these mean something in a dialect.

use std::ops::ControlFlow;

use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure};

use super::incoming::{Broken, Content, Incoming};
use super::sse::Decoder;
use super::trouble;
use super::words::{self, Scrub};
use crate::dialect::{Dialect, Reader};

/// An answer while it is read.
pub(super) struct Reading {
    incoming: Incoming,
    decoder: Decoder,
    reader: Box<dyn Reader>,
    scrub: Scrub,
}

impl Reading {
    /// The answer, if it is one.
    pub(super) async fn begin(
        mut incoming: Incoming,
        dialect: &dyn Dialect,
        scrub: Scrub,
    ) -> Result<Self, ProviderFailure> {
        let content = incoming.content().await.map_err(given_up)?;
        if content == Content::Events {
            return Ok(Self { incoming, decoder: Decoder::default(), reader: dialect.reader(), scrub });
        }
        let text = scrub.raw(incoming.text().await);
        Err(scrub.failure(no_answer(content, &text, dialect, &incoming)))
    }

    /// Reads what has arrived, and waits for something if that is nothing. Whether it was the end.
    pub(super) async fn more(&mut self, out: &mut Vec<AnswerEvent>) -> ControlFlow<()> {
        let broken = match self.incoming.next().await {
            Ok(Some(chunk)) => return self.read(&chunk, out),
            Ok(None) if self.incoming.is_empty() => Some(Broken::GivenUp(nothing_came())),
            Ok(None) => None,
            Err(broken) => Some(broken),
        };
        self.ended(broken, out);
        ControlFlow::Break(())
    }

    /// The server has ended the answer; what it sends after that is read beside.
    pub(super) async fn close(self) {
        self.incoming.close().await;
    }

    fn read(&mut self, chunk: &[u8], out: &mut Vec<AnswerEvent>) -> ControlFlow<()> {
        let Self { decoder, reader, scrub, .. } = self;
        let flow = decoder.feed(chunk, |name, data| {
            reader.event(name, data, out);
            join_pieces(out);
            let over = is_over(out);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let flow = flow.unwrap_or_else(|why| {
            let message = format!("The answer cannot be read: {why}");
            out.push(AnswerEvent::Failed(ProviderFailure::new(FailureKind::Garbled, message)));
            ControlFlow::Break(())
        });
        if let Some(AnswerEvent::Failed(failure)) = out.last_mut() {
            *failure = scrub.failure(failure.clone());
        }
        flow
    }

    /// No more bytes will come. An answer may be whole all the same: some servers send its end and do not say that it
    /// was the end, or cut the connection instead of closing it.
    fn ended(&mut self, broken: Option<Broken>, out: &mut Vec<AnswerEvent>) {
        let cause = match broken {
            Some(Broken::GivenUp(failure)) => {
                out.push(AnswerEvent::Failed(failure));
                return;
            }
            Some(Broken::Cut(failure)) => Some(failure),
            None => None,
        };
        let Self { decoder, reader, scrub, .. } = self;
        decoder.finish(|name, data| {
            reader.event(name, data, out);
            ControlFlow::Continue(())
        });
        if !is_over(out) {
            reader.closed(out);
        }
        if let Some(AnswerEvent::Failed(failure)) = out.last_mut() {
            // How it broke says more than that it did.
            let known = cause.filter(|_| failure.kind == FailureKind::Connection);
            *failure = scrub.failure(known.unwrap_or_else(|| failure.clone()));
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

fn is_over(out: &[AnswerEvent]) -> bool {
    matches!(out.last(), Some(AnswerEvent::Done { .. } | AnswerEvent::Failed(_)))
}

fn given_up(broken: Broken) -> ProviderFailure {
    match broken {
        Broken::Cut(failure) | Broken::GivenUp(failure) => failure,
    }
}

fn nothing_came() -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::Connection,
        "The server's answer is empty: it closed the stream at once",
    )
}

/// The status says that all is well, but the body is no stream of events.
fn no_answer(content: Content, text: &str, dialect: &dyn Dialect, incoming: &Incoming) -> ProviderFailure {
    let status = incoming.response().status().as_u16();
    let asked = format!("`{}` was asked: is the base address right?", words::of_address(&incoming.url));
    let garbled = |message: String| ProviderFailure::new(FailureKind::Garbled, message).hint(asked.clone());
    let failure = match content {
        Content::Page => trouble::page(text, &incoming.url),
        // Some servers say "all is well" and then why it is not.
        Content::Json => dialect.refusal(status, text).unwrap_or_else(|| {
            garbled(format!(
                "The server answered in one piece instead of streaming: {}",
                words::of_body(text).unwrap_or_default()
            ))
        }),
        Content::Nothing => garbled("The server's answer is empty".to_owned()),
        Content::Events | Content::Other => {
            garbled(format!("What came is not an answer: {}", words::of_body(text).unwrap_or_default()))
        }
    };
    ProviderFailure { status: Some(status), ..failure }
}
