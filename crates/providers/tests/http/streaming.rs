//! An answer as it should be, and bodies that are none.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{AnswerEvent, FailureKind};
use forelook_providers::{HttpProvider, ModelFacts, Provider, WireFormat};
use futures::StreamExt;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::client::{ask, failure, is_done, remote, request, server, text_of};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, end, send, whole};

#[tokio::test]
async fn an_answer_arrives_whole_and_the_request_is_as_it_should_be() {
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let events = ask(&remote(&peer.base())).await;
    assert!(is_done(&events));
    assert_eq!(text_of(&events), "Grüße, 漢字 и 😀");

    let received = &peer.received()[0];
    assert!(received.head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", received.head);
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(received.header("accept"), Some("text/event-stream"));
    assert_eq!(received.header("user-agent"), Some(concat!("forelook/", env!("CARGO_PKG_VERSION"))));
    let body: serde_json::Value = serde_json::from_slice(&received.body).unwrap();
    assert_eq!(body["stream"], true);
}

/// Servers that cut a text by its code units cut characters in half. The rest of the answer is none the worse.
#[tokio::test]
async fn half_a_character_costs_no_answer() {
    let block = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let anthropic = |text: &str| {
        format!(
            "data: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"model\":\"x\"}}}}\n\n{block}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n\
             data: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let chat = |text: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]"
        )
    };
    let responses = |text: &str| {
        format!(
            "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"{text}\"}}\n\n\
             data: {{\"type\":\"response.completed\",\"response\":{{}}}}\n\n"
        )
    };
    for (text, expected) in
        [(r"a\ud83d b", "a\u{FFFD} b"), (r"a\uDE00", "a\u{FFFD}"), (r"\ud83d\ude00", "😀")]
    {
        let bodies = [
            (WireFormat::Anthropic, anthropic(text)),
            (WireFormat::Chat, chat(text)),
            (WireFormat::Responses, responses(text)),
        ];
        for (wire_format, body) in bodies {
            let peer = Peer::plain(move |_, _| whole("200 OK", EVENTS, &body)).await;
            let provider = HttpProvider::new(server(wire_format, &peer.base()), ModelFacts::default());
            let events = ask(&provider).await;
            assert!(is_done(&events), "{events:?}");
            assert_eq!(text_of(&events), expected);
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled() {
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let remote = remote(&peer.base());
    remote.warm_up();
    let stream = remote.stream(request(), CancellationToken::new());
    // Long enough for a connection that should not be made.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(peer.connections(), 0);
    assert!(is_done(&stream.collect::<Vec<_>>().await));
}

#[tokio::test]
async fn events_are_handed_on_while_the_answer_still_streams() {
    let sign = Arc::new(Notify::new());
    let at = ANTHROPIC.find("event: message_delta").unwrap();
    let (left, right) = ANTHROPIC.split_at(at);
    let awaited = Arc::clone(&sign);
    let peer = Peer::plain(move |_, _| {
        vec![chunked(), chunk(left), ServerAction::Await(Arc::clone(&awaited)), chunk(right), end()]
    })
    .await;
    let remote = remote(&peer.base());
    let mut stream = remote.stream(request(), CancellationToken::new());
    let mut ended_blocks = 0;
    while ended_blocks < 4 {
        ended_blocks += usize::from(stream.next().await.unwrap() == AnswerEvent::BlockEnded);
    }
    sign.notify_one();
    let rest: Vec<_> = stream.collect().await;
    assert!(is_done(&rest));
}

#[tokio::test]
async fn events_are_read_whatever_the_server_calls_them() {
    for headers in ["", "content-type: text/plain\r\n", "Content-Type: Text/Event-Stream; charset=utf-8\r\n"]
    {
        let peer = Peer::plain(move |_, _| whole("200 OK", headers, ANTHROPIC)).await;
        assert!(is_done(&ask(&remote(&peer.base())).await), "{headers}");
        // The first byte alone does not say what it is.
        let peer = Peer::plain(move |_, _| {
            let mut acts =
                vec![send(format!("HTTP/1.1 200 OK\r\n{headers}transfer-encoding: chunked\r\n\r\n"))];
            acts.extend([chunk(&ANTHROPIC[..1]), chunk(&ANTHROPIC[1..]), end()]);
            acts
        })
        .await;
        assert!(is_done(&ask(&remote(&peer.base())).await), "{headers}");
    }
}

#[tokio::test]
async fn a_web_page_is_told_by_its_title() {
    let page = "<!doctype html><html><head><title>Sign in to the network</title></head><body>…</body></html>";
    let peer = Peer::plain(move |_, _| whole("200 OK", "content-type: text/html\r\n", page)).await;
    let failure = failure(&remote(&peer.base())).await;
    assert_eq!(failure.kind, FailureKind::Garbled);
    assert_eq!(failure.status, Some(200));
    assert!(
        failure.message.contains("web page") && failure.message.contains("Sign in to the network"),
        "{failure}"
    );
    assert!(failure.hint.unwrap().contains("base URL"));
}

#[tokio::test]
async fn an_empty_body_is_told() {
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, "")).await;
    let cut = failure(&remote(&peer.base())).await;
    assert!(cut.kind.is_transient() && cut.message.contains("empty"), "{cut:?}");
    let peer = Peer::plain(|_, _| whole("200 OK", "", "")).await;
    let odd = failure(&remote(&peer.base())).await;
    assert!(!odd.kind.is_transient() && odd.message.contains("empty"), "{odd:?}");
}

#[tokio::test]
async fn one_piece_of_json_is_no_stream() {
    let json = "content-type: application/json\r\n";
    let peer = Peer::plain(move |_, _| whole("200 OK", json, r#"{"id":"x","choices":[]}"#)).await;
    let odd = failure(&remote(&peer.base())).await;
    assert!(odd.kind == FailureKind::Garbled && odd.message.contains("did not stream"), "{odd:?}");
    let peer = Peer::plain(move |_, _| {
        whole("200 OK", json, r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#)
    })
    .await;
    let refused = failure(&remote(&peer.base())).await;
    assert!(refused.kind == FailureKind::Overloaded && refused.message.contains("busy"), "{refused:?}");
}

#[tokio::test]
async fn what_is_nothing_known_is_told_with_its_beginning() {
    let peer = Peer::plain(|_, _| whole("200 OK", "", "It works!")).await;
    let odd = failure(&remote(&peer.base())).await;
    assert!(odd.kind == FailureKind::Garbled && odd.message.contains("It works!"), "{odd:?}");
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, b"data: \xFF\xFE\n\n")).await;
    let odd = failure(&remote(&peer.base())).await;
    assert!(odd.kind == FailureKind::Garbled && odd.message.contains("UTF-8"), "{odd:?}");
}

#[tokio::test]
async fn an_error_inside_a_stream_ends_it_and_shows_no_key() {
    let text = concat!(
        "event: error\n",
        r#"data: {"type":"error","error":{"type":"overloaded_error","message":"no sk-planted-0123456789"}}"#,
        "\n\n"
    );
    let peer = Peer::plain(move |_, _| vec![chunked(), chunk(text), ServerAction::Stall]).await;
    let failure = failure(&remote(&peer.base())).await;
    assert_eq!(failure.kind, FailureKind::Overloaded);
    assert!(failure.message.contains("[secret]"), "{failure}");
}

#[tokio::test]
async fn a_cancelled_answer_ends_at_once_and_its_connection_is_dropped() {
    let beginning = &ANTHROPIC[..ANTHROPIC.find("event: content_block_stop").unwrap()];
    for acts in [
        vec![ServerAction::Stall],
        vec![chunked(), ServerAction::Stall],
        vec![chunked(), chunk(beginning), ServerAction::Stall],
    ] {
        let arrives = acts.len() == 3;
        let peer = Peer::plain(move |_, _| acts.clone()).await;
        let remote = remote(&peer.base());
        let cancel = CancellationToken::new();
        let mut stream = remote.stream(request(), cancel.clone());
        if arrives {
            assert!(matches!(stream.next().await, Some(AnswerEvent::Started { .. })));
            // More is there already, and not handed out any more.
            cancel.cancel();
        } else {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(30)).await;
                cancel.cancel();
            });
        }
        assert_eq!(stream.next().await, None);
        // The stream is still held: it must have let go of the connection by itself.
        tokio::time::timeout(Duration::from_secs(5), peer.state.gone.notified()).await.unwrap();
        assert_eq!(stream.next().await, None);
    }
}
