//! Proxies that let a connection through: tunnels of HTTP and SOCKS, with what a server says inside.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use forelook_network::NetworkConfig;
use forelook_protocol::FailureKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::client::{KEY, ask, failure, is_done, text_of, within};
use crate::cut::ANTHROPIC;
use crate::secure::{identity, trusting};
use crate::server::{EVENTS, Peer, whole};

/// How a proxy is asked for a connection.
#[derive(Clone, Copy)]
enum TunnelBehavior {
    /// `CONNECT`.
    Http,
    /// SOCKS 5 with a name and a password; it answers with this.
    Socks(u8),
}

/// A proxy that leads to one server, whatever it is asked for, and notes what that was.
struct Tunnel {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Tunnel {
    async fn to(server: SocketAddr, manner: TunnelBehavior) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let notes = Arc::clone(&notes);
                tokio::spawn(async move {
                    let asked = match manner {
                        TunnelBehavior::Http => connect(&mut client).await?,
                        TunnelBehavior::Socks(answer) => socks(&mut client, answer).await?,
                    };
                    notes.lock().unwrap().push(asked);
                    copy_bidirectional(&mut client, &mut TcpStream::connect(server).await?).await
                });
            }
        });
        Self { address, asked, task }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// All connections go through it.
    fn network(&self, scheme: &str) -> NetworkConfig {
        let all_proxy = Some(format!("{scheme}://me:hunter2@{}", self.address));
        NetworkConfig { all_proxy, ..NetworkConfig::default() }
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Lets the connection through; what was said before.
async fn connect(client: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    Ok(String::from_utf8(head).unwrap())
}

/// Takes the name and the password and answers with this; `name:password host:port` of what was asked.
async fn socks(client: &mut TcpStream, answer: u8) -> io::Result<String> {
    assert_eq!(client.read_u8().await?, 5, "the version");
    let ways = bytes(client).await?;
    assert!(ways.contains(&2), "a password is offered: {ways:?}");
    client.write_all(&[5, 2]).await?;
    assert_eq!(client.read_u8().await?, 1, "the version of the password");
    let (name, password) = (text(client).await?, text(client).await?);
    client.write_all(&[1, 0]).await?;
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let [5, 1, 0, kind] = head else { panic!("no request for a connection: {head:?}") };
    let host = match kind {
        1 => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        3 => text(client).await?,
        other => panic!("an address of kind {other}"),
    };
    let port = client.read_u16().await?;
    client.write_all(&[5, answer, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(format!("{name}:{password} {host}:{port}"))
}

async fn bytes(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn text(client: &mut TcpStream) -> io::Result<String> {
    Ok(String::from_utf8(bytes(client).await?).unwrap())
}

#[tokio::test]
async fn a_tunnel_carries_tls_from_end_to_end_and_is_used_again() {
    for protocols in [&["http/1.1"][..], &[]] {
        let (tls, pem) = identity("model.invalid", protocols);
        let server = Peer::secure(tls, |_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
        let proxy = Tunnel::to(server.address, TunnelBehavior::Http).await;
        let certificates = trusting(pem).certificates;
        let remote =
            within("https://model.invalid/deep", NetworkConfig { certificates, ..proxy.network("http") });
        for _ in 0..2 {
            assert_eq!(text_of(&ask(&remote).await), "Grüße, 漢字 и 😀");
        }
        let asked = proxy.asked();
        assert_eq!(asked.len(), 1, "one tunnel for both");
        assert!(asked[0].starts_with("CONNECT model.invalid:443 HTTP/1.1\r\n"), "{asked:?}");
        assert!(asked[0].contains("Basic bWU6aHVudGVyMg==") && !asked[0].contains(KEY), "{asked:?}");
        let received = server.received();
        assert_eq!(received.len(), 2);
        assert!(received[0].head.starts_with("POST /deep/v1/messages HTTP/1.1\r\n"), "{}", received[0].head);
        assert_eq!(received[0].header("x-api-key"), Some(KEY));
        assert_eq!(received[0].header("proxy-authorization"), None, "the server does not learn the password");
    }
}

#[tokio::test]
async fn whoever_is_at_the_end_of_a_tunnel_must_be_trusted() {
    let (tls, _) = identity("model.invalid", &["http/1.1"]);
    let server = Peer::secure(tls, |_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let proxy = Tunnel::to(server.address, TunnelBehavior::Http).await;
    let failure = failure(&within("https://model.invalid", proxy.network("http"))).await;
    assert_eq!(failure.kind, FailureKind::BadRequest, "{failure:?}");
    assert!(failure.message.contains("certificate of `model.invalid`"), "{failure}");
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn socks_is_spoken_and_leaves_the_name_to_the_proxy_where_it_is_told_to() {
    let server = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let proxy = Tunnel::to(server.address, TunnelBehavior::Socks(0)).await;
    for (scheme, base, asked) in [
        ("socks5h", "http://model.invalid", "me:hunter2 model.invalid:80"),
        ("socks5", "http://192.0.2.1:8080", "me:hunter2 192.0.2.1:8080"),
    ] {
        assert!(is_done(&ask(&within(base, proxy.network(scheme))).await), "{scheme}");
        assert_eq!(proxy.asked().last().map(String::as_str), Some(asked));
    }
    let received = server.received();
    assert_eq!((received.len(), received[0].header("x-api-key")), (2, Some(KEY)));
}

#[tokio::test]
async fn a_socks_proxy_that_refuses_is_told_without_its_password() {
    let server = Peer::plain(|_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    // No permission, host not reached, refused.
    for answer in [2, 4, 5] {
        let proxy = Tunnel::to(server.address, TunnelBehavior::Socks(answer)).await;
        let failure = failure(&within("http://model.invalid", proxy.network("socks5h"))).await;
        assert_eq!(failure.kind, FailureKind::Connection, "{failure:?}");
        assert!(failure.message.contains(&format!("the proxy at `{}`", proxy.address)), "{failure}");
        assert!(failure.hint.as_ref().unwrap().contains("proxy"), "{failure:?}");
        assert!(!format!("{failure:?}").contains("hunter2"), "{failure:?}");
    }
    assert!(server.received().is_empty());
}
