//! Machines whose way out leads through a proxy.

use super::*;

#[tokio::test]
async fn the_way_out_leads_through_the_proxy_of_the_machine() {
    let server = server().await;
    let port = server.port();
    // The outer proxy is a gate too; it knows the names that the inner one does not need to.
    let outer = gate_to(&[format!("shop.test:{port}"), format!("other.invalid:{port}")]);
    let network =
        NetworkConfig { all_proxy: Some(format!("http://me:pw@{}", outer.at)), ..NetworkConfig::default() };
    let domains = [format!("shop.test:{port}"), format!("*.invalid:{port}"), format!("*.internal:{port}")];
    let inner = open_with(&domains, &network, Limits::default());
    let request = format!("GET http://shop.test:{port}/x HTTP/1.1\r\nConnection: close\r\n\r\n");
    let heard = say(inner.at, request.as_bytes()).await;
    assert!(heard.starts_with("HTTP/1.1 200") && heard.contains("GET /x\n"), "{heard}");
    let (mut stream, head) = tunnel(inner.at, &format!("shop.test:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    stream.write_all(b"GET /y HTTP/1.1\r\nConnection: close\r\n\r\n").await.unwrap();
    assert!(hear(&mut stream).await.contains("GET /y\n"));
    for (host, status) in [("other.invalid", "502"), ("a.internal", "403"), ("none.example", "403")] {
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nConnection: close\r\n\r\n");
        let heard = say(inner.at, request.as_bytes()).await;
        assert!(heard.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {heard}");
    }
    assert_eq!(outer.gate.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_proxy_that_cannot_be_used_is_not_gone_around() {
    let server = server().await;
    let port = server.port();
    for bad in ["ftp://x", "https://me:hunter2@proxy.test", "http://127.0.0.1:1"] {
        let network = NetworkConfig { all_proxy: Some(bad.into()), ..NetworkConfig::default() };
        let TestGate { gate: _gate, at } =
            open_with(&[format!("shop.test:{port}")], &network, Limits::default());
        let request = format!("GET http://shop.test:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n");
        let heard = say(at, request.as_bytes()).await;
        assert!(heard.starts_with("HTTP/1.1 502") && heard.contains("proxy"), "{bad}: {heard}");
        assert!(!heard.contains("hunter2"), "{heard}");
    }
}

#[tokio::test]
async fn a_proxy_hears_who_asks_if_it_wants_to_know() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://me:p%40w@{}", proxy.local_addr().unwrap());
    let network = NetworkConfig { all_proxy: Some(address), ..NetworkConfig::default() };
    let TestGate { gate: _gate, at } = open_with(&["shop.test".to_owned()], &network, Limits::default());
    for (request, expect) in [
        ("GET http://shop.test/x HTTP/1.1\r\n\r\n", "GET http://shop.test/x HTTP/1.1\r\n"),
        ("CONNECT shop.test:443 HTTP/1.1\r\n\r\n", "CONNECT shop.test:443 HTTP/1.1\r\n"),
    ] {
        let mut near = TcpStream::connect(at).await.unwrap();
        near.write_all(request.as_bytes()).await.unwrap();
        let (mut heard, mut bytes) = (proxy.accept().await.unwrap().0, Vec::new());
        while !bytes.ends_with(b"\r\n\r\n") {
            bytes.push(heard.read_u8().await.unwrap());
        }
        let head = String::from_utf8(bytes).unwrap();
        assert!(head.starts_with(expect), "{head}");
        // `me:p@w`
        assert!(
            head.to_lowercase().contains("proxy-authorization: basic bwu6cEB3".to_lowercase().as_str()),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_proxy_may_speak_socks() {
    let server = server().await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let network = NetworkConfig {
        all_proxy: Some(format!("socks5h://{}", proxy.local_addr().unwrap())),
        ..NetworkConfig::default()
    };
    tokio::spawn(async move {
        while let Ok((mut near, _)) = proxy.accept().await {
            let (mut greeting, mut wish) = ([0; 3], [0; 5]);
            near.read_exact(&mut greeting).await.unwrap();
            near.write_all(&[5, 0]).await.unwrap();
            near.read_exact(&mut wish).await.unwrap();
            assert_eq!(wish[..4], [5, 1, 0, 3], "a name is asked for, not an address");
            let mut name = vec![0; usize::from(wish[4]) + 2];
            near.read_exact(&mut name).await.unwrap();
            assert!(name.starts_with(b"shop.test"));
            near.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
            let mut far = TcpStream::connect(server).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await.map(drop) });
        }
    });
    let domains = [format!("shop.test:{}", server.port())];
    let TestGate { gate: _gate, at } = open_with(&domains, &network, Limits::default());
    let destination = format!("shop.test:{}", server.port());
    let request = format!("GET http://{destination}/x HTTP/1.1\r\nConnection: close\r\n\r\n");
    let heard = say(at, request.as_bytes()).await;
    assert!(heard.contains("GET /x\n"), "{heard}");
    let (mut stream, _) = tunnel(at, &destination).await;
    stream.write_all(b"GET /y HTTP/1.1\r\nConnection: close\r\n\r\n").await.unwrap();
    assert!(hear(&mut stream).await.contains("GET /y\n"));
}
