//! Clients that are rude, slow or gone, and gates that close.

use super::*;

#[tokio::test]
async fn garbage_half_requests_and_huge_heads_harm_nobody() {
    let server = server().await;
    let port = server.port();
    let limits = Limits { header_timeout: Duration::from_millis(200), ..Limits::default() };
    let TestGate { gate: _gate, at } =
        open_with(&[format!("shop.test:{port}")], &NetworkConfig::default(), limits);
    let huge = [b"GET http://shop.test/ HTTP/1.1\r\nX: ".as_slice(), &vec![b'x'; 1_000_000]].concat();
    let many = format!("GET http://shop.test:{port}/ HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(5000));
    for words in [
        b"".as_slice(),
        b"GET http://shop.test/ HT",
        b"\x00\xff\xfe garbage \r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n",
        b"GET https://shop.test/ HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET ftp://shop.test/ HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"CONNECT shop.test HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"CONNECT u:p@shop.test:443 HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        many.as_bytes(),
        &huge,
    ] {
        let heard = say(at, words).await;
        let seen = String::from_utf8_lossy(words.get(..60).unwrap_or(words)).into_owned();
        assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 4"), "{seen}: {heard}");
    }
    let request = format!("GET http://shop.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(say(at, request.as_bytes()).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn slow_clients_and_silent_tunnels_give_their_places_to_others() {
    let far = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = far.local_addr().unwrap().port();
    let moment = Duration::from_millis(100);
    let limits = Limits { max_connections: 2, header_timeout: moment, idle_timeout: moment * 2 };
    let TestGate { gate: _gate, at } =
        open_with(&[format!("shop.test:{port}")], &NetworkConfig::default(), limits);
    let (mut silent, _) = tunnel(at, &format!("shop.test:{port}")).await;
    let mut slow = TcpStream::connect(at).await.unwrap();
    slow.write_all(b"GET http://shop").await.unwrap();
    // All places are taken; this one waits until somebody is sent away.
    let heard = say(at, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert!(heard.starts_with("HTTP/1.1 400"), "{heard}");
    hear(&mut slow).await;
    hear(&mut silent).await;
}

#[tokio::test]
async fn when_the_client_goes_the_server_is_let_go() {
    let far = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = far.local_addr().unwrap().port();
    let TestGate { gate: _gate, at } = gate_to(&[format!("shop.test:{port}")]);
    let (near, _) = tunnel(at, &format!("shop.test:{port}")).await;
    let (mut other, _) = far.accept().await.unwrap();
    drop(near);
    assert_eq!(hear(&mut other).await, "");
    let mut near = TcpStream::connect(at).await.unwrap();
    let request = format!("GET http://shop.test:{port}/ HTTP/1.1\r\n\r\n");
    near.write_all(request.as_bytes()).await.unwrap();
    let (mut other, _) = far.accept().await.unwrap();
    drop(near);
    // It hears the request, and then the end; it never answered.
    assert!(hear(&mut other).await.starts_with("GET / HTTP/1.1"));
}

#[tokio::test]
async fn dropping_the_gate_ends_everything() {
    let far = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = far.local_addr().unwrap().port();
    let TestGate { gate, at } = gate_to(&[format!("shop.test:{port}")]);
    let (mut near, _) = tunnel(at, &format!("shop.test:{port}")).await;
    let (mut other, _) = far.accept().await.unwrap();
    let mut plain = TcpStream::connect(at).await.unwrap();
    plain.write_all(format!("GET http://shop.test:{port}/ HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let (mut unanswered, _) = far.accept().await.unwrap();
    drop(gate);
    for stream in [&mut near, &mut other, &mut plain, &mut unanswered] {
        hear(stream).await;
    }
    assert!(TcpStream::connect(at).await.is_err());
}
