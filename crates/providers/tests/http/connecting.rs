//! Connections that do not come about, and proxies.

use std::time::Duration;

use forelook_network::NetworkConfig;
use forelook_protocol::FailureKind;
use tokio::net::TcpListener;

use crate::client::{ask, failure, is_done, remote, within};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, ServerAction, chunk, chunked, send, whole};

async fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().to_string()
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_told() {
    let failure = failure(&remote("http://me:hunter2@no-such-host.invalid/v1?token=hunter2")).await;
    assert_eq!(failure.kind, FailureKind::Connection);
    assert!(failure.message.contains("`no-such-host.invalid` was not found"), "{failure}");
    assert!(failure.hint.as_ref().unwrap().contains("network connection"));
    assert!(!format!("{failure:?}").contains("hunter2"));
}

#[tokio::test]
async fn nobody_listening_on_this_machine_is_told() {
    let address = closed_port().await;
    let failure = failure(&remote(&format!("http://me:hunter2@{address}/?token=hunter2"))).await;
    assert_eq!(failure.kind, FailureKind::Connection);
    assert!(failure.message.contains(&format!("Nothing is listening at `{address}`")), "{failure}");
    assert!(failure.hint.as_ref().unwrap().contains("running"));
    assert!(!format!("{failure:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_base_address_that_is_none_is_told() {
    let failure = failure(&remote("api.example.com")).await;
    assert!(failure.kind == FailureKind::BadRequest && failure.message.contains("base URL"), "{failure:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_connection_failure() {
    let beginning = &ANTHROPIC[..700];
    for acts in [
        vec![ServerAction::Close],
        vec![ServerAction::Reset],
        vec![chunked(), ServerAction::Reset],
        vec![chunked(), chunk(beginning), ServerAction::Reset],
        vec![
            send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100\r\n\r\n: x"),
            ServerAction::Close,
        ],
    ] {
        let peer = Peer::plain(move |_, _| acts.clone()).await;
        let failure = failure(&remote(&peer.base())).await;
        assert_eq!(failure.kind, FailureKind::Connection, "{failure:?}");
        assert!(failure.message.contains("connection"), "{failure:?}");
    }
}

#[tokio::test]
async fn what_speaks_no_http_is_told() {
    let peer = Peer::plain(|_, _| vec![send("SSH-2.0-OpenSSH_9.7\r\n\r\n"), ServerAction::Stall]).await;
    let failure = failure(&remote(&peer.base())).await;
    assert!(failure.message.contains(&peer.address.to_string()), "{failure:?}");
}

#[tokio::test]
async fn a_proxy_is_asked_for_other_hosts_and_never_for_this_one() {
    let proxy = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let network = || NetworkConfig {
        http_proxy: Some(format!("http://me:hunter2@{}", proxy.address)),
        no_proxy: Some("direct.invalid".to_owned()),
        ..NetworkConfig::default()
    };
    assert!(is_done(&ask(&within("http://model.invalid/deep", network())).await));
    let received = &proxy.received()[0];
    assert!(
        received.head.starts_with("POST http://model.invalid/deep/v1/messages HTTP/1.1"),
        "{}",
        received.head
    );
    assert_eq!(received.header("proxy-authorization"), Some("Basic bWU6aHVudGVyMg=="));

    let direct = failure(&within("http://direct.invalid", network())).await;
    assert!(direct.message.contains("`direct.invalid` was not found"), "{direct}");

    let local = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    assert!(is_done(&ask(&within(&local.base(), network())).await));
    assert_eq!((proxy.received().len(), local.received().len()), (1, 1));
}

#[tokio::test]
async fn a_tunnel_carries_no_key_to_the_proxy() {
    let proxy = Peer::plain(|_, _| whole("407 Proxy Authentication Required", "", "")).await;
    let network =
        NetworkConfig { https_proxy: Some(format!("http://{}", proxy.address)), ..NetworkConfig::default() };
    let failure = failure(&within("https://model.invalid", network)).await;
    assert_eq!(failure.kind, FailureKind::Connection, "{failure:?}");
    assert!(failure.message.contains("proxy"), "{failure}");
    let received = &proxy.received()[0];
    assert!(received.head.starts_with("CONNECT model.invalid:443 "), "{}", received.head);
    assert!(!received.head.contains("sk-planted"));
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_told_as_such_without_its_password() {
    let address = closed_port().await;
    let by = |proxy: String| NetworkConfig { all_proxy: Some(proxy), ..NetworkConfig::default() };
    let gone = failure(&within("https://model.invalid", by(format!("http://me:hunter2@{address}")))).await;
    assert!(gone.hint.as_ref().unwrap().contains("proxy"), "{gone:?}");
    let unknown =
        failure(&within("https://model.invalid", by("http://me:hunter2@no-proxy.invalid".into()))).await;
    assert!(unknown.message.contains("proxy") && unknown.message.contains("no-proxy.invalid"), "{unknown:?}");
    let socks =
        failure(&within("https://model.invalid", by(format!("socks5h://me:hunter2@{address}")))).await;
    for failure in [gone, unknown, socks] {
        assert_eq!(failure.kind, FailureKind::Connection);
        assert!(!format!("{failure:?}").contains("hunter2"), "{failure:?}");
    }
}

/// Somebody listens, but does not answer the door, and the hall is full: connections neither come about nor fail. All of
/// it is to be held.
#[cfg(target_os = "linux")]
fn full() -> (std::net::SocketAddr, impl Sized) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut inside = Vec::new();
    while let Ok(stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(500)) {
        inside.push(stream);
        assert!(inside.len() < 100, "it never fills");
    }
    (address, (listener, inside))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_connection_that_does_not_come_about_is_told() {
    let (address, _held) = full();
    let direct = remote(&format!("http://{address}"));
    let proxy =
        NetworkConfig { all_proxy: Some(format!("http://me:hunter2@{address}")), ..NetworkConfig::default() };
    let by_proxy = within("https://model.invalid", proxy);
    // From here on the clock jumps to the next time-out as soon as there is nothing to do.
    tokio::time::pause();
    for (remote, whom) in [(direct, format!("`{address}`")), (by_proxy, format!("the proxy at `{address}`"))]
    {
        let failure = failure(&remote).await;
        assert_eq!(failure.kind, FailureKind::Connection, "another attempt may help: {failure:?}");
        assert_eq!(failure.message, format!("No connection to {whom} within 15 s"));
        assert!(failure.hint.as_ref().unwrap().contains("firewall"), "{failure:?}");
    }
}

#[tokio::test]
async fn a_connection_that_nobody_accepts_can_be_cancelled() {
    use forelook_providers::Provider;
    use futures::StreamExt;
    // Addresses kept for documentation: packets to them go nowhere, or the system says so at once.
    let remote = remote("http://192.0.2.1:9");
    let cancel = tokio_util::sync::CancellationToken::new();
    let mut stream = remote.stream(crate::client::request(), cancel.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(30)).await;
        cancel.cancel();
    });
    let first = tokio::time::timeout(Duration::from_secs(5), stream.next()).await.unwrap();
    assert!(matches!(first, None | Some(forelook_protocol::AnswerEvent::Failed(_))), "{first:?}");
}
