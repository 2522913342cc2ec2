//! A gate, a server outside of it, and all sorts of clients, on real sockets.

mod endings;
mod places;
mod proxies;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use bytes::Bytes;
use futures::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::NameResolver;

/// Names that only the tests know.
struct Known(HashMap<&'static str, Vec<IpAddr>>);

impl NameResolver for Known {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(self.0.get(name).cloned().unwrap_or_default()) })
    }
}

fn names() -> Arc<Known> {
    let here = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
    let both = vec![IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V4(Ipv4Addr::LOCALHOST)];
    Arc::new(Known(HashMap::from([("shop.test", here.clone()), ("a.shop.test", here), ("mixed.test", both)])))
}

struct TestGate {
    gate: Gate,
    at: SocketAddr,
}

fn open_with(domains: &[String], network: &NetworkConfig, limits: Limits) -> TestGate {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    TestGate { gate: open(listener, domains, Upstream::new(network, names()), limits), at }
}

fn gate_to(domains: &[String]) -> TestGate {
    open_with(domains, &NetworkConfig::default(), Limits::default())
}

/// A server that tells what it was asked.
async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let serving = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(echo));
            tokio::spawn(serving);
        }
    });
    at
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let mut text = format!("{} {}\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        text += &format!("{name}: {}\n", value.to_str().unwrap());
    }
    let body = request.into_body().collect().await?.to_bytes();
    text += &format!("body: {}\n", body.len());
    Ok(Response::new(Full::new(Bytes::from(text))))
}

/// Says this to the gate and hears everything until the gate hangs up.
async fn say(at: SocketAddr, words: &[u8]) -> String {
    let mut stream = TcpStream::connect(at).await.unwrap();
    // A gate that has heard enough hangs up before all is said.
    stream.write_all(words).await.ok();
    hear(&mut stream).await
}

async fn hear(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).await.ok();
    String::from_utf8_lossy(&heard).into_owned()
}

/// A tunnel, after its first answer.
async fn tunnel(at: SocketAddr, destination: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(format!("CONNECT {destination} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    (stream, String::from_utf8(head).unwrap())
}

#[tokio::test]
async fn a_plain_request_gets_through_to_a_domain_that_is_named() {
    let server = server().await;
    let TestGate { gate, at } = gate_to(&[format!("shop.test:{}", server.port())]);
    let request = format!(
        "POST http://Shop.Test:{}/a?b=c HTTP/1.1\r\nHost: other.test\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\
         Proxy-Authorization: Basic secret\r\nX-Kept: 2\r\nContent-Length: 5\r\n\r\nhello",
        server.port()
    );
    let heard = say(at, request.as_bytes()).await;
    assert!(heard.starts_with("HTTP/1.1 200 OK"), "{heard}");
    assert!(heard.contains("POST /a?b=c\n") && heard.contains("body: 5"), "{heard}");
    assert!(heard.contains(&format!("\nhost: shop.test:{}\n", server.port())), "{heard}");
    assert!(heard.contains("x-kept: 2") && !heard.contains("x-hop") && !heard.contains("secret"), "{heard}");
    assert_eq!(gate.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_client_of_the_usual_sort_streams_a_large_body_and_keeps_its_connection() {
    let server = server().await;
    let TestGate { gate: _gate, at } = gate_to(&[format!("shop.test:{}", server.port())]);
    let network = NetworkConfig { http_proxy: Some(format!("http://{at}")), ..NetworkConfig::default() };
    let url = reqwest::Url::parse(&format!("http://shop.test:{}/", server.port())).unwrap();
    let client = Arc::new(crate::Connections::new(network)).client(&url).await.unwrap();
    for _ in 0..3 {
        let post = client.post(url.clone()).body(vec![b'x'; 3_000_000]);
        let text = post.send().await.unwrap().text().await.unwrap();
        assert!(text.contains("body: 3000000"), "{text}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a program that people really use, and not ours")]
async fn curl_gets_through_both_ways_and_says_what_was_refused() {
    let server = server().await;
    let port = server.port();
    let TestGate { gate, at } = gate_to(&[format!("shop.test:{port}")]);
    let curl = async |arguments: &[&str], host: &str| {
        let url = format!("http://{host}:{port}/x");
        let command = tokio::process::Command::new("curl")
            .env_clear()
            .args(["-qsS", "-x", &format!("http://{at}"), "-d", "hello"])
            .args(arguments)
            .arg(url)
            .output();
        let output = command.await.expect("`curl` must be installed");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
    };
    for way in [[].as_slice(), &["--proxytunnel"], &["-H", "Expect: 100-continue"], &["--http1.0"]] {
        let heard = curl(way, "shop.test").await;
        assert!(heard.contains("POST /x") && heard.contains("body: 5"), "{way:?} {heard}");
    }
    assert!(curl(&[], "evil.example").await.contains("`sandbox.network`"));
    assert!(curl(&["--proxytunnel"], "evil.example").await.contains("403"));
    assert_eq!(gate.refused(), [format!("evil.example:{port}")]);
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways_until_both_are_done() {
    let far = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = far.local_addr().unwrap().port();
    let TestGate { gate: _gate, at } = gate_to(&[format!("shop.test:{port}")]);
    let (mut near, head) = tunnel(at, &format!("shop.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (mut far, _) = far.accept().await.unwrap();
    near.write_all(b"\x16\x03\x01 not text \xff").await.unwrap();
    near.shutdown().await.unwrap();
    // One side has said all it has to say; the other one may still answer.
    assert_eq!(hear(&mut far).await, String::from_utf8_lossy(b"\x16\x03\x01 not text \xff"));
    far.write_all(b"and back").await.unwrap();
    drop(far);
    assert_eq!(hear(&mut near).await, "and back");
}
