//! Too much, and nothing at all.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use forelook_protocol::FailureKind;
use forelook_providers::{Endpoint, HttpProvider, ModelFacts, WireFormat};

use crate::client::{ask, failure, is_done, remote, server};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, end, send};

const MIB: usize = 1 << 20;

fn patient(base: &str, idle_timeout: Duration) -> HttpProvider {
    HttpProvider::new(Endpoint { idle_timeout, ..server(WireFormat::Anthropic, base) }, ModelFacts::default())
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

/// A server, or a proxy in front of it, that only says that it is there.
#[tokio::test]
async fn signs_of_life_are_not_believed_forever() {
    let idle_timeout = Duration::from_millis(100);
    for sign in [": keep-alive\n\n", "event: ping\ndata: {\"type\": \"ping\"}\n\n"] {
        let peer = Peer::plain(move |_, _| {
            let mut acts = vec![chunked()];
            acts.extend((0..500).flat_map(|_| [ServerAction::Wait(Duration::from_millis(10)), chunk(sign)]));
            acts
        })
        .await;
        let begun = Instant::now();
        let failure = failure(&patient(&peer.base(), idle_timeout)).await;
        assert!(begun.elapsed() >= 5 * idle_timeout);
        assert_eq!(failure.kind, FailureKind::Silence, "{failure}");
        assert!(failure.message.contains("Only keep-alive signals"), "{failure}");
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
