//! TLS and HTTP/2.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_network::NetworkConfig;
use forelook_protocol::FailureKind;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::client::{KEY, ask, failure, is_done, remote, text_of, within};
use crate::cut::ANTHROPIC;
use crate::server::{EVENTS, Peer, whole};

/// A certificate for this name by its own authority, and that as PEM.
pub(crate) fn identity(name: &str, protocols: &[&str]) -> (TlsAcceptor, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(cryptography)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), made.cert.pem().into_bytes())
}

pub(crate) fn trusting(pem: Vec<u8>) -> NetworkConfig {
    NetworkConfig { certificates: Some(("`SSL_CERT_FILE`".to_owned(), pem)), ..NetworkConfig::default() }
}

#[tokio::test]
async fn a_certificate_of_ones_own_is_trusted_when_it_is_named() {
    let (tls, pem) = identity("127.0.0.1", &["http/1.1"]);
    let peer = Peer::secure(tls, |_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let base = format!("https://{}", peer.address);
    let trusting = within(&base, trusting(pem));
    assert!(is_done(&ask(&trusting).await));
    assert!(is_done(&ask(&trusting).await));
    assert_eq!(peer.connections(), 1);

    let failure = failure(&remote(&base)).await;
    assert_eq!(failure.kind, FailureKind::BadRequest, "another attempt would not help");
    assert!(failure.message.contains("certificate of `127.0.0.1`"), "{failure}");
    assert!(failure.message.contains("untrusted"), "{failure}");
    assert!(failure.hint.unwrap().contains("`SSL_CERT_FILE`"));
    assert_eq!(peer.received().len(), 2, "nothing was said to a server that is not trusted");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told() {
    let (tls, pem) = identity("other.example", &["http/1.1"]);
    let peer = Peer::secure(tls, |_, _| whole("200 OK", EVENTS, ANTHROPIC)).await;
    let failure = failure(&within(&format!("https://{}", peer.address), trusting(pem))).await;
    assert!(
        failure.kind == FailureKind::BadRequest && failure.message.contains("another host name"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn tls_to_a_server_without_it_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::AsyncWriteExt;
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        }
    });
    let failure = failure(&remote(&format!("https://{address}"))).await;
    assert_eq!(failure.kind, FailureKind::Connection);
    assert!(failure.hint.as_ref().unwrap().contains("`http`"), "{failure:?}");
}

/// A server that speaks HTTP/2 and answers each request on its own stream.
async fn second_version(tls: TlsAcceptor) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let tls = tls.clone();
            tokio::spawn(async move {
                let stream = tls.accept(stream).await.unwrap();
                let mut connection = h2::server::handshake(stream).await.unwrap();
                while let Some(Ok((request, mut respond))) = connection.accept().await {
                    assert_eq!(request.headers()["x-api-key"], KEY);
                    let response = http::Response::builder().header("content-type", "text/event-stream");
                    let mut body = respond.send_response(response.body(()).unwrap(), false).unwrap();
                    let (left, right) = ANTHROPIC.as_bytes().split_at(1000);
                    body.send_data(left.into(), false).unwrap();
                    body.send_data(right.into(), true).unwrap();
                }
            });
        }
    });
    (base, connections)
}

#[tokio::test]
async fn the_second_version_is_spoken_where_it_is_offered_and_its_connection_is_shared() {
    let (tls, pem) = identity("127.0.0.1", &["h2", "http/1.1"]);
    let (base, connections) = second_version(tls).await;
    let remote = within(&base, trusting(pem));
    assert!(is_done(&ask(&remote).await));
    let (one, two) = futures::join!(ask(&remote), ask(&remote));
    assert_eq!(text_of(&one), "Grüße, 漢字 и 😀");
    assert!(is_done(&one) && is_done(&two));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}
