//! Keys: which one was refused, another one, and none ever shown.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use forelook_protocol::{BoxFuture, FailureKind, Secret};
use forelook_providers::{Endpoint, HttpProvider, KeyRequest, KeySource, ModelFacts, Provider, WireFormat};

use crate::client::{KEY, Keys, ORIGIN, ask, failure, is_done, remote, request, server};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, whole};

const REFUSED: &str = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid key sk-planted-0123456789"}}"#;
const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn a_refused_key_is_named_by_its_origin_and_never_shown() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let peer = Peer::plain(move |_, _| whole(status, JSON, REFUSED)).await;
        let failure = failure(&remote(&peer.base())).await;
        assert_eq!(failure.kind, FailureKind::Authentication);
        assert_eq!(failure.status.unwrap().to_string(), status[..3]);
        assert!(failure.message.contains(ORIGIN) && failure.message.contains("[secret]"), "{failure}");
        assert!(failure.hint.is_some());
        assert_eq!(peer.received().len(), 1, "the same key is not tried twice");
    }
}

#[tokio::test]
async fn another_key_is_tried_once_on_the_same_connection() {
    let peer = Peer::plain(|_, received| match received.header("x-api-key") {
        Some("sk-planted-new-9876") => whole("200 OK", EVENTS, ANTHROPIC),
        _ => whole("401 Unauthorized", JSON, REFUSED),
    })
    .await;
    let keys = Keys::new(&[KEY, "sk-planted-new-9876"]);
    let remote = HttpProvider::new(
        Endpoint { key: keys.clone(), ..server(WireFormat::Anthropic, &peer.base()) },
        ModelFacts::default(),
    );
    assert!(is_done(&ask(&remote).await));
    assert_eq!((peer.received().len(), peer.connections()), (2, 1));
    assert!(is_done(&ask(&remote).await));
    assert_eq!(keys.renewed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn two_refused_keys_are_both_taken_out_of_the_words() {
    let both = r#"{"type":"error","error":{"type":"authentication_error",
        "message":"neither sk-planted-0123456789 nor sk-planted-new-9876"}}"#;
    let peer = Peer::plain(move |_, _| whole("401 Unauthorized", JSON, both)).await;
    let keys = Keys::new(&[KEY, "sk-planted-new-9876", "sk-planted-third"]);
    let server = Endpoint { key: keys, ..server(WireFormat::Anthropic, &peer.base()) };
    let failure = failure(&HttpProvider::new(server, ModelFacts::default())).await;
    assert!(failure.message.contains("neither [secret] nor [secret]"), "{failure}");
    assert_eq!(peer.received().len(), 2);
}

/// The server's words stay, and so does the reason why there is no other key.
#[tokio::test]
async fn a_key_that_cannot_be_renewed_is_told_with_the_refusal() {
    struct Helper;
    impl KeySource for Helper {
        fn key(&self, which: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>> {
            Box::pin(async move {
                match which {
                    KeyRequest::Cached => Ok(Some(Secret::new(KEY))),
                    KeyRequest::Refreshed => Err("The key helper ended with status 3".to_owned()),
                }
            })
        }

        fn origin(&self) -> String {
            ORIGIN.to_owned()
        }
    }
    let peer = Peer::plain(|_, _| whole("401 Unauthorized", JSON, REFUSED)).await;
    let server = Endpoint { key: Arc::new(Helper), ..server(WireFormat::Anthropic, &peer.base()) };
    let failure = failure(&HttpProvider::new(server, ModelFacts::default())).await;
    assert!(failure.message.contains("invalid key") && failure.message.contains(ORIGIN), "{failure}");
    assert!(failure.hint.unwrap().contains("status 3"));
}

#[tokio::test]
async fn no_key_is_told_with_where_it_would_come_from() {
    let peer = Peer::plain(|_, _| whole("401 Unauthorized", "", "")).await;
    let server = Endpoint { key: Keys::new(&[]), ..server(WireFormat::Anthropic, &peer.base()) };
    let failure = failure(&HttpProvider::new(server, ModelFacts::default())).await;
    assert_eq!(failure.kind, FailureKind::Authentication);
    assert!(failure.message.contains("no key was sent") && failure.message.contains(ORIGIN), "{failure}");
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_told() {
    let peer = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let server =
        Endpoint { key: Keys::new(&["sk-planted\nline"]), ..server(WireFormat::Anthropic, &peer.base()) };
    let failure = failure(&HttpProvider::new(server, ModelFacts::default())).await;
    assert_eq!(failure.kind, FailureKind::Authentication);
    assert!(failure.message.contains(ORIGIN), "{failure}");
    assert!(peer.received().is_empty());
}

#[tokio::test]
async fn tokens_are_counted_with_the_same_key() {
    let peer = Peer::plain(|number, _| match number {
        0 => whole("200 OK", JSON, r#"{"input_tokens": 2095}"#),
        1 => whole("200 OK", JSON, r#"{"odd": 1}"#),
        _ => whole("529 Overloaded", "", ""),
    })
    .await;
    let remote = remote(&peer.base());
    assert_eq!(remote.count_tokens(request()).await, Ok(Some(2095)));
    let received = &peer.received()[0];
    assert!(received.head.starts_with("POST /v1/messages/count_tokens "), "{}", received.head);
    assert_eq!(received.header("x-api-key"), Some(KEY));
    assert_eq!(received.header("accept"), Some("application/json"));
    assert_eq!(remote.count_tokens(request()).await.unwrap_err().kind, FailureKind::Garbled);
    assert_eq!(remote.count_tokens(request()).await.unwrap_err().kind, FailureKind::Overloaded);
    let chat = HttpProvider::new(server(WireFormat::Chat, &peer.base()), ModelFacts::default());
    assert_eq!(chat.count_tokens(request()).await, Ok(None));
}
