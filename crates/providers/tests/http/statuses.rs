//! Answers whose status says that there is none.

use forelook_protocol::FailureKind::{self, *};

use crate::client::{failure, remote};
use crate::server::{Peer, whole};

async fn check(
    status: &'static str,
    headers: &'static str,
    body: &'static str,
    expect: FailureKind,
) -> String {
    let peer = Peer::plain(move |_, _| whole(status, headers, body)).await;
    let failure = failure(&remote(&peer.base())).await;
    assert_eq!(failure.kind, expect, "{status}: {failure:?}");
    assert_eq!(failure.status.unwrap().to_string(), status[..3]);
    assert!(!failure.message.is_empty() && !failure.message.ends_with(": "), "{failure:?}");
    failure.message
}

#[tokio::test]
async fn each_status_has_its_kind_with_and_without_a_body() {
    for (status, kind) in [
        ("400 Bad Request", BadRequest),
        ("404 Not Found", BadRequest),
        ("407 Proxy Authentication Required", BadRequest),
        ("408 Request Timeout", Server),
        ("409 Conflict", Server),
        ("422 Unprocessable Entity", BadRequest),
        ("429 Too Many Requests", RateLimited),
        ("500 Internal Server Error", Server),
        ("502 Bad Gateway", Server),
        ("503 Service Unavailable", Overloaded),
        ("504 Gateway Timeout", Server),
        ("529 Overloaded", Overloaded),
    ] {
        let bare = check(status, "", "", kind).await;
        assert!(bare.contains(&status[..3]), "{bare}");
        let page = "<html><head><title>Sorry, no</title></head></html>";
        let message = check(status, "content-type: text/html\r\n", page, kind).await;
        assert!(message.contains("Sorry, no") && !message.contains('<'), "{message}");
        let message = check(status, "", "some \u{1b}[2Jwords\nof its own", kind).await;
        assert!(message.contains("words of its own") && !message.contains('\u{1b}'), "{message}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_told_apart() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error",
        "message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
    check("400 Bad Request", "content-type: application/json\r\n", body, ContextOverflow).await;
}

#[tokio::test]
async fn the_time_to_wait_is_handed_on() {
    for (headers, expect) in [
        ("", None),
        ("retry-after: 7\r\n", Some(7000)),
        ("retry-after-ms: 120\r\nretry-after: 7\r\n", Some(120)),
        ("date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:49:40 GMT\r\n", Some(3000)),
        ("retry-after: tomorrow\r\n", None),
    ] {
        let peer = Peer::plain(move |_, _| whole("429 Too Many Requests", headers, "")).await;
        assert_eq!(failure(&remote(&peer.base())).await.retry_after_ms, expect, "{headers}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_its_place_is_named_without_secrets() {
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let other = Peer::plain(|_, _| whole("200 OK", "", "")).await;
        let location = format!("location: http://me:hunter2@{}/v1/messages?token=hunter2\r\n", other.address);
        let peer = Peer::plain(move |_, _| whole(status, &location, "")).await;
        let failure = failure(&remote(&peer.base())).await;
        assert_eq!((failure.kind, other.connections()), (BadRequest, 0));
        assert!(failure.message.contains(&format!("http://{}/v1/messages", other.address)), "{failure}");
        assert!(!failure.message.contains("hunter2"), "{failure}");
        assert!(failure.hint.unwrap().contains("base URL"));
    }
    let peer = Peer::plain(|_, _| whole("302 Found", "location: /login\r\n", "")).await;
    let place = format!("{}/login", peer.base());
    assert!(failure(&remote(&peer.base())).await.message.contains(&place));
    let peer = Peer::plain(|_, _| whole("304 Not Modified", "", "")).await;
    assert_eq!(failure(&remote(&peer.base())).await.kind, BadRequest);
}
