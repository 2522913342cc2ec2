//! Where a page may be, and where it may send us.

use std::io;
use std::net::IpAddr;

use forelook_network::NameResolver;

use super::server::{ok, to};
use super::*;

/// Names that are where a test wants them.
struct Made(Vec<IpAddr>);

impl NameResolver for Made {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        async { Ok(self.0.clone()) }.boxed()
    }
}

fn named(addresses: &[&str]) -> WebFetch {
    let mut tool = WebFetch::new(WebAccess::default());
    let resolver = Arc::new(Made(addresses.iter().map(|it| it.parse().unwrap()).collect()));
    let public =
        Connections::for_purpose(NetworkConfig::default(), Purpose::PublicPages).with_resolver(resolver);
    tool.fetcher.public = Arc::new(public);
    tool
}

#[tokio::test]
async fn what_is_not_public_is_not_fetched() {
    let server = Server::new(|_, out| ok(out, "text/plain", "inside"));
    let mut bench = bench(WebFetch::new(WebAccess::default()));
    let port = server.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "224.0.0.1",
        "metadata.google.internal",
        "router",
        "printer.local",
    ] {
        for scheme in ["http", "https"] {
            let text = bench.failure("WebFetch", json!({"url": format!("{scheme}://{host}:{port}/")})).await;
            assert!(text.contains("Not fetched") && text.contains("`web.allowLocal`"), "{host}: {text}");
        }
    }
    assert_eq!(server.heard(), [""; 0]);
}

#[tokio::test]
async fn a_name_that_leads_inside_is_not_followed_there() {
    for addresses in
        [&["127.0.0.1"][..], &["93.184.216.34", "10.0.0.1"], &["::1"], &["::ffff:169.254.169.254"]]
    {
        let text = bench(named(addresses)).failure("WebFetch", json!({"url": "https://example.com/"})).await;
        assert!(text.contains("the host `example.com` has the address"), "{addresses:?}: {text}");
        assert!(text.contains("`web.allowLocal`"), "{text}");
    }
    let text = bench(named(&[])).failure("WebFetch", json!({"url": "https://example.com/"})).await;
    assert!(text.contains("could not be found"), "{text}");
}

#[tokio::test]
async fn redirects_within_a_host_are_followed() {
    let server = Server::new(|path, out| match path {
        "/a" => to(out, "b?x=1"),
        "/b?x=1" => to(out, "/deep/c"),
        "/deep/c" => ok(out, "text/html", "<a href=d>here</a>"),
        _ => ok(out, "text/plain", "wrong"),
    });
    let text = page(&server, "/a").await;
    assert!(text.contains(&format!("[here]({})", server.url("/deep/d"))), "{text}");
}

#[tokio::test]
async fn another_host_is_told_and_not_asked() {
    let other = Server::new(|_, out| ok(out, "text/plain", "other"));
    let away = format!("http://localhost:{}/there?q=1", other.port());
    let server = Server::new(move |_, out| to(out, &away));
    let allow_local = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let tool = WebFetch::new(WebAccess { network: Arc::default(), allow_local });
    let text = bench(tool).failure("WebFetch", json!({"url": server.url("/a")})).await;
    let expect = format!("call again with this `url`:\nhttp://localhost:{}/there?q=1", other.port());
    assert!(text.contains("another host") && text.ends_with(&expect), "{text}");
    assert_eq!(other.heard(), [""; 0]);
}

#[tokio::test]
async fn a_redirect_opens_nothing() {
    let inside = Server::new(|_, out| ok(out, "text/plain", "inside"));
    let port = inside.port();
    let server = Server::new(move |path, out| match path {
        // The same host, but not the port that was allowed.
        "/port" => to(out, &format!("http://127.0.0.1:{port}/")),
        "/file" => to(out, "file:///etc/passwd"),
        "/user" => to(out, "http://me:secret@127.0.0.1/"),
        _ => to(out, "http://[broken"),
    });
    for (path, part) in [
        ("/port", "Not fetched"),
        ("/file", "only `https`"),
        ("/user", "password"),
        ("/bad", "invalid address"),
    ] {
        let text = no_page(&server, path).await;
        assert!(text.contains(part) && !text.contains("secret"), "{path}: {text}");
    }
    assert_eq!(inside.heard(), [""; 0]);
}

#[tokio::test]
async fn a_circle_ends_and_so_does_a_spiral() {
    let server = Server::new(|path, out| match path {
        "/a" => to(out, "/b"),
        "/b" => to(out, "/a#again"),
        path => to(out, &format!("{path}x")),
    });
    let text = no_page(&server, "/a").await;
    assert!(text.contains("in a loop"), "{text}");
    let text = no_page(&server, "/x").await;
    assert!(text.contains("more than 10 times"), "{text}");
    assert_eq!(server.heard().len(), 2 + 11);
}

#[test]
fn the_action_names_the_host_that_is_asked() {
    let tool = Arc::new(Adapter::new(WebFetch::new(WebAccess::default())));
    let place = Bench::new().cx.place;
    let action = |url: &str| {
        let call = Arc::clone(&tool).parse(&json!({"url": url, "prompt": ""})).unwrap();
        call.action(&place)
    };
    for (url, host) in [
        ("https://Docs.Example.com:8443/x", "docs.example.com"),
        ("http://example.com./", "example.com"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("https://0x7f.1/", "127.0.0.1"),
    ] {
        assert_eq!(action(url), Ok(Action::Fetch { host: host.to_owned() }));
    }
    assert!(action("ftp://x").is_err());
}

/// A proxy may be anywhere; it resolves the names itself, and so they are judged as they stand.
#[tokio::test]
async fn a_proxy_leads_nowhere_else_either() {
    for host in ["127.0.0.1", "localhost"] {
        let proxy = Server::new(|_, out| super::server::whole(out, "502 Bad Gateway", "", b""));
        let at = format!("http://{host}:{}", proxy.port());
        let network = NetworkConfig { https_proxy: Some(at), ..NetworkConfig::default() };
        let tool = WebFetch::new(WebAccess { network: Arc::new(network), allow_local: vec![] });
        let mut bench = bench(tool);
        for inside in ["10.0.0.1", "2852039166", "[::ffff:10.0.0.1]", "intranet", "a.internal", "localhost"] {
            let text = bench.failure("WebFetch", json!({"url": format!("https://{inside}/")})).await;
            assert!(text.contains("Not fetched"), "{inside}: {text}");
        }
        assert_eq!(proxy.heard(), [""; 0]);
        bench.failure("WebFetch", json!({"url": "http://example.com/x"})).await;
        assert!(proxy.heard().concat().starts_with("CONNECT example.com:443"), "{:?}", proxy.heard());
    }
}
