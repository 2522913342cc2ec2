//! The bytes of one answer, while they arrive.

use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use forelook_protocol::{FailureKind, ProviderFailure};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, Url};
use tokio::time::{Instant, Sleep};

use super::connection_failure::{self, NetworkRoute};

/// One answer may be this long. The longest that models give are far below it; what is longer is no answer.
const ANSWER_LIMIT: u64 = 64 << 20;

/// Of a body that is no stream of events, this much is read.
pub(super) const TEXT_LIMIT: usize = 64 << 10;

/// And for no longer than this: what matters of it is in the status already.
const TEXT_TIMEOUT: Duration = Duration::from_secs(10);

/// As much is looked at to see what a body is.
const SNIFF_LENGTH: usize = 16;

/// The server may take this long to close an answer that is complete; after it the answer is handed on.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(5);

/// And this long in all, beside. The connection can be used again if it does.
const BACKGROUND_CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A server that has said why the model stopped may take this long for what it still has to say: that this was all, and what
/// it cost.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// So many times as long as a server may say nothing, it may send only signs of life: pings and comments. A model that thinks
/// for long without a word is kept alive by them; one that hangs behind a proxy that sends them is not waited for forever.
const SIGNS_OF_LIFE: u32 = 5;

/// The bytes of one answer.
pub(super) struct ResponseBody {
    response: Response,
    /// Read already, to see what it is.
    head: Bytes,
    pub(super) url: Url,
    proxy: Option<Url>,
    idle_timeout: Duration,
    /// Goes off now and then; only then is it looked whether anything was heard. To set it anew for each of twenty
    /// thousand pieces would cost more than to read them.
    idle_timer: Pin<Box<Sleep>>,
    last_received: Instant,
    /// When something came that belongs to the answer.
    last_progress: Instant,
    received: u64,
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    Events,
    Json,
    Page,
    Nothing,
    Other,
}

/// How a stream of bytes ended, if not well.
pub(super) enum ReadError {
    /// The connection broke.
    Cut(ProviderFailure),
    /// We gave it up.
    Aborted(ProviderFailure),
}

impl ResponseBody {
    pub(super) fn new(response: Response, url: Url, proxy: Option<Url>, idle_timeout: Duration) -> Self {
        let last_received = Instant::now();
        let idle_timer = Box::pin(tokio::time::sleep_until(last_received + idle_timeout));
        Self {
            response,
            head: Bytes::new(),
            url,
            proxy,
            idle_timeout,
            idle_timer,
            last_received,
            last_progress: last_received,
            received: 0,
        }
    }

    pub(super) fn response(&self) -> &Response {
        &self.response
    }

    /// Whether any byte has come.
    pub(super) fn is_empty(&self) -> bool {
        self.received == 0
    }

    /// Something of the answer has come, or only a sign of life; the second is believed for so long.
    pub(super) fn progress(&mut self, has_content: bool) -> Result<(), ReadError> {
        let limit = self.idle_timeout.saturating_mul(SIGNS_OF_LIFE);
        if has_content {
            self.last_progress = self.last_received;
        } else if self.last_received.duration_since(self.last_progress) >= limit {
            return Err(ReadError::Aborted(connection_failure::no_progress(limit, &self.route())));
        }
        Ok(())
    }

    /// Until when the server may end an answer that is complete.
    pub(super) fn end_due(&self) -> Instant {
        Instant::now() + self.idle_timeout.min(END_TIMEOUT)
    }

    /// More bytes; nothing at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, ReadError> {
        if !self.head.is_empty() {
            return Ok(Some(std::mem::take(&mut self.head)));
        }
        if self.response.content_length().is_some_and(|length| length > ANSWER_LIMIT) {
            return Err(too_long());
        }
        loop {
            tokio::select! {
                biased;
                chunk = self.response.chunk() => return self.on_chunk(chunk),
                () = &mut self.idle_timer => {
                    let due = self.last_received + self.idle_timeout;
                    if due <= Instant::now() {
                        return Err(ReadError::Aborted(connection_failure::idle_timeout(self.idle_timeout, &self.route())));
                    }
                    self.idle_timer.as_mut().reset(due);
                }
            }
        }
    }

    fn on_chunk(&mut self, chunk: reqwest::Result<Option<Bytes>>) -> Result<Option<Bytes>, ReadError> {
        let chunk =
            chunk.map_err(|error| ReadError::Cut(connection_failure::reading(&error, &self.route())))?;
        if let Some(chunk) = &chunk {
            self.last_received = Instant::now();
            self.received += chunk.len() as u64;
            if self.received > ANSWER_LIMIT {
                return Err(too_long());
            }
        }
        Ok(chunk)
    }

    fn route(&self) -> NetworkRoute<'_> {
        NetworkRoute { url: &self.url, proxy: self.proxy.as_ref() }
    }

    /// What this body is: what the server says, unless the first bytes say otherwise. Some servers send events and call
    /// them plain text, or nothing at all.
    pub(super) async fn content(&mut self) -> Result<BodyKind, ReadError> {
        let named = self.response.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        if named.is_some_and(|it| it.trim_start().to_ascii_lowercase().starts_with("text/event-stream")) {
            return Ok(BodyKind::Events);
        }
        let mut head = BytesMut::new();
        while sniff_text(&head).len() < SNIFF_LENGTH {
            match self.next().await? {
                Some(chunk) => head.extend_from_slice(&chunk),
                None => break,
            }
            // Blanks before the first word say only that the server is there.
            self.progress(false)?;
        }
        self.head = head.freeze();
        Ok(sniff(sniff_text(&self.head)))
    }

    /// The body as text, as far as it is read; what comes before a failure is better than nothing.
    pub(super) async fn text(&mut self) -> String {
        let mut text = Vec::new();
        let until = Instant::now() + TEXT_TIMEOUT;
        while text.len() < TEXT_LIMIT {
            match tokio::time::timeout_at(until, self.next()).await {
                Ok(Ok(Some(chunk))) => text.extend_from_slice(&chunk),
                _ => break,
            }
        }
        text.truncate(TEXT_LIMIT);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Reads what the server still sends after a complete answer, so that the connection can be used again. Waits for
    /// it only as long as nobody notices; most servers send it together with the end.
    pub(super) async fn close(mut self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, self.drain()).await.is_err() {
            tokio::spawn(async move { tokio::time::timeout(BACKGROUND_CLOSE_TIMEOUT, self.drain()).await });
        }
    }

    async fn drain(&mut self) {
        let mut drained = 0;
        while let Ok(Some(chunk)) = self.response.chunk().await {
            drained += chunk.len();
            if drained > TEXT_LIMIT {
                break;
            }
        }
    }
}

fn sniff_text(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start()
}

fn sniff(head: &[u8]) -> BodyKind {
    let fields: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    match head {
        [] => BodyKind::Nothing,
        [b'{' | b'[', ..] => BodyKind::Json,
        [b'<', ..] => BodyKind::Page,
        _ if fields.iter().any(|field| head.starts_with(field)) => BodyKind::Events,
        _ => BodyKind::Other,
    }
}

fn too_long() -> ReadError {
    let message = format!("The response is larger than {} MiB and was not read", ANSWER_LIMIT >> 20);
    let failure = ProviderFailure::new(FailureKind::Garbled, message);
    ReadError::Aborted(failure.hint("Check the base URL: no model sends that much"))
}
