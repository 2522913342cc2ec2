//! What one request is answered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure};
use forelook_providers::{AnswerStream, Provider, WireFormat};
use futures::{StreamExt, stream};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::body::{Body, ConnectionCut, Pieces, cut, huge, streamed, whole, with_fault};
use super::decode::{self, Decoded, RequestKind};
use super::encode::{self, EncodeOptions, Encoder, SentBlocks};
use super::fault::Fault;
use super::log::{self, KeySeen, LoggedRequest};
use super::refusal;
use super::server::ServerState;

const PAGE: &str = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";

/// Versions of Anthropic's protocol: the program's, and that of the published package.
const VERSIONS: [&str; 2] = ["2023-06-01", "2026-10-21"];

/// What is asked for, and where.
#[derive(Debug, Clone)]
pub(super) struct RequestTarget {
    pub(super) wire_format: WireFormat,
    pub(super) kind: RequestKind,
    /// What stands before `/v1` in the path.
    pub(super) run: String,
}

impl RequestTarget {
    /// What this path asks for, if anything.
    pub(super) fn of(path: &str) -> Option<Self> {
        let places = [
            ("/v1/messages", WireFormat::Anthropic, RequestKind::Answer),
            ("/v1/messages/count_tokens", WireFormat::Anthropic, RequestKind::Count),
            ("/v1/responses", WireFormat::Responses, RequestKind::Answer),
            ("/v1/chat/completions", WireFormat::Chat, RequestKind::Answer),
        ];
        places.iter().find_map(|(end, wire_format, kind)| {
            let run = path.strip_suffix(end)?.to_owned();
            Some(Self { wire_format: *wire_format, kind: *kind, run })
        })
    }
}

/// Answers one request.
pub(super) async fn respond(
    state: &Arc<ServerState>,
    target: RequestTarget,
    head: &Parts,
    body: Bytes,
) -> HttpResult {
    state.received.fetch_add(1, Ordering::SeqCst);
    let key = log::key(target.wire_format, &head.headers, state.key.as_deref());
    if state.log.kept || state.log.file.is_some() {
        let (path, headers) = (head.uri.path().to_owned(), log::headers(&head.headers));
        let logged =
            LoggedRequest { wire_format: target.wire_format, path, headers, key, body: body.clone() };
        // A count is another type of request, and is not looked at among the others.
        if target.kind == RequestKind::Answer {
            state.log.add(logged);
        }
    }
    let fault = state.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
    match &fault {
        Fault::Answer { status, headers, body } => {
            let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            return Ok(plain(*status, headers, body.clone()));
        }
        Fault::Close => return Err(ConnectionCut),
        Fault::Hang => std::future::pending().await,
        Fault::Redirect(to) => return Ok(plain(307, [("location", to.as_str())], "")),
        Fault::Huge(bytes) => return Ok(events(streamed(huge(*bytes)))),
        Fault::None | Fault::CutAfter(_) | Fault::Borders(_) | Fault::HangAfter(_) => {}
    }
    if key != KeySeen::Planted && state.key.is_some() {
        let failure = ProviderFailure::new(FailureKind::Authentication, "This key is not the planted one");
        return Ok(refused(target.wire_format, &failure));
    }
    match understood(state, &target, head, &body) {
        Err(why) => {
            state.problem(format!("{} {}: {why}", head.method, head.uri));
            Ok(refused(target.wire_format, &ProviderFailure::new(FailureKind::BadRequest, why)))
        }
        Ok(_) if target.kind == RequestKind::Count => {
            Ok(plain(200, [], json!({"input_tokens": body.len() / 4}).to_string()))
        }
        Ok(decoded) => play(state, &target, decoded, &fault).await,
    }
}

pub(super) type HttpResult = Result<Response<Body>, ConnectionCut>;

/// Reads the request, and looks whether a server would take it.
fn understood(
    state: &ServerState,
    target: &RequestTarget,
    head: &Parts,
    body: &[u8],
) -> Result<Decoded, String> {
    let text = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    if !text("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        return Err("the header `content-type` is not `application/json`".to_owned());
    }
    if target.wire_format == WireFormat::Anthropic
        && !text("anthropic-version").is_some_and(|it| VERSIONS.contains(&it))
    {
        return Err(format!("the header `anthropic-version` is none of {}", VERSIONS.join(", ")));
    }
    let decoded = decode::decode_for(target.kind, target.wire_format, body)?;
    if decoded.wants_seals {
        for (seals, calls) in decode::answers(&decoded.request) {
            state.expected_seals.check(&decoded.request.model, &seals, &calls)?;
        }
    }
    Ok(decoded)
}

async fn play(
    state: &Arc<ServerState>,
    target: &RequestTarget,
    decoded: Decoded,
    fault: &Fault,
) -> HttpResult {
    let model = decoded.request.model.clone();
    let scripted = match state.scripts.find(&target.run, &model) {
        Ok(scripted) => scripted,
        Err(why) => {
            let failure = ProviderFailure::new(FailureKind::BadRequest, why);
            return Ok(refused(target.wire_format, &failure));
        }
    };
    let options = EncodeOptions { usage: decoded.wants_usage, seals: decoded.wants_seals };
    let mut answer = scripted.stream(decoded.request, CancellationToken::new());
    let first = match answer.next().await {
        None => return Err(ConnectionCut),
        Some(AnswerEvent::Failed(failure)) => return before(target.wire_format, &failure).await,
        Some(first) => first,
    };
    let playback = ScriptPlayback {
        state: Arc::clone(state),
        model,
        encoder: encode::encoder(target.wire_format, options),
        sent: SentBlocks::default(),
        answer: stream::once(async { first }).chain(answer).boxed(),
        over: false,
    };
    Ok(events(streamed(with_fault(fault, pieces(playback)))))
}

/// A failure before anything was said.
async fn before(wire_format: WireFormat, failure: &ProviderFailure) -> HttpResult {
    match failure.kind {
        FailureKind::Connection => Err(ConnectionCut),
        FailureKind::Silence => std::future::pending().await,
        FailureKind::Garbled => Ok(plain(200, [("content-type", "text/html")], PAGE)),
        _ => Ok(refused(wire_format, failure)),
    }
}

/// An answer that is being written.
struct ScriptPlayback {
    state: Arc<ServerState>,
    model: String,
    encoder: Box<dyn Encoder>,
    sent: SentBlocks,
    answer: AnswerStream,
    over: bool,
}

fn pieces(playback: ScriptPlayback) -> Pieces {
    let pieces = stream::unfold(playback, |mut playback| async move {
        if playback.over {
            return None;
        }
        let event = playback.answer.next().await?;
        let piece = playback.piece(event).await;
        Some((piece, playback))
    });
    pieces.filter(|piece| futures::future::ready(!matches!(piece, Ok(bytes) if bytes.is_empty()))).boxed()
}

impl ScriptPlayback {
    async fn piece(&mut self, event: AnswerEvent) -> Result<Bytes, ConnectionCut> {
        let mut out = String::new();
        match &event {
            AnswerEvent::Failed(failure) => {
                self.over = true;
                match failure.kind {
                    FailureKind::Connection => return cut().await,
                    FailureKind::Silence => std::future::pending().await,
                    FailureKind::Garbled => out.push_str(PAGE),
                    _ => self.encoder.failure(failure, &mut out),
                }
            }
            event => {
                self.sent.note(event);
                if matches!(event, AnswerEvent::Done { .. }) {
                    self.state.expected_seals.record(&self.model, &self.sent.seals, &self.sent.calls);
                }
                self.encoder.event(event, &mut out);
            }
        }
        Ok(Bytes::from(out))
    }
}

fn refused(wire_format: WireFormat, failure: &ProviderFailure) -> Response<Body> {
    let refusal::Refusal { status, headers, json } = refusal::of(wire_format, failure);
    plain(status, headers.iter().map(|(name, value)| (*name, value.as_str())), json.to_string())
}

/// An answer that is no stream: JSON, if the headers say nothing else.
pub(super) fn plain<'a>(
    status: u16,
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: impl Into<Bytes>,
) -> Response<Body> {
    let mut response = Response::builder().status(StatusCode::from_u16(status).expect("a status"));
    for (name, value) in headers {
        response = response.header(name, value);
    }
    let mut response = response.body(whole(body)).expect("a response");
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().entry(CONTENT_TYPE).or_insert(json);
    response
}

fn events(body: Body) -> Response<Body> {
    let response = Response::builder().header("content-type", "text/event-stream; charset=utf-8");
    response.header("cache-control", "no-cache").body(body).expect("a response")
}
