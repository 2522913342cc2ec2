//! Which places a gate leads to.

use super::super::domains::{Destination, Grant};
use super::*;

#[test]
fn which_places_are_allowed() {
    let (name, star) = (Some(Grant::ByName), Some(Grant::ByWildcard));
    for (entry, destination, expect) in [
        ("example.com", "example.com:443", name),
        ("example.com", "EXAMPLE.com.:80", name),
        ("Example.COM.", "example.com:443", name),
        ("example.com", "example.com:8080", None),
        ("example.com", "a.example.com:443", None),
        ("example.com", "notexample.com:443", None),
        ("example.com:8080", "example.com:8080", name),
        ("example.com:8080", "example.com:443", None),
        ("*.example.com", "a.example.com:443", star),
        ("*.example.com", "a.b.Example.com.:443", star),
        ("*.example.com", "example.com:443", None),
        ("*.example.com", ".example.com:443", None),
        ("*.example.com", "aexample.com:443", None),
        ("*.example.com", "a.example.com:22", None),
        ("*.example.com:22", "a.example.com:22", star),
        ("*", "anything.example:443", star),
        ("*", "anything.example:25", None),
        ("*:25", "anything.example:25", star),
        ("*", "93.184.216.34:443", None),
        ("*", "1572395042:443", None),
        ("*", "[2606:2800:220:1::1]:443", None),
        ("93.184.216.34", "93.184.216.34:443", name),
        ("93.184.216.34", "1572395042:443", name),
        ("93.184.216.34", "[::ffff:93.184.216.34]:443", name),
        ("2606:2800:220:1::1", "[2606:2800:220:1:0:0:0:1]:443", name),
        ("[::1]:8080", "[::1]:8080", name),
        ("bücher.example", "xn--bcher-kva.example:443", name),
        ("https://example.com", "example.com:443", None),
        ("ex*mple.com", "example.com:443", None),
        ("example.com/x", "example.com:443", None),
        ("*.", "a.b:443", None),
        ("", "example.com:443", None),
    ] {
        let destination = Destination::parse(destination, None).filter(|destination| destination.port != 0);
        let grant = destination
            .as_ref()
            .and_then(|destination| DomainAllowlist::parse(&[entry.to_owned()]).grant(destination));
        assert_eq!(grant, expect, "{entry} {destination:?}");
    }
    let both = DomainAllowlist::parse(&["*".to_owned(), "example.com".to_owned()]);
    assert_eq!(both.grant(&Destination::parse("example.com:443", None).unwrap()), name);
}

#[test]
fn what_is_no_place() {
    for bad in [
        "",
        ":443",
        "example.com",
        "a:0",
        "a:65536",
        "a:+80",
        "a:",
        "u@a:80",
        "a/b:80",
        "a b:80",
        "[::1:80",
        "%61:80",
        "..:80",
        "a\\b:80",
    ] {
        assert_eq!(Destination::parse(bad, None), None, "{bad}");
    }
}

#[tokio::test]
async fn what_is_not_named_is_refused_in_words_and_remembered_once() {
    let TestGate { gate, at } = gate_to(&["example.com".to_owned(), "*.shop.test".to_owned()]);
    for request in [
        "GET http://evil.example/x HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
        "GET http://EVIL.example./ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
        "CONNECT evil.example:443 HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
        "CONNECT example.com:22 HTTP/1.1\r\nConnection: close\r\n\r\n",
        "CONNECT 127.0.0.1:443 HTTP/1.1\r\nConnection: close\r\n\r\n",
    ] {
        let heard = say(at, request.as_bytes()).await;
        assert!(heard.starts_with("HTTP/1.1 403 Forbidden"), "{request} {heard}");
        assert!(heard.contains("`sandbox.network`"), "{heard}");
    }
    let heard = say(at, b"CONNECT evil.example:443 HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert!(heard.contains("`evil.example` is blocked"), "{heard}");
    assert_eq!(gate.refused(), ["127.0.0.1", "evil.example", "example.com:22"]);
    assert_eq!(gate.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_star_never_leads_into_the_private_network() {
    let server = server().await;
    let port = server.port();
    let TestGate { gate, at } = gate_to(&[format!("*:{port}"), format!("*.test:{port}")]);
    for host in ["shop.test", "a.shop.test", "mixed.test", "127.0.0.1", "[::1]", "2130706433", "127.1"] {
        for request in [
            format!("GET http://{host}:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n"),
            format!("CONNECT {host}:{port} HTTP/1.1\r\nConnection: close\r\n\r\n"),
        ] {
            let heard = say(at, request.as_bytes()).await;
            assert!(heard.starts_with("HTTP/1.1 403"), "{request} {heard}");
        }
    }
    let expect = ["127.0.0.1", "[::1]", "a.shop.test", "mixed.test", "shop.test"];
    assert_eq!(gate.refused(), expect.map(|host| format!("{host}:{port}")));
    let TestGate { gate: _gate, at } = gate_to(&[format!("*:{port}"), format!("127.0.0.1:{port}")]);
    let (_, head) = tunnel(at, &format!("127.0.0.1:{port}")).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

#[tokio::test]
async fn who_is_not_there_is_told_as_that() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let TestGate { gate, at } = gate_to(&["none.test".to_owned(), format!("shop.test:{free}")]);
    let heard = say(at, b"GET http://none.test/ HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert!(heard.starts_with("HTTP/1.1 502") && heard.contains("was not found"), "{heard}");
    let request = format!("CONNECT shop.test:{free} HTTP/1.1\r\nConnection: close\r\n\r\n");
    let heard = say(at, request.as_bytes()).await;
    assert!(heard.starts_with("HTTP/1.1 502") && heard.contains("refused"), "{heard}");
    assert_eq!(gate.refused(), Vec::<String>::new());
}
