//! What one request is answered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure};
use forelook_providers::{AnswerStream, Form, Provider};
use futures::{StreamExt, stream};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::body::{Body, Cut, Pieces, cut, huge, spoilt, streamed, whole};
use super::decode::{self, Asked, Decoded};
use super::encode::{self, Encoder, Given, Wanted};
use super::fault::Fault;
use super::log::{self, KeySeen, Logged};
use super::refusal;
use super::server::State;

const PAGE: &str = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";

/// Versions of Anthropic's protocol: the program's, and that of the published package.
const VERSIONS: [&str; 2] = ["2023-06-01", "2026-10-21"];

/// What is asked for, and where.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) form: Form,
    pub(super) asked: Asked,
    /// What stands before `/v1` in the path.
    pub(super) run: String,
}

impl Place {
    /// What this path asks for, if anything.
    pub(super) fn of(path: &str) -> Option<Self> {
        let places = [
            ("/v1/messages", Form::Anthropic, Asked::Answer),
            ("/v1/messages/count_tokens", Form::Anthropic, Asked::Count),
            ("/v1/responses", Form::Responses, Asked::Answer),
            ("/v1/chat/completions", Form::Chat, Asked::Answer),
        ];
        places.iter().find_map(|(end, form, asked)| {
            let run = path.strip_suffix(end)?.to_owned();
            Some(Self { form: *form, asked: *asked, run })
        })
    }
}

/// Answers one request.
pub(super) async fn respond(state: &Arc<State>, place: Place, head: &Parts, body: Bytes) -> Answered {
    state.received.fetch_add(1, Ordering::SeqCst);
    let key = log::key(place.form, &head.headers, state.key.as_deref());
    if state.log.kept || state.log.file.is_some() {
        let (path, headers) = (head.uri.path().to_owned(), log::headers(&head.headers));
        let logged = Logged { form: place.form, path, headers, key, body: body.clone() };
        // A count is another type of request, and is not looked at among the others.
        if place.asked == Asked::Answer {
            state.log.add(logged);
        }
    }
    let fault = state.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
    match &fault {
        Fault::Answer { status, headers, body } => {
            let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            return Ok(plain(*status, headers, body.clone()));
        }
        Fault::Close => return Err(Cut),
        Fault::Hang => std::future::pending().await,
        Fault::Redirect(to) => return Ok(plain(307, [("location", to.as_str())], "")),
        Fault::Huge(bytes) => return Ok(events(streamed(huge(*bytes)))),
        Fault::None | Fault::CutAfter(_) | Fault::Borders(_) | Fault::HangAfter(_) => {}
    }
    if key != KeySeen::Planted && state.key.is_some() {
        let failure = ProviderFailure::new(FailureKind::Authentication, "This key is not the planted one");
        return Ok(refused(place.form, &failure));
    }
    match understood(state, &place, head, &body) {
        Err(why) => {
            state.problem(format!("{} {}: {why}", head.method, head.uri));
            Ok(refused(place.form, &ProviderFailure::new(FailureKind::BadRequest, why)))
        }
        Ok(_) if place.asked == Asked::Count => {
            Ok(plain(200, [], json!({"input_tokens": body.len() / 4}).to_string()))
        }
        Ok(decoded) => play(state, &place, decoded, &fault).await,
    }
}

pub(super) type Answered = Result<Response<Body>, Cut>;

/// Reads the request, and looks whether a server would take it.
fn understood(state: &State, place: &Place, head: &Parts, body: &[u8]) -> Result<Decoded, String> {
    let text = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    if !text("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        return Err("the header `content-type` is not `application/json`".to_owned());
    }
    if place.form == Form::Anthropic && !text("anthropic-version").is_some_and(|it| VERSIONS.contains(&it)) {
        return Err(format!("the header `anthropic-version` is none of {}", VERSIONS.join(", ")));
    }
    let decoded = decode::decode_for(place.asked, place.form, body)?;
    if decoded.wants_seals {
        for (seals, calls) in decode::answers(&decoded.request) {
            state.due.check(&decoded.request.model, &seals, &calls)?;
        }
    }
    Ok(decoded)
}

async fn play(state: &Arc<State>, place: &Place, decoded: Decoded, fault: &Fault) -> Answered {
    let model = decoded.request.model.clone();
    let scripted = match state.scripts.find(&place.run, &model) {
        Ok(scripted) => scripted,
        Err(why) => {
            let failure = ProviderFailure::new(FailureKind::BadRequest, why);
            return Ok(refused(place.form, &failure));
        }
    };
    let wanted = Wanted { usage: decoded.wants_usage, seals: decoded.wants_seals };
    let mut answer = scripted.stream(decoded.request, CancellationToken::new());
    let first = match answer.next().await {
        None => return Err(Cut),
        Some(AnswerEvent::Failed(failure)) => return before(place.form, &failure).await,
        Some(first) => first,
    };
    let playing = Playing {
        state: Arc::clone(state),
        model,
        encoder: encode::encoder(place.form, wanted),
        given: Given::default(),
        answer: stream::once(async { first }).chain(answer).boxed(),
        over: false,
    };
    Ok(events(streamed(spoilt(fault, pieces(playing)))))
}

/// A failure before anything was said.
async fn before(form: Form, failure: &ProviderFailure) -> Answered {
    match failure.kind {
        FailureKind::Connection => Err(Cut),
        FailureKind::Silence => std::future::pending().await,
        FailureKind::Garbled => Ok(plain(200, [("content-type", "text/html")], PAGE)),
        _ => Ok(refused(form, failure)),
    }
}

/// An answer that is being written.
struct Playing {
    state: Arc<State>,
    model: String,
    encoder: Box<dyn Encoder>,
    given: Given,
    answer: AnswerStream,
    over: bool,
}

fn pieces(playing: Playing) -> Pieces {
    let pieces = stream::unfold(playing, |mut playing| async move {
        if playing.over {
            return None;
        }
        let event = playing.answer.next().await?;
        let piece = playing.piece(event).await;
        Some((piece, playing))
    });
    pieces.filter(|piece| futures::future::ready(!matches!(piece, Ok(bytes) if bytes.is_empty()))).boxed()
}

impl Playing {
    async fn piece(&mut self, event: AnswerEvent) -> Result<Bytes, Cut> {
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
                self.given.note(event);
                if matches!(event, AnswerEvent::Done { .. }) {
                    self.state.due.given(&self.model, &self.given.seals, &self.given.calls);
                }
                self.encoder.event(event, &mut out);
            }
        }
        Ok(Bytes::from(out))
    }
}

fn refused(form: Form, failure: &ProviderFailure) -> Response<Body> {
    let refusal::Refusal { status, headers, json } = refusal::of(form, failure);
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
