//! A stream cut anywhere, and pieces of any size.

use forelook_protocol::{AnswerEvent, FailureKind};
use forelook_providers::{HttpProvider, ModelFacts, WireFormat};

use crate::client::{ask, is_done, server};
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, end, send, whole};

pub(crate) const ANTHROPIC: &str = include_str!("anthropic.sse");
const RESPONSES: &str = include_str!("responses.sse");
const CHAT: &str = include_str!("chat.sse");

async fn whole_answer(wire_format: WireFormat, stream: &'static str) -> Vec<AnswerEvent> {
    let peer = Peer::plain(move |_, _| whole("200 OK", EVENTS, stream)).await;
    let events = ask(&HttpProvider::new(server(wire_format, &peer.base()), ModelFacts::default())).await;
    let calls = events.iter().filter(|it| matches!(it, AnswerEvent::CallStarted { .. })).count();
    assert!(is_done(&events) && calls == 2, "{events:?}");
    events
}

/// An answer with neighbouring pieces of one text joined: which of them arrived together is chance.
fn whole_pieces(events: Vec<AnswerEvent>) -> Vec<AnswerEvent> {
    let mut whole: Vec<AnswerEvent> = Vec::new();
    for event in events {
        match (whole.last_mut(), &event) {
            (Some(AnswerEvent::Text { text }), AnswerEvent::Text { text: more })
            | (Some(AnswerEvent::Thinking { text }), AnswerEvent::Thinking { text: more })
            | (Some(AnswerEvent::Input { json: text }), AnswerEvent::Input { json: more }) => {
                text.push_str(more)
            }
            _ => whole.push(event),
        }
    }
    whole
}

/// What counts in an answer: all that was said, and why it ended. How many tokens it took may come after that.
fn said(events: &[AnswerEvent]) -> String {
    let mut said = String::new();
    for event in whole_pieces(events.to_vec()) {
        match event {
            AnswerEvent::Done { stop, .. } => said.push_str(&format!("{stop:?}")),
            other => said.push_str(&format!("{other:?}\n")),
        }
    }
    said
}

/// How a stream is cut short.
#[derive(Debug, Clone, Copy)]
enum CutKind {
    /// The body ends as if it were complete; the connection goes on.
    Ended,
    /// The connection is closed, and nobody had said how long the body would be.
    Closed,
    /// The connection is closed in the middle of a body.
    Broken,
}

impl CutKind {
    fn acts(self, bytes: &[u8]) -> Vec<ServerAction> {
        let head = format!("HTTP/1.1 200 OK\r\n{EVENTS}connection: close\r\n\r\n");
        let piece = if bytes.is_empty() { send("") } else { chunk(bytes) };
        match self {
            CutKind::Ended => vec![joined([chunked(), piece, end()])],
            CutKind::Closed => vec![send([head.as_bytes(), bytes].concat()), ServerAction::Close],
            CutKind::Broken => vec![joined([chunked(), piece]), ServerAction::Close],
        }
    }
}

/// Cut at every byte; the two ways that cost a connection each are taken now and then.
async fn cut_at_every_byte(wire_format: WireFormat, stream: &'static str) {
    let expect = said(&whole_answer(wire_format, stream).await);
    let cuts: Vec<(usize, CutKind)> = (0..=stream.len())
        .flat_map(|at| {
            let seldom =
                [(at, CutKind::Closed), (at, CutKind::Broken)].into_iter().filter(|(at, _)| at % 13 == 0);
            std::iter::once((at, CutKind::Ended)).chain(seldom)
        })
        .collect();
    let plan = cuts.clone();
    let peer = Peer::plain(move |number, _| {
        let (at, kind) = plan[number];
        kind.acts(&stream.as_bytes()[..at])
    })
    .await;
    let remote = HttpProvider::new(server(wire_format, &peer.base()), ModelFacts::default());
    let mut whole = 0;
    for (at, kind) in &cuts {
        let events = ask(&remote).await;
        match events.last() {
            Some(AnswerEvent::Failed(failure)) => {
                assert_eq!(failure.kind, FailureKind::Connection, "{kind:?} at {at}: {failure:?}");
                assert!(failure.kind.is_transient());
            }
            _ => {
                assert_eq!(said(&events), expect, "{kind:?} at {at}");
                whole += 1;
            }
        }
    }
    assert!(whole > 0 && whole < cuts.len() / 2, "{whole} of {} cuts gave an answer", cuts.len());
}

/// In pieces of many sizes, each begun at each place where it can begin: every byte is a border in each of them.
async fn in_pieces_of_any_size(wire_format: WireFormat, stream: &'static str) {
    let expect = whole_pieces(whole_answer(wire_format, stream).await);
    let bytes = stream.as_bytes();
    let cuts: Vec<(usize, usize)> =
        [1, 2, 3, 7, 64].into_iter().flat_map(|size| (0..size).map(move |first| (size, first))).collect();
    let plan = cuts.clone();
    let peer = Peer::plain(move |number, _| {
        let (size, first) = plan[number];
        let (head, rest) = bytes.split_at(first);
        let pieces = std::iter::once(head).chain(rest.chunks(size)).filter(|it| !it.is_empty()).map(chunk);
        vec![joined(std::iter::once(chunked()).chain(pieces).chain([end()]))]
    })
    .await;
    let remote = HttpProvider::new(server(wire_format, &peer.base()), ModelFacts::default());
    for cut in &cuts {
        assert_eq!(whole_pieces(ask(&remote).await), expect, "size and first: {cut:?}");
    }
    assert_eq!(peer.connections(), 1);
}

fn joined(acts: impl IntoIterator<Item = ServerAction>) -> ServerAction {
    let mut all = Vec::new();
    for act in acts {
        let ServerAction::Send(bytes) = act else { unreachable!() };
        all.extend_from_slice(&bytes);
    }
    ServerAction::Send(all)
}

#[tokio::test]
async fn anthropic_cut_anywhere_gives_all_or_a_clean_failure() {
    cut_at_every_byte(WireFormat::Anthropic, ANTHROPIC).await;
}

#[tokio::test]
async fn responses_cut_anywhere_gives_all_or_a_clean_failure() {
    cut_at_every_byte(WireFormat::Responses, RESPONSES).await;
}

#[tokio::test]
async fn chat_cut_anywhere_gives_all_or_a_clean_failure() {
    cut_at_every_byte(WireFormat::Chat, CHAT).await;
}

#[tokio::test]
async fn anthropic_in_pieces_of_any_size_is_the_same() {
    in_pieces_of_any_size(WireFormat::Anthropic, ANTHROPIC).await;
}

#[tokio::test]
async fn responses_in_pieces_of_any_size_is_the_same() {
    in_pieces_of_any_size(WireFormat::Responses, RESPONSES).await;
}

#[tokio::test]
async fn chat_in_pieces_of_any_size_is_the_same() {
    in_pieces_of_any_size(WireFormat::Chat, CHAT).await;
}
