//! Connections are used again.

use std::time::Duration;

use forelook_protocol::AnswerEvent;
use forelook_providers::{HttpProvider, ModelFacts, Provider, WireFormat};
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::client::{ask, is_done, remote, request, server};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, end, whole};

#[tokio::test]
async fn answers_in_a_row_share_a_connection() {
    let peer = Peer::plain(|number, _| match number {
        0 => whole("200 OK", EVENTS, ANTHROPIC),
        _ => vec![chunked(), chunk(ANTHROPIC), end()],
    })
    .await;
    let remote = remote(&peer.base());
    for _ in 0..4 {
        assert!(is_done(&ask(&remote).await));
    }
    assert_eq!((peer.received().len(), peer.connections()), (4, 1));
}

#[tokio::test]
async fn models_of_one_program_share_a_connection() {
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let first = server(WireFormat::Anthropic, &peer.base());
    let second = first.clone();
    for server in [first, second] {
        assert!(is_done(&ask(&HttpProvider::new(server, ModelFacts::default())).await));
    }
    assert_eq!(peer.connections(), 1);
}

/// Whoever asks stops listening at the last event; the end of the body may come after that.
#[tokio::test]
async fn an_end_that_comes_late_delays_nobody_and_the_connection_lives() {
    let peer = Peer::plain(|_, _| {
        vec![
            chunked(),
            chunk(ANTHROPIC),
            ServerAction::Wait(Duration::from_millis(100)),
            chunk(": bye\n\n"),
            end(),
        ]
    })
    .await;
    let remote = remote(&peer.base());
    for _ in 0..2 {
        let mut stream = remote.stream(request(), CancellationToken::new());
        let begun = std::time::Instant::now();
        while !matches!(stream.next().await, Some(AnswerEvent::Done { .. })) {}
        assert!(begun.elapsed() < Duration::from_millis(90), "{:?}", begun.elapsed());
        drop(stream);
        // The end comes and is read.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!((peer.received().len(), peer.connections()), (2, 1));
}

#[tokio::test]
async fn a_connection_that_the_server_closed_meanwhile_is_not_used() {
    let peer = Peer::plain(|_, _| {
        let mut acts = whole("200 OK", EVENTS, ANTHROPIC);
        acts.push(ServerAction::Close);
        acts
    })
    .await;
    let remote = remote(&peer.base());
    for _ in 0..3 {
        assert!(is_done(&ask(&remote).await));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(peer.connections(), 3);
}
