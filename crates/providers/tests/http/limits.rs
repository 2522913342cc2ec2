//! Too much, and nothing at all.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use forelook_protocol::{AnswerEvent, FailureKind, StopReason};
use forelook_providers::{Endpoint, HttpProvider, ModelFacts, WireFormat};

use crate::client::{ask, failure, is_done, remote, server, text_of};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, end, send};

const MIB: usize = 1 << 20;

fn patient(base: &str, idle_timeout: Duration) -> HttpProvider {
    patient_with(WireFormat::Anthropic, base, idle_timeout)
}

fn patient_with(wire_format: WireFormat, base: &str, idle_timeout: Duration) -> HttpProvider {
    HttpProvider::new(Endpoint { idle_timeout, ..server(wire_format, base) }, ModelFacts::default())
}

#[tokio::test]
async fn an_endless_answer_is_given_up_and_its_connection_dropped() {
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    // As lines of a comment: no single event is too large.
    let peer = Peer::plain(move |_, _| {
        let lines = send(format!(": {}\n", "x".repeat(1000)).repeat(1000));
        let mut acts = vec![send(endless)];
        acts.extend(std::iter::repeat_n(lines, 210));
        acts.push(ServerAction::Stall);
        acts
    })
    .await;
    let many = failure(&remote(&peer.base())).await;
    assert!(many.kind == FailureKind::Garbled && many.message.contains("64 MiB"), "{many:?}");

    // As one event without an end.
    let peer = Peer::plain(move |_, _| vec![send(endless), send("data: "), ServerAction::Flood]).await;
    let one = failure(&remote(&peer.base())).await;
    assert!(one.kind == FailureKind::Garbled && one.message.contains("16 MiB"), "{one:?}");
    tokio::time::timeout(Duration::from_secs(5), peer.state.gone.notified()).await.unwrap();
    let flooded = peer.state.flooded.load(Ordering::SeqCst);
    assert!(flooded < 40 * MIB, "{} MiB were taken", flooded / MIB);
}

#[tokio::test]
async fn a_length_that_is_too_large_is_not_even_begun() {
    for headers in [EVENTS, "content-type: text/html\r\n"] {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: 200000000\r\n\r\n");
        let peer = Peer::plain(move |_, _| vec![send(&head), ServerAction::Flood]).await;
        let failure = failure(&remote(&peer.base())).await;
        assert!(failure.kind == FailureKind::Garbled && failure.message.contains("64 MiB"), "{failure:?}");
        tokio::time::timeout(Duration::from_secs(5), peer.state.gone.notified()).await.unwrap();
        assert!(peer.state.flooded.load(Ordering::SeqCst) < 20 * MIB);
    }
}

#[tokio::test]
async fn of_a_page_or_an_error_only_the_beginning_is_read() {
    for head in ["HTTP/1.1 200 OK", "HTTP/1.1 500 Internal Server Error"] {
        let head = format!("{head}\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html><p>Oh no ");
        let peer = Peer::plain(move |_, _| vec![send(&head), ServerAction::Flood]).await;
        let failure = failure(&remote(&peer.base())).await;
        assert!(failure.message.contains("Oh no") && failure.message.len() < 1000, "{failure:?}");
        tokio::time::timeout(Duration::from_secs(5), peer.state.gone.notified()).await.unwrap();
        assert!(peer.state.flooded.load(Ordering::SeqCst) < 20 * MIB);
    }
}

#[tokio::test]
async fn silence_is_given_up_wherever_it_falls() {
    let idle_timeout = Duration::from_millis(120);
    let beginning = &ANTHROPIC[..700];
    for acts in [
        vec![ServerAction::Stall],
        vec![chunked(), ServerAction::Stall],
        vec![chunked(), chunk(beginning), ServerAction::Stall],
        vec![send("HTTP/1.1 200 OK\r\n"), ServerAction::Stall],
    ] {
        let peer = Peer::plain(move |_, _| acts.clone()).await;
        let begun = Instant::now();
        let failure = failure(&patient(&peer.base(), idle_timeout)).await;
        assert!(begun.elapsed() >= idle_timeout);
        assert_eq!(failure.kind, FailureKind::Silence);
        assert!(failure.message.contains("120 ms"), "{failure}");
        tokio::time::timeout(Duration::from_secs(5), peer.state.gone.notified()).await.unwrap();
    }
}

/// What a server sends again and again, every 10 ms, for five seconds.
fn over_and_over(first: impl IntoIterator<Item = ServerAction>, sign: &str) -> Vec<ServerAction> {
    let mut acts: Vec<ServerAction> = first.into_iter().collect();
    acts.extend((0..500).flat_map(|_| [ServerAction::Wait(Duration::from_millis(10)), chunk(sign)]));
    acts
}

fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

/// A server, or a proxy in front of it, that only says that it is there, in whatever way.
#[tokio::test]
async fn signs_of_life_are_not_believed_forever() {
    let idle_timeout = Duration::from_millis(100);
    let start = event(r#"{"type":"message_start","message":{"id":"m","model":"x","usage":{}}}"#);
    let block = |kind: &str| {
        let field = if kind == "text" { "text" } else { "thinking" };
        event(&format!(
            r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"{kind}","{field}":""}}}}"#
        ))
    };
    let delta = |kind: &str, field: &str| {
        event(&format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"{kind}","{field}":""}}}}"#
        ))
    };
    let stop = event(r#"{"type":"content_block_stop","index":0}"#);
    let choice = |delta: &str| event(&format!(r#"{{"id":"a","choices":[{{"index":0,"delta":{delta}}}]}}"#));
    let item =
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"r"}}"#;
    let part = r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#;
    let cases = [
        (WireFormat::Anthropic, String::new(), ": keep-alive\n\n".to_owned()),
        (WireFormat::Anthropic, String::new(), "event: ping\ndata: {\"type\": \"ping\"}\n\n".to_owned()),
        (WireFormat::Anthropic, start.clone() + &block("text"), delta("text_delta", "text")),
        (WireFormat::Anthropic, start.clone() + &block("thinking"), delta("thinking_delta", "thinking")),
        (WireFormat::Anthropic, start.clone() + &block("thinking"), delta("signature_delta", "signature")),
        (WireFormat::Anthropic, start, block("text") + &stop),
        (WireFormat::Chat, String::new(), choice(r#"{"content":""}"#)),
        (WireFormat::Chat, String::new(), event(r#"{"id":"a","choices":[]}"#)),
        (WireFormat::Responses, event(item), event(part)),
        (
            WireFormat::Responses,
            String::new(),
            event(r#"{"type":"response.in_progress","response":{"id":"a"}}"#),
        ),
    ];
    for (wire_format, first, sign) in cases {
        let (first, again) = (format!(": hello\n\n{first}"), sign.clone());
        let peer = Peer::plain(move |_, _| over_and_over([chunked(), chunk(&first)], &again)).await;
        let provider = patient_with(wire_format, &peer.base(), idle_timeout);
        let begun = Instant::now();
        let failure = failure(&provider).await;
        assert!(begun.elapsed() >= 5 * idle_timeout);
        assert_eq!(failure.kind, FailureKind::Silence, "{sign}: {failure}");
        assert!(failure.message.contains("Only keep-alive signals"), "{sign}: {failure}");
    }
}

/// The same where the server does not even say what is to come.
#[tokio::test]
async fn blanks_are_signs_of_life_and_nothing_more() {
    let idle_timeout = Duration::from_millis(100);
    for (headers, blank) in [("", "\n"), ("", " "), ("content-type: application/json\r\n", "\r\n")] {
        let head = send(format!("HTTP/1.1 200 OK\r\n{headers}transfer-encoding: chunked\r\n\r\n"));
        let peer = Peer::plain(move |_, _| over_and_over([head.clone(), chunk(blank)], blank)).await;
        let failure = failure(&patient(&peer.base(), idle_timeout)).await;
        assert_eq!(failure.kind, FailureKind::Silence, "{blank:?}: {failure}");
    }
}

/// A server that says why the model stopped and then nothing of use has given its answer, and is paid for it.
#[tokio::test]
async fn a_complete_answer_counts_however_the_server_goes_on() {
    let idle_timeout = Duration::from_millis(100);
    let words = event(r#"{"id":"a","choices":[{"index":0,"delta":{"content":"Hello"}}]}"#);
    let stop = event(r#"{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
    let usage = event(r#"{"id":"a","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#);
    for silent in [false, true] {
        let whole = [&*words, &*stop, &*usage].concat();
        let peer = Peer::plain(move |_, _| match silent {
            true => vec![chunked(), chunk(&whole), ServerAction::Stall],
            false => over_and_over([chunked(), chunk(&whole)], ": keep-alive\n\n"),
        })
        .await;
        let events = ask(&patient_with(WireFormat::Chat, &peer.base(), idle_timeout)).await;
        assert_eq!(text_of(&events), "Hello");
        let Some(AnswerEvent::Done { stop: StopReason::EndTurn, usage }) = events.last() else {
            panic!("{events:?}")
        };
        assert_eq!((usage.input_tokens, usage.output_tokens), (5, 2));
        assert_eq!(peer.received().len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_without_an_end_is_still_a_refusal() {
    let peer = Peer::plain(|_, _| {
        vec![
            send("HTTP/1.1 429 Too Many Requests\r\ncontent-length: 100\r\n\r\nslow down"),
            ServerAction::Stall,
        ]
    })
    .await;
    let failure = failure(&patient(&peer.base(), Duration::from_millis(80))).await;
    assert!(failure.kind == FailureKind::RateLimited && failure.message.contains("slow down"), "{failure:?}");
}

#[tokio::test]
async fn a_server_that_pings_is_alive() {
    let peer = Peer::plain(|_, _| {
        let mut acts = vec![chunked()];
        for _ in 0..12 {
            acts.extend([chunk(": ping\n\n"), ServerAction::Wait(Duration::from_millis(50))]);
        }
        acts.extend([chunk(ANTHROPIC), end()]);
        acts
    })
    .await;
    assert!(is_done(&ask(&patient(&peer.base(), Duration::from_millis(400))).await));
}
